//! Rot: bits that change on the disk by themselves. It is told from a power cut where anything on the disk
//! can tell, and no page of a database that rotted is ever taken for one that was written.

#[path = "block_files/shared.rs"]
mod shared;

use std::sync::atomic::{AtomicUsize, Ordering};

use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice, BlockVfs, FormatOptions, MountError};
use loadstone_store::vfs::{Control, Vfs, VfsError, register};
use loadstone_store::{Db, Options};

use shared::Shared;

const BLOCKS: usize = 1000;
/// Where the log and the data of such a disk are.
const LOG: std::ops::Range<usize> = 42..202;

fn formatted(options: &FormatOptions) -> Shared {
    let mut device = Shared::new(BLOCKS);
    BlockVfs::format(&mut device, options).unwrap();
    device
}

fn content(device: &Shared) -> Vec<u8> {
    let mut all = vec![0; BLOCKS * BLOCK_BYTES];
    device.clone().read(0, &mut all).unwrap();
    all
}

fn copy(bytes: &[u8]) -> Shared {
    let mut device = Shared::new(BLOCKS);
    device.write(0, &[bytes]).unwrap();
    device
}

fn database(device: &Shared) -> Result<Db, MountError> {
    Ok(opened(BlockVfs::mount(device.clone())?).unwrap())
}

fn opened(vfs: BlockVfs) -> loadstone_store::Result<Db> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("rot-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    register(&name, vfs).unwrap();
    // A cache that holds nothing for long: what is read is read from the disk.
    Db::open("a.db", &Options { vfs: Some(name), cache_kib: 8, ..Options::block() })
}

fn events(db: &Db) -> loadstone_store::Result<i64> {
    let sum = "SELECT count(*) + 0 * sum(length(body)) FROM event NOT INDEXED";
    Ok(db.query_row(sum, &[], |row| row.int(0))?.unwrap())
}

/// A disk whose log holds so many commits, each of which was acknowledged.
fn acknowledged(commits: i64) -> Vec<u8> {
    let device = formatted(&FormatOptions::default());
    let db = database(&device).unwrap();
    db.exec_batch("CREATE TABLE event(id INTEGER PRIMARY KEY, body TEXT)").unwrap();
    for id in 0..commits {
        db.execute("INSERT INTO event VALUES (?1, 'something that was acknowledged')", &[id.into()]).unwrap();
    }
    content(&device)
}

#[test]
fn a_bit_that_flips_in_the_log_is_no_power_cut() {
    let whole = acknowledged(60);
    let is_record = |block: &usize| whole[block * BLOCK_BYTES..].starts_with(b"LREC");
    let seq = |block: &usize| whole[block * BLOCK_BYTES + 16];
    let mut records: Vec<usize> = LOG.filter(is_record).collect();
    records.sort_by_key(seq);
    assert!(records.len() > 40, "{records:?}");
    let last = records.pop().unwrap();
    for block in records {
        for at in [1, 17, 30, 45, 60] {
            let mut rotten = whole.clone();
            rotten[block * BLOCK_BYTES + at] ^= 4;
            let refused = database(&copy(&rotten)).err();
            assert!(matches!(refused, Some(MountError::Damaged(_))), "byte {at} of {block}: {refused:?}");
        }
    }
    // Nothing on the disk says that the last one was ever whole: without it, it is as before that commit.
    let mut cut = whole.clone();
    cut[last * BLOCK_BYTES + 45] ^= 4;
    assert_eq!(events(&database(&copy(&cut)).unwrap()), Ok(59));
    assert_eq!(events(&database(&copy(&whole)).unwrap()), Ok(60));
}

#[test]
fn records_that_no_flush_came_between_may_survive_in_any_order() {
    let device = formatted(&FormatOptions { checked: false, ..FormatOptions::default() });
    let mut file = BlockVfs::mount(device.clone()).unwrap().open(Some("a.db"), true).unwrap();
    file.write_at(&[1; BLOCK_BYTES], 0).unwrap();
    file.sync().unwrap();
    let before = content(&device);
    for fill in 2..6 {
        file.write_at(&[fill; BLOCK_BYTES], 0).unwrap();
        file.control(Control::CommitPoint).unwrap();
    }
    let mut cut = content(&device);
    let first_lost =
        LOG.map(|block| block * BLOCK_BYTES).find(|at| cut[*at..*at + 64] != before[*at..*at + 64]);
    cut[first_lost.unwrap()] ^= 1;
    let vfs = BlockVfs::mount(copy(&cut)).unwrap();
    let mut found = [0; BLOCK_BYTES];
    vfs.open(Some("a.db"), false).unwrap().read_at(&mut found, 0).unwrap();
    assert_eq!(found, [1; BLOCK_BYTES]);
}

