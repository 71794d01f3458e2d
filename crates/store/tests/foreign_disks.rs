//! Formatting: only of what is empty, or of what is named. Each disk here was formatted by a version that
//! looked at the first block alone.

use loadstone_store::vfs::VfsError;
use loadstone_store::vfs::block::{
    BLOCK_BYTES, BlockDevice, BlockVfs, FormatOptions, MemoryDevice, MountError, holds,
};

const MIB: usize = 1 << 20;

fn disk(mib: usize, written: &[(usize, &[u8])]) -> MemoryDevice {
    let mut disk = MemoryDevice::new(mib * MIB / BLOCK_BYTES);
    for (at, bytes) in written {
        let first = (at / BLOCK_BYTES) as u64;
        let mut blocks = vec![0; (at % BLOCK_BYTES + bytes.len()).next_multiple_of(BLOCK_BYTES)];
        disk.read(first, &mut blocks).unwrap();
        blocks[at % BLOCK_BYTES..][..bytes.len()].copy_from_slice(bytes);
        disk.write(first, &[&blocks]).unwrap();
    }
    disk
}

fn content(disk: &mut MemoryDevice) -> Vec<u8> {
    let mut all = vec![0; disk.blocks() as usize * BLOCK_BYTES];
    disk.read(0, &mut all).unwrap();
    all
}

fn format(disk: &mut MemoryDevice, erase: Option<&str>) -> Result<(), MountError> {
    BlockVfs::format_empty(disk, &FormatOptions::default(), erase)
}

const MD: [u8; 4] = [0xfc, 0x4e, 0x2b, 0xa9];

/// As what something is known, on a disk of how many mebibytes, and what is at which bytes of it.
type Foreign = (&'static str, usize, Vec<(usize, &'static [u8])>);

fn foreign() -> Vec<Foreign> {
    vec![
        ("btrfs", 16, vec![(0x1_0040, b"_BHRfS_M".as_slice())]),
        ("btrfs", 80, vec![(64 * MIB + 64, b"_BHRfS_M")]),
        ("iso9660", 2, vec![(32_769, b"CD001")]),
        ("md", 16, vec![(4096, &MD)]),
        ("md", 16, vec![(16 * MIB - 8192, &MD)]),
        ("md", 16, vec![(16 * MIB - 65_536, &MD)]),
        ("md", 16, vec![(16 * MIB - 8192, &MD), (1080, b"\x53\xef")]),
        ("ext", 16, vec![(1080, b"\x53\xef")]),
        ("luks", 16, vec![(0x4000, b"SKUL\xba\xbe")]),
        ("lvm", 16, vec![(512, b"LABELONE")]),
        ("swap", 16, vec![(4086, b"SWAPSPACE2")]),
        ("gpt", 16, vec![(512, b"EFI PART")]),
        ("unknown", 16, vec![(700_000, b"somebody's")]),
        ("unknown", 16, vec![(16 * MIB - 100, b"EFI PART")]),
        ("unknown", 128, vec![(60 * MIB, b"somebody's")]),
        ("unknown", 128, vec![(128 * MIB - 1_000_000, b"somebody's")]),
    ]
}

#[test]
fn what_holds_anything_is_left_as_it_is() {
    for (name, mib, written) in foreign() {
        let mut disk = disk(mib, &written);
        let before = content(&mut disk);
        for erase in [None, Some("loadstone"), Some("something else")] {
            let refused = format(&mut disk, erase);
            assert!(
                matches!(refused, Err(MountError::Held(held)) if held.name == name),
                "{name}: {refused:?}"
            );
        }
        assert!(content(&mut disk) == before, "{name} was changed");
    }
}

#[test]
fn what_is_named_is_erased_for_good() {
    for (name, mib, written) in foreign() {
        let mut disk = disk(mib, &written);
        format(&mut disk, Some(name)).unwrap();
        for (at, magic) in written.into_iter().filter(|_| name != "unknown") {
            assert_ne!(&content(&mut disk)[at..][..magic.len()], magic, "{name} is still recognised");
        }
        BlockVfs::mount(disk).unwrap();
    }
}

#[test]
fn a_disk_of_ours_is_never_formatted_by_the_way() {
    for lost in [0, 21] {
        let mut disk = disk(16, &[]);
        format(&mut disk, None).unwrap();
        assert!(holds(&mut disk).unwrap().unwrap().is_ours());
        disk.write(lost, &[&[0; BLOCK_BYTES]]).unwrap();
        for erase in [None, Some("loadstone")] {
            let refused = format(&mut disk, erase);
            assert!(matches!(refused, Err(MountError::Held(held)) if held.is_ours()), "{refused:?}");
        }
        BlockVfs::mount(disk).unwrap();
    }
}

#[test]
fn an_empty_disk_of_any_size_is_formatted() {
    for mib in [1, 2, 65, 130] {
        let mut disk = disk(mib, &[]);
        assert_eq!(holds(&mut disk), Ok(None));
        format(&mut disk, None).unwrap();
        BlockVfs::mount(disk).unwrap();
    }
    // Too small is said, not that it is somebody's.
    assert!(matches!(format(&mut MemoryDevice::new(9), None), Err(MountError::TooSmall { .. })));
}

#[test]
fn a_disk_that_cannot_be_read_is_not_formatted() {
    struct Deaf;
    impl BlockDevice for Deaf {
        fn blocks(&self) -> u64 {
            4096
        }
        fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), VfsError> {
            Err(VfsError::Io)
        }
        fn write(&mut self, _: u64, _: &[&[u8]]) -> Result<(), VfsError> {
            panic!("written")
        }
        fn flush(&mut self) -> Result<(), VfsError> {
            Ok(())
        }
    }
    let refused = BlockVfs::format_empty(&mut Deaf, &FormatOptions::default(), Some("unknown"));
    assert_eq!(refused, Err(MountError::Io));
}
