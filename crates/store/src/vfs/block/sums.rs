//! Checksums of database pages. SQLite leaves the last bytes of each page alone (its reserved bytes); there
//! every page bears a checksum over the rest, so that no page that rotted is taken for one that was written.

use twox_hash::XxHash3_64;

use super::device::BLOCK_BYTES;
use super::page::Page;

/// Bytes that a database leaves to the checksum.
pub(in crate::vfs) const RESERVED: u8 = 8;
const SUM_AT: usize = BLOCK_BYTES - RESERVED as usize;
/// Where the first page of a database says how large its pages are and how much of them it leaves.
const PAGE_BYTES_AT: usize = 16;
const RESERVED_AT: usize = 20;

/// Whether a file of this name is a database, not what protects a transaction of one.
pub(super) fn is_database(name: &str) -> bool {
    !name.ends_with("-journal") && !name.contains("-mj")
}

/// Whether this is the first page of a database whose pages have room for a checksum.
pub(super) fn has_room(first: &Page) -> bool {
    first.0.starts_with(b"SQLite format 3\0")
        && first.0[PAGE_BYTES_AT..PAGE_BYTES_AT + 2] == (BLOCK_BYTES as u16).to_be_bytes()
        && first.0[RESERVED_AT] == RESERVED
}

/// Gives page `number` of a file its checksum. The number is the seed: a page in another one's place is
/// found, too.
pub(super) fn stamp(page: &mut Page, number: u64) {
    let sum = XxHash3_64::oneshot_with_seed(number, &page.0[..SUM_AT]);
    page.0[SUM_AT..].copy_from_slice(&sum.to_le_bytes());
}

/// Whether the page, a block's bytes, is as it was written.
pub(super) fn is_right(page: &[u8], number: u64) -> bool {
    let sum = XxHash3_64::oneshot_with_seed(number, &page[..SUM_AT]);
    page[SUM_AT..] == sum.to_le_bytes()
}