/// A disk with all of a table in place, and nothing of it in the log.
fn in_place(options: &FormatOptions) -> Vec<u8> {
    let device = formatted(options);
    let db = database(&device).unwrap();
    db.exec_batch("CREATE TABLE event(id INTEGER PRIMARY KEY, body TEXT)").unwrap();
    let fill = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) INSERT INTO event SELECT i, hex(zeroblob(400)) FROM n";
    db.execute(fill, &[]).unwrap();
    drop(db);
    // A mount brings everything into place.
    BlockVfs::mount(device.clone()).unwrap();
    content(&device)
}

/// The blocks of the data that hold something.
fn used(disk: &[u8]) -> Vec<usize> {
    let is_used = |block: &usize| disk[block * BLOCK_BYTES..][..BLOCK_BYTES].iter().any(|byte| *byte != 0);
    (LOG.end..BLOCKS).filter(is_used).collect()
}

#[test]
fn a_page_that_rots_is_an_error_and_no_answer() {
    let whole = in_place(&FormatOptions::default());
    let pages = used(&whole);
    assert!(pages.len() > 150, "{}", pages.len());
    assert_eq!(events(&database(&copy(&whole)).unwrap()), Ok(900));
    let mut answered = 0;
    for (number, block) in pages.iter().enumerate() {
        let mut rotten = whole.clone();
        // Anywhere: in a cell, in the head, in what no row uses, in the checksum.
        rotten[block * BLOCK_BYTES + (number * 611) % BLOCK_BYTES] ^= 1 << (number % 8);
        match opened(BlockVfs::mount(copy(&rotten)).unwrap()).and_then(|db| events(&db)) {
            // The journal's pages are not read: nothing is to be rolled back.
            Ok(900) => answered += 1,
            Ok(other) => panic!("{other} events"),
            Err(error) => assert!(error.message.contains("damaged"), "{error}"),
        }
    }
    assert!(answered < 10, "{answered} of {}", pages.len());
}

#[test]
fn a_first_transaction_larger_than_the_cache_is_written() {
    let device = formatted(&FormatOptions::default());
    let db = database(&device).unwrap();
    db.exec_batch(
        "BEGIN; CREATE TABLE event(id INTEGER PRIMARY KEY, body TEXT);
         WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
         INSERT INTO event SELECT i, hex(zeroblob(400)) FROM n; COMMIT",
    )
    .unwrap();
    drop(db);
    assert_eq!(events(&database(&copy(&content(&device))).unwrap()), Ok(900));
}

#[test]
fn a_page_that_is_lost_or_in_another_ones_place_is_an_error() {
    let whole = in_place(&FormatOptions::default());
    let pages = used(&whole);
    let (one, other) = (pages[80] * BLOCK_BYTES, pages[81] * BLOCK_BYTES);
    let mut lost = whole.clone();
    lost[one..one + BLOCK_BYTES].fill(0);
    let mut moved = whole.clone();
    moved.copy_within(other..other + BLOCK_BYTES, one);
    for rotten in [lost, moved] {
        let error = events(&database(&copy(&rotten)).unwrap()).unwrap_err();
        assert!(error.message.contains("damaged"), "{error}");
    }
}

#[test]
fn a_disk_of_the_first_format_is_used_as_it_is() {
    let whole = in_place(&FormatOptions { checked: false, ..FormatOptions::default() });
    assert_eq!((whole[8], whole[21 * BLOCK_BYTES + 8]), (1, 1), "the version");
    let device = copy(&whole);
    let db = database(&device).unwrap();
    db.execute("DELETE FROM event WHERE id > 10", &[]).unwrap();
    assert_eq!(events(&db), Ok(10));
    assert_eq!(content(&device)[8], 1);
    assert_eq!(in_place(&FormatOptions::default())[8], 2);
}

#[test]
fn what_leaves_no_room_for_a_checksum_is_refused() {
    let vfs = BlockVfs::mount(formatted(&FormatOptions::default())).unwrap();
    let mut file = vfs.open(Some("a.db"), true).unwrap();
    assert_eq!(file.write_at(&[7; BLOCK_BYTES], 0), Err(VfsError::Io));
}
