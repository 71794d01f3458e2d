//! Tasks, as words of a command line.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use loadstone_store::{Dialect, Journal, Options, Synchronous};

use crate::{Allocations, Failure, Line, Machine, Records};

/// Before each word on the command line of a kernel, which has words for others, too.
const PREFIX: &str = "stress.";
/// The place that is an image's disk.
const DISK: &str = "disk";
/// Before a block device's path.
const BLOCK: &str = "block:";
/// SQLite takes no longer value than 1,000,000,000 bytes; the paper's records have at most 64 KiB.
const LARGEST_RECORD: usize = 64 * 1024 * 1024;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Records, each in a transaction of its own.
    Sql(Records),
    /// Records, all in one transaction.
    Bulk(Records),
    /// Strings from the allocator.
    Alloc(Allocations),
}

/// A database and how it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// A file, a URL, or a word that the machine understands, such as `memory`.
    pub place: String,
    /// How a transaction is made atomic.
    pub journal: Journal,
    /// When the medium is waited for.
    pub synchronous: Synchronous,
    /// SQLite's page cache.
    pub cache_kib: u32,
    /// How a block device is made empty before; none: it is used as it is.
    pub format: Option<Format>,
}

/// What makes a transaction atomic on a block device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The device's log.
    Log,
    /// SQLite's rollback journal.
    Journal,
}

impl Task {
    /// Reads `sql record=1024 iterations=5000` and the like.
    ///
    /// # Errors
    /// [`Failure::BadInput`] for a word that is not known, given twice, or no value of its key.
    pub fn from_arguments<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, Failure> {
        let mut words = words.into_iter();
        let Some(name) = words.next() else { return Err(bad("name a task: sql, bulk or alloc")) };
        let pairs: Result<Vec<_>, _> = words.map(pair).collect();
        Words(pairs?).task(name)
    }

    /// Reads `stress.task=sql stress.record=1024` and the like among words for others.
    ///
    /// # Errors
    /// As [`Self::from_arguments`].
    pub fn from_kernel_command_line(line: &str) -> Result<Self, Failure> {
        let ours = line.split_ascii_whitespace().filter_map(|word| word.strip_prefix(PREFIX));
        let mut words = Words(ours.map(pair).collect::<Result<Vec<_>, _>>()?);
        match words.take("task")? {
            Some(name) => words.task(name),
            None => Err(bad("the kernel's command line names no task: stress.task=sql, bulk or alloc")),
        }
    }

    /// Does it; the last line is `{"name":"done", ...}`.
    ///
    /// # Errors
    /// When the database fails or a value is wrong; its line is left to the caller ([`Failure::line`]).
    pub fn run(&self, machine: &mut Machine<'_>) -> Result<(), Failure> {
        let lines = match self {
            Self::Sql(records) => records.one_by_one(machine)?,
            Self::Bulk(records) => records.in_bulk(machine)?,
            Self::Alloc(allocations) => allocations.run(machine)?,
        };
        (machine.line)(&Line::new("done").number("lines", lines).end());
        Ok(())
    }
}

impl Database {
    /// The same for the store. Which VFS there is only the machine knows.
    pub fn options(&self) -> Options {
        Options {
            journal: self.journal,
            synchronous: self.synchronous,
            cache_kib: self.cache_kib,
            ..Options::default()
        }
    }

    /// The path of the block device that the place names, if it names one.
    pub fn device(&self) -> Option<&str> {
        self.place.strip_prefix(BLOCK)
    }

    /// Whether the place is the machine's own disk.
    pub fn is_disk(&self) -> bool {
        self.place == DISK
    }

    pub(crate) fn describe(&self, line: Line) -> Line {
        let place = loadstone_store::without_password(&self.place);
        let line = line.text("db", &place);
        match Dialect::of(&self.place) {
            Dialect::Sqlite => {
                let line = line.text("journal", word_of(&JOURNALS, self.journal));
                let line = line.text("synchronous", word_of(&SYNCHRONOUS, self.synchronous));
                match self.format {
                    Some(format) => line.text("format", word_of(&FORMATS, format)),
                    None => line,
                }
            }
            _ => line,
        }
    }
}

const JOURNALS: [(&str, Journal); 5] = [
    ("wal", Journal::Wal),
    ("delete", Journal::Delete),
    ("persist", Journal::Persist),
    ("memory", Journal::Memory),
    ("off", Journal::Off),
];
const SYNCHRONOUS: [(&str, Synchronous); 3] =
    [("full", Synchronous::Full), ("normal", Synchronous::Normal), ("off", Synchronous::Off)];
const FORMATS: [(&str, Format); 2] = [("log", Format::Log), ("journal", Format::Journal)];

/// Words that are not used yet.
struct Words<'w>(Vec<(&'w str, &'w str)>);

impl<'w> Words<'w> {
    fn task(mut self, name: &str) -> Result<Task, Failure> {
        let task = match name {
            "sql" => Task::Sql(self.records(5000, 1024)?),
            "bulk" => Task::Bulk(self.records(60_000, 64)?),
            "alloc" => Task::Alloc(self.allocations()?),
            _ => return Err(bad(format!("`{name}` is no task: sql, bulk or alloc"))),
        };
        match self.0.first() {
            None => Ok(task),
            Some((key, _)) => Err(bad(format!("{name} has no `{key}`"))),
        }
    }

