//! Files on a block device against a model of files: whatever is done to them, in both modes, through
//! remounts.

#[path = "block_files/shared.rs"]
mod shared;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice, BlockVfs, FormatOptions, MountError};
use loadstone_store::vfs::{Control, Vfs, VfsError, VfsFile, register};
use loadstone_store::{Db, Options};
use proptest::prelude::*;

use shared::Shared;

#[derive(Debug, Clone)]
enum Action {
    Write {
        offset: u64,
        length: usize,
        fill: u8,
    },
    Truncate(u64),
    Sync,
    /// Writes that belong together: kept, or given up.
    Batch {
        writes: Vec<(u64, u8)>,
        keeps: bool,
    },
    Delete,
    /// Syncs every file and mounts the device again.
    Remount,
}

fn action() -> impl Strategy<Value = Action> {
    let offset = prop_oneof![0..40_000_u64, (0..10_u64).prop_map(|page| page * 4096), 0..400_000_u64];
    prop_oneof![
        6 => (offset, 1..20_000_usize, any::<u8>())
            .prop_map(|(offset, length, fill)| Action::Write { offset, length, fill }),
        1 => (0..60_000_u64).prop_map(Action::Truncate),
        3 => Just(Action::Sync),
        2 => (prop::collection::vec((0..30_u64, any::<u8>()), 1..8), any::<bool>())
            .prop_map(|(writes, keeps)| Action::Batch { writes, keeps }),
        1 => Just(Action::Delete),
        1 => Just(Action::Remount),
    ]
}

const NAMES: [&str; 3] = ["a.db", "a.db-journal", "b.db"];

fn overwrite(model: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let end = offset as usize + bytes.len();
    model.resize(model.len().max(end), 0);
    model[offset as usize..end].copy_from_slice(bytes);
}

fn content(vfs: &BlockVfs, name: &str) -> Vec<u8> {
    let mut file = vfs.open(Some(name), false).unwrap();
    let mut bytes = vec![1; file.size().unwrap() as usize + 10];
    let length = file.read_at(&mut bytes, 0).unwrap();
    bytes.truncate(length);
    bytes
}

