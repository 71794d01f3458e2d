//! How long SQLite takes on a place for files: run by `bench/block_store.py`, one process a measurement.
//!
//! `commits PLACE JOURNAL SYNCHRONOUS BYTES ROWS`: PLACE is a file, or `block:IMAGE` or `direct:IMAGE` for a
//! device in a file, through the page cache or past it; it is formatted, for the atomic log unless the
//! journal mode is `persist`. Prints seconds, CPU seconds and bytes written for each phase as JSON.

use std::error::Error;
use std::time::Instant;

use loadstone_store::vfs::block::{BlockVfs, FileDevice, FormatOptions};
use loadstone_store::{Db, Journal, Options, Synchronous};

/// Rows of the bulk insert and the scan for each row written alone.
const BULK: i64 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, journal, synchronous, bytes, rows] = &arguments[..] else {
        return Err("commits PLACE wal|delete|persist off|normal|full BYTES ROWS".into());
    };
    let mut options = Options {
        journal: match &journal[..] {
            "wal" => Journal::Wal,
            "delete" => Journal::Delete,
            "persist" => Journal::Persist,
            other => return Err(format!("no journal mode {other}").into()),
        },
        synchronous: match &synchronous[..] {
            "off" => Synchronous::Off,
            "normal" => Synchronous::Normal,
            "full" => Synchronous::Full,
            other => return Err(format!("no synchronous level {other}").into()),
        },
        ..Options::default()
    };
    let mut file = place.clone();
    if let Some((kind @ ("block" | "direct" | "unchecked"), image)) = place.split_once(':') {
        let mut device = FileDevice::open(image, kind == "direct")?;
        let atomic = journal != "persist";
        let checked = kind != "unchecked";
        BlockVfs::format(&mut device, &FormatOptions { atomic, checked, ..FormatOptions::default() })?;
        loadstone_store::vfs::register("device", BlockVfs::mount(device)?)?;
        options.vfs = Some("device".into());
        file = "bench.db".into();
    }
    let db = Db::open(&file, &options)?;
    db.exec_batch("CREATE TABLE record(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")?;
    phases(&db, bytes.parse()?, rows.parse()?)
}

fn phases(db: &Db, bytes: usize, rows: i64) -> Result<(), Box<dyn Error>> {
    let insert = "INSERT INTO record(id, body) VALUES (?, ?)";
    // Any order but the rows' own.
    let shuffled = |row: i64| row * 7919 % rows;
    phase("insert", rows, || {
        (0..rows)
            .try_for_each(|row| db.execute(insert, &[row.into(), (&body(row, bytes)[..]).into()]).map(drop))
    })?;
    phase("update", rows, || {
        (0..rows).try_for_each(|row| {
            let body = body(row + 1, bytes);
            let update = "UPDATE record SET body = ? WHERE id = ?";
            db.execute(update, &[(&body[..]).into(), shuffled(row).into()]).map(drop)
        })
    })?;
    for row in 0..rows {
        // Every value must be the one written last.
        let found =
            db.query_row("SELECT body FROM record WHERE id = ?", &[shuffled(row).into()], |found| {
                Ok(found.blob(0)? == body(row + 1, bytes))
            })?;
        if found != Some(true) {
            return Err(format!("row {} is wrong", shuffled(row)).into());
        }
    }
    phase("delete", rows, || {
        (0..rows).try_for_each(|row| {
            db.execute("DELETE FROM record WHERE id = ?", &[shuffled(row).into()]).map(drop)
        })
    })?;
    phase("bulk", rows * BULK, || {
        db.transaction(|db| {
            (0..rows * BULK).try_for_each(|row| {
                db.execute(insert, &[row.into(), (&body(row, bytes)[..]).into()]).map(drop)
            })
        })
    })?;
    phase("scan", rows * BULK, || {
        let sum = "SELECT sum(length(body)) FROM record WHERE body IS NOT NULL";
        db.query_row(sum, &[], |row| row.int(0)).map(drop)
    })
}

fn body(row: i64, bytes: usize) -> Vec<u8> {
    vec![row as u8; bytes]
}

fn phase(
    name: &str,
    operations: i64,
    work: impl FnOnce() -> loadstone_store::Result<()>,
) -> Result<(), Box<dyn Error>> {
    let (cpu, written, start) = (cpu_s()?, written()?, Instant::now());
    work()?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"phase\": \"{name}\", \"operations\": {operations}, \"seconds\": {seconds}, \"cpu_s\": {}, \"written\": {}}}",
        cpu_s()? - cpu,
        self::written()? - written
    );
    Ok(())
}

/// CPU seconds of the process's only thread.
fn cpu_s() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    Ok(text.split_whitespace().next().ok_or("no schedstat")?.parse::<f64>()? / 1e9)
}

/// Bytes handed to the kernel to write.
fn written() -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/io")?;
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: ")).ok_or("no wchar")?;
    Ok(line.parse()?)
}
