//! Device trees: whatever the bytes are, a board is read from within them or there is none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::device_tree::{Board, PLACES};

fuzz_target!(|blob: &[u8]| {
    let Some(board) = Board::read(blob) else { return };
    assert!(board.virtio.1 <= PLACES);
    assert!(board.line.is_empty() || blob.as_ptr_range().contains(&board.line.as_ptr()));
    // It ends where it says, not where the memory does: what lies behind it is not read, and nothing may be missing.
    let length = u32::from_be_bytes(blob[4..8].try_into().unwrap()) as usize;
    assert_eq!(Board::read(&blob[..length]).as_ref(), Some(&board));
    assert_eq!(Board::read(&blob[..length - 1]), None);
});