fn apply(file: &mut dyn VfsFile, model: &mut Vec<u8>, action: &Action) {
    match action {
        Action::Write { offset, length, fill } => {
            let bytes = vec![*fill; *length];
            file.write_at(&bytes, *offset).unwrap();
            overwrite(model, *offset, &bytes);
        }
        Action::Truncate(size) => {
            file.truncate(*size).unwrap();
            model.truncate(*size as usize);
        }
        Action::Batch { writes, keeps } => {
            let mut after = model.clone();
            file.control(Control::BeginAtomic).unwrap();
            for (page, fill) in writes {
                file.write_at(&[*fill; BLOCK_BYTES], page * BLOCK_BYTES as u64).unwrap();
                overwrite(&mut after, page * BLOCK_BYTES as u64, &[*fill; BLOCK_BYTES]);
            }
            file.control(if *keeps { Control::CommitAtomic } else { Control::RollbackAtomic }).unwrap();
            if *keeps {
                *model = after;
            }
        }
        Action::Sync => file.sync().unwrap(),
        Action::Delete | Action::Remount => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn files_are_what_was_written(
        actions in prop::collection::vec((0..NAMES.len(), action()), 1..60),
        atomic in any::<bool>(),
    ) {
        let mut device = Shared::new(1000);
        BlockVfs::format(&mut device, &FormatOptions { atomic, log_blocks: Some(160), checked: false }).unwrap();
        let mut vfs = BlockVfs::mount(device.clone()).unwrap();
        let mut models: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        for (name, action) in &actions {
            let name = NAMES[*name];
            match action {
                Action::Delete => prop_assert_eq!(vfs.delete(name).is_ok(), models.remove(name).is_some()),
                Action::Remount => {
                    for name in models.keys() {
                        vfs.open(Some(name), false).unwrap().sync().unwrap();
                    }
                    vfs = BlockVfs::mount(device.clone()).unwrap();
                }
                action => {
                    let mut file = vfs.open(Some(name), true).unwrap();
                    apply(&mut *file, models.entry(name).or_default(), action);
                }
            }
            for name in NAMES {
                prop_assert_eq!(vfs.exists(name), models.contains_key(name));
            }
            for (name, model) in &models {
                prop_assert!(content(&vfs, name) == *model, "{} differs after {:?}", name, action);
            }
        }
    }
}

/// Files here are any bytes, not databases with checksums.
fn formatted(blocks: usize) -> Shared {
    let mut device = Shared::new(blocks);
    BlockVfs::format(&mut device, &FormatOptions { checked: false, ..FormatOptions::default() }).unwrap();
    device
}

#[test]
fn devices_that_are_none_of_ours_are_refused() {
    let refusal = |device| BlockVfs::mount(device).err();
    assert_eq!(refusal(Shared::new(1000)), Some(MountError::NotFormatted));
    assert_eq!(refusal(Shared::new(3)), Some(MountError::NotFormatted));
    let too_small = BlockVfs::format(&mut Shared::new(100), &FormatOptions::default());
    assert!(matches!(too_small, Err(MountError::TooSmall { blocks: 100, least }) if least > 100));

    let mut newer = formatted(1000);
    let mut damaged = formatted(1000);
    for slot in [0, 21] {
        let mut block = [0; BLOCK_BYTES];
        newer.read(slot, &mut block).unwrap();
        block[8] = 9;
        newer.write(slot, &[&block]).unwrap();
        damaged.read(slot, &mut block).unwrap();
        block[30] ^= 1;
        damaged.write(slot, &[&block]).unwrap();
    }
    assert_eq!(refusal(newer), Some(MountError::Version(9)));
    assert!(matches!(refusal(damaged), Some(MountError::Damaged(_))));
}

#[test]
fn a_superblock_that_rots_is_not_taken_for_an_older_one() {
    let device = formatted(1000);
    let mut file = BlockVfs::mount(device.clone()).unwrap().open(Some("a.db"), true).unwrap();
    let mut refused = 0;
    for round in 0..600_u64 {
        file.write_at(&[round as u8; BLOCK_BYTES], round % 50 * BLOCK_BYTES as u64).unwrap();
        // Without flushes the log fills up and is emptied at once; with them it is emptied bit by bit.
        if round < 550 { file.control(Control::CommitPoint).map(drop) } else { file.sync() }.unwrap();
        if round > 500 && round.is_multiple_of(7) {
            refused += (0..2).filter(|slot| is_refused_without(&device, slot * 21, round)).count();
        }
    }
    assert!(refused > 0, "the older superblock was never too old");
}

#[test]
fn a_disk_whose_log_rots_is_not_taken_for_an_empty_one() {
    let device = formatted(1000);
    let mut file = BlockVfs::mount(device.clone()).unwrap().open(Some("a.db"), true).unwrap();
    for round in 0..3 {
        file.write_at(&[7; BLOCK_BYTES], round * BLOCK_BYTES as u64).unwrap();
        file.sync().unwrap();
    }
    let mut whole = vec![0; 1000 * BLOCK_BYTES];
    device.clone().read(0, &mut whole).unwrap();
    for kept in [0..21, 21..42, 0..42] {
        let mut rotten = Shared::new(1000);
        rotten.write(0, &[&vec![0xa5; 1000 * BLOCK_BYTES]]).unwrap();
        rotten
            .write(kept.start, &[&whole[kept.start as usize * BLOCK_BYTES..kept.end as usize * BLOCK_BYTES]])
            .unwrap();
        assert!(matches!(BlockVfs::mount(rotten).err(), Some(MountError::Damaged(_))), "{kept:?} are left");
    }
    assert_eq!(content(&BlockVfs::mount(device).unwrap(), "a.db"), [7; 3 * BLOCK_BYTES]);
}

/// Whether a copy of the device with one superblock lost is refused; otherwise it must have what was written
/// last.
fn is_refused_without(device: &Shared, slot: u64, round: u64) -> bool {
    let mut rotten = Shared::new(1000);
    let mut all = vec![0; 1000 * BLOCK_BYTES];
    device.clone().read(0, &mut all).unwrap();
    rotten.write(0, &[&all]).unwrap();
    rotten.write(slot, &[&[0xff; BLOCK_BYTES]]).unwrap();
    match BlockVfs::mount(rotten) {
        Err(MountError::Damaged(_)) => true,
        Err(error) => panic!("{error}"),
        Ok(vfs) => {
            let found = content(&vfs, "a.db");
            assert_eq!(found[(round % 50) as usize * BLOCK_BYTES], round as u8);
            false
        }
    }
}

#[test]
fn a_full_device_is_an_error_and_then_usable_again() {
    register("full-device", BlockVfs::mount(formatted(600)).unwrap()).unwrap();
    let db = Db::open("a.db", &Options { vfs: Some("full-device".into()), ..Options::block() }).unwrap();
    db.exec_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB)").unwrap();
    let insert = "INSERT INTO t(body) VALUES (zeroblob(60000))";
    let refused = (0..100).find_map(|_| db.execute(insert, &[]).err()).unwrap();
    assert!(refused.message.contains("full"), "{refused}");
    let rows = || db.query_row("SELECT count(*) FROM t", &[], |row| row.int(0)).unwrap().unwrap();
    assert!(rows() > 5);
    db.execute("DELETE FROM t", &[]).unwrap();
    db.exec_batch("VACUUM").unwrap();
    db.execute(insert, &[]).unwrap();
    assert_eq!(rows(), 1);
}

