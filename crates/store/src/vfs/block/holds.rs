//! What a disk holds, before it is formatted: nothing, or something that may be somebody's.

use alloc::vec;

use super::super::VfsError;
use super::device::{BLOCK_BYTES, BlockDevice};
use super::layout::{MAGIC, SLOT_BLOCKS};

const BYTES: u64 = BLOCK_BYTES as u64;
/// Blocks that are read at a time.
const STEP: u64 = 32;
/// Everything that is known puts what it is recognised by, or a copy of that, before this block or behind
/// the last mebibyte's beginning: the furthest is the first copy of btrfs's superblock, at 64 MiB.
const FRONT: u64 = (64 << 20) / BYTES + 1;
const BACK: u64 = (1 << 20) / BYTES;
/// What is on a disk and not known here.
const UNKNOWN: &str = "unknown";
/// A volume of ours: it is mounted, never formatted.
pub(super) const OURS: &str = "loadstone";

/// Where something puts what it is recognised by: byte of the disk, and what is there. Sources: util-linux's
/// libblkid; the kernel's `btrfs_tree.h`, `md_p.h`, ECMA-119, LUKS2's on-disk format.
const SIGNATURES: [(&str, u64, &[u8]); 22] = [
    (OURS, 0, &MAGIC),
    (OURS, SLOT_BLOCKS * BYTES, &MAGIC),
    ("btrfs", 0x1_0040, b"_BHRfS_M"),
    ("btrfs", 0x400_0040, b"_BHRfS_M"),
    ("iso9660", 0x8001, b"CD001"),
    ("md", 0, &MD),
    ("md", 0x1000, &MD),
    ("lvm", 0, b"LABELONE"),
    ("lvm", 0x200, b"LABELONE"),
    ("lvm", 0x400, b"LABELONE"),
    ("lvm", 0x600, b"LABELONE"),
    ("luks", 0, b"LUKS\xba\xbe"),
    ("luks", 0x4000, b"SKUL\xba\xbe"),
    ("ext", 0x438, b"\x53\xef"),
    ("xfs", 0, b"XFSB"),
    ("f2fs", 0x400, b"\x10\x20\xf5\xf2"),
    ("swap", 0xff6, b"SWAPSPACE2"),
    ("sqlite", 0, b"SQLite format 3\0"),
    ("gpt", 0x200, b"EFI PART"),
    ("gpt", 0x1000, b"EFI PART"),
    ("ntfs", 3, b"NTFS    "),
    ("mbr", 0x1fe, b"\x55\xaa"),
];
/// A member of a RAID says so at the front or at the back: version 1.0 8 KiB before the end and version 0.90
/// 64 KiB, both rounded down.
const MD: [u8; 4] = 0xa92b_4efc_u32.to_le_bytes();

/// Something on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// What it is, as far as it is known: a name such as `btrfs`, or `unknown`.
    pub name: &'static str,
    /// The first block that is not zero, of those that were looked at.
    pub block: u64,
}

impl Held {
    /// Whether its name is known.
    pub fn is_known(&self) -> bool {
        self.name != UNKNOWN
    }

    /// Whether it is a volume of ours, be it damaged.
    pub fn is_ours(&self) -> bool {
        self.name == OURS
    }
}

/// What a disk holds; none when its first 64 MiB and its last mebibyte are zeros.
///
/// # Errors
/// [`VfsError::Io`].
pub fn holds(device: &mut dyn BlockDevice) -> Result<Option<Held>, VfsError> {
    let all = device.blocks();
    let front = all.min(FRONT);
    let parts = [0..front, all.saturating_sub(BACK).max(front)..all];
    let mut bytes = vec![0; STEP as usize * BLOCK_BYTES];
    for part in parts {
        let mut block = part.start;
        while block < part.end {
            let count = STEP.min(part.end - block);
            let bytes = &mut bytes[..count as usize * BLOCK_BYTES];
            device.read(block, bytes)?;
            if let Some(within) = bytes.chunks(BLOCK_BYTES).position(|block| !is_zero(block)) {
                return Ok(Some(Held { name: name(device)?, block: block + within as u64 }));
            }
            block += count;
        }
    }
    Ok(None)
}

/// Erases what a disk is recognised by, so that nothing else takes it for its own later.
///
/// # Errors
/// [`VfsError::Io`].
pub(super) fn erase(device: &mut dyn BlockDevice) -> Result<(), VfsError> {
    let all = device.blocks();
    let zeros = [0; BLOCK_BYTES];
    let copy = (64 << 20) / BYTES;
    let places = (0..all.min(2 * SLOT_BLOCKS)).chain(copy..copy + 1).chain(all.saturating_sub(BACK)..all);
    places.filter(|block| *block < all).try_for_each(|block| device.write(block, &[&zeros]))
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.as_chunks().0.iter().all(|bytes: &[u8; 16]| u128::from_ne_bytes(*bytes) == 0)
}

fn name(device: &mut dyn BlockDevice) -> Result<&'static str, VfsError> {
    let sectors = device.blocks() * BYTES / 512;
    let late = [sectors.saturating_sub(16) & !7, (sectors & !127).saturating_sub(128)];
    let late = late.map(|sector| ("md", sector * 512, &MD[..]));
    let mut bytes = [0; BLOCK_BYTES];
    for (name, at, magic) in late.into_iter().chain(SIGNATURES) {
        if at / BYTES >= device.blocks() {
            continue;
        }
        device.read(at / BYTES, &mut bytes)?;
        if bytes[(at % BYTES) as usize..].starts_with(magic) {
            return Ok(name);
        }
    }
    Ok(UNKNOWN)
}
