//! Arbitrary edits of a formatted and perhaps used device, checksums made right again: it is refused or
//! mounted, what is mounted can be read and written, and nothing panics or goes on for ever.
#![no_main]

use std::sync::{Arc, Mutex, OnceLock};

use libfuzzer_sys::fuzz_target;
use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice, BlockVfs, FormatOptions};
use loadstone_store::vfs::{Vfs, VfsError};
use twox_hash::XxHash3_64;

/// Blocks of a superblock with its tables, and of the log.
const SLOT: usize = 21;
const LOG: usize = 160;
const BLOCKS: usize = 2 * SLOT + LOG + 64;

#[derive(Clone)]
struct Disk(Arc<Mutex<Vec<u8>>>);

impl BlockDevice for Disk {
    fn blocks(&self) -> u64 {
        BLOCKS as u64
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        let start = usize::try_from(first).unwrap().checked_mul(BLOCK_BYTES).ok_or(VfsError::Io)?;
        let disk = self.0.lock().unwrap();
        bytes.copy_from_slice(disk.get(start..start + bytes.len()).ok_or(VfsError::Io)?);
        Ok(())
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        let start = usize::try_from(first).unwrap().checked_mul(BLOCK_BYTES).ok_or(VfsError::Io)?;
        let bytes = parts.concat();
        self.0
            .lock()
            .unwrap()
            .get_mut(start..start + bytes.len())
            .ok_or(VfsError::Io)?
            .copy_from_slice(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        Ok(())
    }
}

/// What a device went through before it is edited: (log mode, rounds of work on it, whether it was mounted
/// again).
const PASTS: [(bool, u16, bool); 5] =
    [(true, 4, false), (false, 4, false), (true, 0, false), (true, 200, false), (false, 30, true)];

/// A device with that past; after work it holds a file, and a log that was not brought into place.
fn template(past: usize) -> &'static [u8] {
    static TEMPLATES: [OnceLock<Vec<u8>>; PASTS.len()] = [const { OnceLock::new() }; PASTS.len()];
    TEMPLATES[past].get_or_init(|| {
        let (atomic, rounds, again) = PASTS[past];
        let mut disk = Disk(Arc::new(Mutex::new(vec![0; BLOCKS * BLOCK_BYTES])));
        BlockVfs::format(&mut disk, &FormatOptions { atomic, log_blocks: Some(LOG as u64), checked: false })
            .unwrap();
        if rounds > 0 {
            work(&disk, rounds);
        }
        if again {
            BlockVfs::mount(disk.clone()).unwrap();
        }
        let bytes = disk.0.lock().unwrap().clone();
        bytes
    })
}

/// Two files, written and synced in turn; in the end the second one goes.
fn work(disk: &Disk, rounds: u16) {
    let vfs = BlockVfs::mount(disk.clone()).unwrap();
    for round in 0..rounds {
        for name in ["a.db", "a.db-journal"] {
            let mut file = vfs.open(Some(name), true).unwrap();
            file.write_at(&[round as u8; 700], 4000 + u64::from(round) * 3000 % 60_000).unwrap();
            file.sync().unwrap();
        }
    }
    vfs.delete("a.db-journal").unwrap();
}

fuzz_target!(|input: (u8, Vec<(u32, u8, u8)>)| {
    let (past, edits) = input;
    let mut bytes = template(past as usize % PASTS.len()).to_vec();
    for (place, value, seal) in &edits {
        // Superblocks and log; most edits in their first bytes, where the meaning is.
        let block = (*place >> 16) as usize % (2 * SLOT + 24);
        let offset = *place as u16 as usize % if seal & 4 == 0 { 160 } else { BLOCK_BYTES };
        bytes[block * BLOCK_BYTES + offset] = *value;
    }
    if edits.iter().any(|(_, _, seal)| seal & 1 == 0) {
        (0..2).for_each(|slot| {
            seal_superblock(&mut bytes[slot * SLOT * BLOCK_BYTES..(slot + 1) * SLOT * BLOCK_BYTES])
        });
    }
    if edits.iter().any(|(_, _, seal)| seal & 2 == 0) {
        (0..LOG).for_each(|block| {
            seal_record(&mut bytes[(2 * SLOT + block) * BLOCK_BYTES..(2 * SLOT + LOG) * BLOCK_BYTES])
        });
    }
    let disk = Disk(Arc::new(Mutex::new(bytes)));
    let Ok(vfs) = BlockVfs::mount(disk.clone()) else { return };
    if let Ok(mut file) = vfs.open(Some("a.db"), true) {
        let mut page = [0; 5000];
        let _ = file.read_at(&mut page, 100);
        let written = file.write_at(&[7; 5000], 100).and_then(|()| file.sync());
        drop(file);
        if written.is_ok() {
            let mut file = BlockVfs::mount(disk).unwrap().open(Some("a.db"), false).unwrap();
            assert_eq!(file.read_at(&mut page, 100), Ok(5000));
            assert_eq!(page, [7; 5000]);
        }
    }
});

/// The checksum that belongs to a superblock, as far as its length makes sense.
fn seal_superblock(slot: &mut [u8]) {
    let blocks = u64::from_le_bytes(slot[80..88].try_into().unwrap()) as usize;
    if let Some(used) = blocks
        .checked_mul(BLOCK_BYTES)
        .and_then(|length| slot.get_mut(..length))
        .filter(|used| !used.is_empty())
    {
        let sum = XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(&used[..88]), &used[96..]);
        used[88..96].copy_from_slice(&sum.to_le_bytes());
    }
}

/// The checksum that belongs to the record that begins here, if one does.
fn seal_record(log: &mut [u8]) {
    let word = |log: &[u8], at: usize| u32::from_le_bytes(log[at..at + 4].try_into().unwrap()) as usize;
    let head = word(log, 4).div_ceil(BLOCK_BYTES);
    let Some(length) = head.checked_add(word(log, 24)).and_then(|blocks| blocks.checked_mul(BLOCK_BYTES))
    else {
        return;
    };
    if &log[..4] != b"LREC" || head == 0 || length > log.len() {
        return;
    }
    log[32..40].fill(0);
    let epoch = u64::from_le_bytes(log[8..16].try_into().unwrap());
    let (head, pages) = log[..length].split_at(head * BLOCK_BYTES);
    let sum =
        pages.chunks_exact(BLOCK_BYTES).fold(XxHash3_64::oneshot_with_seed(epoch, head), |sum, page| {
            XxHash3_64::oneshot_with_seed(sum, page)
        });
    log[32..40].copy_from_slice(&sum.to_le_bytes());
}