#[test]
fn there_are_only_so_many_files() {
    let vfs = BlockVfs::mount(formatted(2000)).unwrap();
    for index in 0..64 {
        vfs.open(Some(&format!("{index}.db")), true).unwrap();
    }
    assert_eq!(vfs.open(Some("one more.db"), true).err(), Some(VfsError::Full));
    assert!(vfs.open(Some(&"x".repeat(300)), true).is_err());
    vfs.delete("7.db").unwrap();
    vfs.open(Some("one more.db"), true).unwrap();
}

/// Requests of a scan of a freshly mounted table, and the pages that it takes.
fn scan(name: &str, rows: u32, bytes: u32) -> (u64, u64) {
    let device = formatted(10_000);
    let options = |vfs: &str| Options { vfs: Some(vfs.into()), ..Options::block() };
    let (written, read) = (format!("{name}-written"), format!("{name}-read"));
    register(&written, BlockVfs::mount(device.clone()).unwrap()).unwrap();
    let db = Db::open("a.db", &options(&written)).unwrap();
    db.exec_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB)").unwrap();
    let fill = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) INSERT INTO t SELECT i, zeroblob(?2) FROM n";
    db.execute(fill, &[i64::from(rows).into(), i64::from(bytes).into()]).unwrap();
    drop(db);
    register(&read, BlockVfs::mount(device.clone()).unwrap()).unwrap();
    let db = Db::open("a.db", &options(&read)).unwrap();
    let number = |sql| db.query_row(sql, &[], |row| row.int(0)).unwrap().unwrap();
    let pages = number("PRAGMA page_count") as u64;
    let before = device.1.load(Ordering::Relaxed);
    assert_eq!(number("SELECT sum(length(body)) FROM t WHERE body IS NOT NULL"), i64::from(rows * bytes));
    (device.1.load(Ordering::Relaxed) - before, pages)
}

#[test]
fn a_scan_reads_many_pages_at_a_time() {
    let (requests, pages) = scan("whole", 8000, 1000);
    assert!(pages > 2000 && requests * 20 < pages, "{requests} requests for {pages} pages");
}

#[test]
fn a_scan_that_skips_what_long_values_take_still_reads_ahead() {
    // Of nine pages one is looked at.
    let (requests, pages) = scan("long", 4000, 4096);
    assert!(pages > 4000 && requests * 20 < pages, "{requests} requests for {pages} pages");
}
