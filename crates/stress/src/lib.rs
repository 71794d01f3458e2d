//! Stress of typed storage and of the allocator, one program for a process and for an appliance.
//!
//! After the measurements of Mirage's paper (section 4): records of a given size are inserted, updated and
//! deleted, and every value is compared after each step; strings of varied sizes are allocated. The library
//! is `no_std`: it is given a clock, a place for its lines and a way to open a database, and reads its task
//! from words that a command line and a kernel's command line can hold alike.
//!
//! ```
//! use loadstone_stress::{Machine, Task, memory};
//!
//! let task = Task::from_arguments(["sql", "record=100", "iterations=10"])?;
//! let mut lines = Vec::new();
//! let mut time = 0;
//! let mut machine = Machine {
//!     now_ns: &mut || { time += 1; time },
//!     line: &mut |line| lines.push(line.to_owned()),
//!     open: &mut memory,
//! };
//! task.run(&mut machine)?;
//! assert!(lines[0].starts_with(r#"{"name":"sql-insert","db":"memory","#));
//! assert_eq!(lines.last().unwrap(), r#"{"name":"done","lines":3}"#);
//! # Ok::<(), loadstone_stress::Failure>(())
//! ```
#![no_std]

extern crate alloc;

mod allocations;
mod line;
mod records;
mod task;

use alloc::format;
use alloc::string::String;

use loadstone_store::vfs::block::{BlockDevice, BlockVfs, FormatOptions};
use loadstone_store::vfs::{MemoryVfs, Vfs, register};
use loadstone_store::{Db, Error};

pub use allocations::Allocations;
pub use line::Line;
pub use records::Records;
pub use task::{Database, Format, Task};

/// What the program needs of where it runs.
pub struct Machine<'m> {
    /// Nanoseconds since some instant.
    pub now_ns: &'m mut dyn FnMut() -> u64,
    /// Takes a line, without its end.
    pub line: &'m mut dyn FnMut(&str),
    /// Opens an empty database.
    pub open: &'m mut dyn FnMut(&Database) -> Result<Db, Error>,
}

/// Why a task came to no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The words make no task; what is wrong with them.
    BadInput(String),
    /// The database could not be opened or failed.
    Database(String),
    /// Something came back otherwise than it was written.
    WrongValue(String),
}

impl Failure {
    /// The line that stands for the missing results.
    pub fn line(&self) -> String {
        let (kind, message) = match self {
            Self::BadInput(message) => ("bad-input", message),
            Self::Database(message) => ("database", message),
            Self::WrongValue(message) => ("wrong-value", message),
        };
        Line::new("error").text("kind", kind).text("message", message).end()
    }

    /// The exit code of a process: 2 bad input, 3 the database, 4 a wrong value.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::BadInput(_) => 2,
            Self::Database(_) => 3,
            Self::WrongValue(_) => 4,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Database(format!("{error}"))
    }
}

/// Opens a database on a block device, which is made empty before if that is asked for.
///
/// # Errors
/// When the device is too small, failed, or was never formatted; or when it is the second database of a
/// program.
pub fn on_device(mut device: impl BlockDevice + 'static, database: &Database) -> Result<Db, Error> {
    let mounted = match database.format {
        None => Ok(()),
        Some(format) => {
            let options = FormatOptions { atomic: format == Format::Log, ..FormatOptions::default() };
            BlockVfs::format(&mut device, &options)
        }
    };
    let vfs =
        mounted.and_then(|()| BlockVfs::mount(device)).map_err(|error| Error::other(format!("{error}")))?;
    open_on(vfs, database)
}

/// Opens the place `memory` on a [`MemoryVfs`], and nothing else.
///
/// # Errors
/// When another place is asked for, or the second database of a program.
pub fn memory(database: &Database) -> Result<Db, Error> {
    if database.place != "memory" {
        return Err(Error::other(format!("`{}` is no place here: only `memory` is", database.place)));
    }
    open_on(MemoryVfs::new(), database)
}

fn open_on(vfs: impl Vfs, database: &Database) -> Result<Db, Error> {
    register("stress", vfs)?;
    let mut options = database.options();
    options.vfs = Some("stress".into());
    Db::open("stress.db", &options)
}
