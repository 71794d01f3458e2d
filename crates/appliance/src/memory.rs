//! The static memory map of a guest: which of its RAM is the image, the heap, and the I/O region.
//!
//! | addresses | what |
//! |---|---|
//! | below 1 MiB | left to firmware; the first page is not mapped |
//! | from 1 MiB | the image: text, constants, data, a guard page, the stack |
//! | behind it | the heap: all RAM but the I/O region, in 2 MB pages |
//! | the top of the first RAM that holds it | the I/O region: queues and buffers that devices read and write |
//! | device windows | where firmware put them |

use core::ops::Range;

/// Below lies what belongs to firmware.
pub const LOW: u64 = 1 << 20;
/// A page of the heap and the I/O region.
const PAGE: u64 = 4096;
/// Least and most that devices get, and their share of all memory.
const IO_BYTES: Range<u64> = (192 << 10)..(1536 << 10);
const IO_SHARE: u64 = 12;
/// What an image needs beside the I/O region, at least: sockets, and a page made for each.
const LEAST_HEAP: u64 = 256 << 10;
/// What a machine needs beside its image, at least.
pub const LEAST: u64 = IO_BYTES.start + LEAST_HEAP;

/// Most ranges that are told apart: hypervisors tell of two or three.
pub const RANGES: usize = 16;

/// RAM as the hypervisor tells of it: base and size in bytes.
pub type Ram = (u64, u64);

/// Where everything lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Ranges of the heap; those that are not used are empty.
    pub heap: [Range<u64>; RANGES],
    /// The I/O region.
    pub io: Range<u64>,
}

/// Divides the RAM around `image`; `limit` is the first address that is not mapped.
///
/// # Errors
/// Bytes of RAM found, when that is too little.
pub fn divide(ram: &[Ram], image: &Range<u64>, limit: u64) -> Result<Map, u64> {
    let total: u64 = ram.iter().map(|(_, size)| size).sum();
    let mut free = [const { 0..0 }; RANGES];
    let mut count = 0;
    for &(base, size) in ram {
        let start = base.max(LOW);
        let end = base.saturating_add(size).min(limit);
        // The image may lie at the beginning of this range, in its middle, or elsewhere.
        for part in [start..end.min(image.start), start.max(image.end)..end] {
            let part = part.start.next_multiple_of(PAGE)..part.end / PAGE * PAGE;
            if part.start < part.end && !free.contains(&part) && count < RANGES {
                free[count] = part;
                count += 1;
            }
        }
    }
    let io_bytes = (total / IO_SHARE).clamp(IO_BYTES.start, IO_BYTES.end) / PAGE * PAGE;
    let room = |part: &&mut Range<u64>| part.end - part.start >= io_bytes + LEAST_HEAP;
    let part = free.iter_mut().find(room).ok_or(total)?;
    part.end -= io_bytes;
    let io = part.end..part.end + io_bytes;
    Ok(Map { heap: free, io })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_small_machine_is_divided() {
        let image = MIB..MIB + 300_000;
        let map = divide(&[(0, 0x9_fc00), (MIB, 7 * MIB)], &image, 4 << 30).unwrap();
        assert!(map.heap[1].is_empty());
        assert_eq!(map.heap[0].start, (MIB + 300_000).next_multiple_of(4096));
        assert_eq!((map.heap[0].end, map.io.end), (map.io.start, 8 * MIB));
        assert!(IO_BYTES.contains(&(map.io.end - map.io.start)));
    }

    #[test]
    fn all_ram_is_used_as_far_as_it_is_mapped() {
        let image = MIB..2 * MIB;
        let ram = [(0, 0x9_fc00), (MIB, 3 << 30), (4 << 30, 8 << 30)];
        let map = divide(&ram, &image, 6 << 30).unwrap();
        let bytes: u64 = map.heap.iter().map(|part| part.end - part.start).sum();
        assert_eq!(bytes + (map.io.end - map.io.start), (3 << 30) - MIB + (2 << 30));
        for part in map.heap.iter().filter(|part| !part.is_empty()) {
            assert!(part.end <= image.start || part.start >= image.end);
            assert!(part.end <= map.io.start || part.start >= map.io.end);
        }
    }

    #[test]
    fn too_little_is_refused() {
        assert_eq!(divide(&[(0, MIB), (MIB, MIB / 2)], &(MIB..MIB + 200_000), 4 << 30), Err(MIB + MIB / 2));
        assert_eq!(divide(&[], &(MIB..2 * MIB), 4 << 30), Err(0));
    }
}
