//! Device trees: whatever the bytes are, a board is read from within them or there is none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::device_tree::{Board, PLACES};

fuzz_target!(|blob: &[u8]| {
    if let Some(board) = Board::read(blob) {
        assert!(board.virtio.1 <= PLACES && board.line.len() < blob.len());
    }
});