    fn records(&mut self, count: u64, bytes: u64) -> Result<Records, Failure> {
        let place = self.take("db")?.unwrap_or("memory");
        let is_device = place == DISK || place.starts_with(BLOCK);
        let (journal, synchronous) = match place {
            // What is in memory is lost in any case: by default nothing is done to keep it.
            "memory" => ("memory", "off"),
            _ if is_device => ("persist", "full"),
            _ => ("wal", "full"),
        };
        let format = match self.take("format")? {
            None => None,
            Some(_) if !is_device => return Err(bad("format is for block devices")),
            Some(value) => Some(choose("format", value, &FORMATS)?),
        };
        let database = Database {
            place: place.into(),
            journal: self.choice("journal", journal, &JOURNALS)?,
            synchronous: self.choice("synchronous", synchronous, &SYNCHRONOUS)?,
            cache_kib: self.number("cache_kib", 8192, 1, 1 << 24)? as u32,
            format,
        };
        Ok(Records {
            database,
            bytes: self.number("record", bytes, 0, LARGEST_RECORD as u64)? as usize,
            count: self.number("iterations", count, 1, u32::MAX.into())? as u32,
            seed: self.number("seed", 1, 0, u64::MAX)?,
        })
    }

    fn allocations(&mut self) -> Result<Allocations, Failure> {
        let sizes = match self.take("size")? {
            None => vec![(16, 256), (1024, 1024), (4096, 4096), (65_536, 65_536)],
            Some(range) => {
                let (low, high) = range.split_once('-').unwrap_or((range, range));
                match (low.parse(), high.parse()) {
                    (Ok(low), Ok(high)) if 0 < low && low <= high && high <= LARGEST_RECORD => {
                        vec![(low, high)]
                    }
                    _ => {
                        return Err(bad(format!(
                            "size={range}: expected LOW-HIGH, bytes from 1 to {LARGEST_RECORD}"
                        )));
                    }
                }
            }
        };
        Ok(Allocations {
            sizes,
            iterations: self.number("iterations", 1_000_000, 1, u64::MAX)?,
            live: self.number("live", 1, 1, 1 << 20)? as usize,
            seed: self.number("seed", 1, 0, u64::MAX)?,
        })
    }

    fn take(&mut self, key: &str) -> Result<Option<&'w str>, Failure> {
        let Some(place) = self.0.iter().position(|(name, _)| *name == key) else { return Ok(None) };
        let (_, value) = self.0.remove(place);
        if self.0.iter().any(|(name, _)| *name == key) {
            return Err(bad(format!("`{key}` is given twice")));
        }
        Ok(Some(value))
    }

    fn number(&mut self, key: &str, default: u64, low: u64, high: u64) -> Result<u64, Failure> {
        let Some(value) = self.take(key)? else { return Ok(default) };
        match value.parse() {
            Ok(number) if (low..=high).contains(&number) => Ok(number),
            _ => Err(bad(format!("{key}={value}: expected a number from {low} to {high}"))),
        }
    }

    fn choice<T: Copy>(&mut self, key: &str, default: &str, choices: &[(&str, T)]) -> Result<T, Failure> {
        choose(key, self.take(key)?.unwrap_or(default), choices)
    }
}

fn choose<T: Copy>(key: &str, value: &str, choices: &[(&str, T)]) -> Result<T, Failure> {
    let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let choice = choices.iter().find(|(name, _)| *name == value);
    choice
        .map(|(_, choice)| *choice)
        .ok_or_else(|| bad(format!("{key}={value}: expected one of {}", names())))
}

fn pair(word: &str) -> Result<(&str, &str), Failure> {
    word.split_once('=').ok_or_else(|| bad(format!("`{word}` is no key=value")))
}

fn word_of<T: PartialEq>(words: &[(&'static str, T)], wanted: T) -> &'static str {
    words.iter().find(|(_, choice)| *choice == wanted).map_or("", |(word, _)| word)
}

fn bad(message: impl Into<String>) -> Failure {
    Failure::BadInput(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> String {
        match Task::from_arguments(words.split_whitespace()).unwrap_err() {
            Failure::BadInput(message) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_command_lines_say_the_same() {
        let words = ["sql", "db=/data/x.db", "journal=persist", "record=1", "iterations=7", "seed=3"];
        let line = "console=ttyS0 stress.task=sql stress.db=/data/x.db quiet stress.journal=persist stress.record=1 \
                    stress.seed=3 stress.iterations=7 virtio_mmio.device=512@0xfeb00e00:12";
        let task = Task::from_arguments(words).unwrap();
        assert_eq!(Task::from_kernel_command_line(line), Ok(task.clone()));
        let Task::Sql(Records { database, bytes: 1, count: 7, seed: 3 }) = task else { panic!("{task:?}") };
        assert_eq!((database.journal, database.synchronous), (Journal::Persist, Synchronous::Full));
    }

    #[test]
    fn bad_words_are_told() {
        assert_eq!(refused(""), "name a task: sql, bulk or alloc");
        assert_eq!(refused("sqll"), "`sqll` is no task: sql, bulk or alloc");
        assert_eq!(refused("sql records=3"), "sql has no `records`");
        assert_eq!(refused("sql record"), "`record` is no key=value");
        assert_eq!(refused("sql seed=1 seed=2"), "`seed` is given twice");
        assert_eq!(refused("bulk iterations=0"), "iterations=0: expected a number from 1 to 4294967295");
        assert_eq!(
            refused("sql journal=log"),
            "journal=log: expected one of wal, delete, persist, memory, off"
        );
        assert_eq!(refused("sql db=x.db format=log"), "format is for block devices");
        assert_eq!(refused("sql db=disk format=wal"), "format=wal: expected one of log, journal");
        assert_eq!(refused("alloc size=9-3"), "size=9-3: expected LOW-HIGH, bytes from 1 to 67108864");
        let none = Task::from_kernel_command_line("console=ttyS0 stress.record=3");
        assert!(matches!(none, Err(Failure::BadInput(message)) if message.contains("names no task")));
    }
}
