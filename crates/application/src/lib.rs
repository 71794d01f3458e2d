//! What a service of one's own is given by the process or the machine that it runs in, and, with the feature
//! `std`, the process itself.
//!
//! An application is a function [`Open`]. `loadstone image build` makes an image of it, [`serve`] a process,
//! [`exercise`] a test; the function cannot tell which.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "store")]
mod database;
#[cfg(feature = "std")]
pub mod exercise;
#[cfg(feature = "std")]
mod process;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;
use core::str::FromStr;

use loadstone_http::Service;

#[cfg(feature = "store")]
pub use database::Database;
#[cfg(feature = "std")]
pub use process::serve;

/// Opens an application on its surroundings.
///
/// # Errors
/// A sentence for the operator when it cannot start: it ends the process or the machine with the code of bad
/// input.
pub type Open = fn(&mut Surroundings<'_>) -> Result<Box<dyn Service>, String>;

/// Clock, entropy and log of the process or the machine. It may be kept.
#[derive(Debug, Clone, Copy)]
pub struct Host {
    /// Wall-clock time in seconds since 1970.
    pub now_s: fn() -> u64,
    /// Fills bytes with unpredictable ones, fit for keys and the names of sessions.
    pub entropy: fn(&mut [u8]),
    /// Tells the operator a sentence: on the console of a machine, on standard error of a process.
    pub report: fn(&str),
}

/// What an application is given when it is opened.
pub struct Surroundings<'a> {
    name: &'a str,
    words: Vec<Word>,
    host: Host,
    #[cfg(feature = "store")]
    database: Box<dyn FnMut() -> Result<Database, String> + 'a>,
    #[cfg(not(feature = "store"))]
    lifetime: core::marker::PhantomData<&'a ()>,
}

/// A word `NAME.key=value` of the command line.
struct Word {
    key: String,
    value: String,
    is_read: Cell<bool>,
}

impl<'a> Surroundings<'a> {
    /// For the application `name` with the words of its command line, keys as they are there. `database` finds
    /// its database, when it is asked for.
    pub fn new(
        name: &'a str,
        words: impl IntoIterator<Item = (String, String)>,
        host: Host,
        #[cfg(feature = "store")] database: impl FnMut() -> Result<Database, String> + 'a,
    ) -> Self {
        let words = words.into_iter().map(|(key, value)| Word { key, value, is_read: Cell::new(false) });
        Self {
            name,
            words: words.collect(),
            host,
            #[cfg(feature = "store")]
            database: Box::new(database),
            #[cfg(not(feature = "store"))]
            lifetime: core::marker::PhantomData,
        }
    }

    /// What the command line says about `key`: the value of the word `NAME.key=value`.
    pub fn word(&self, key: &str) -> Option<&str> {
        let own = |word: &&Word| {
            word.key.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('.')) == Some(key)
        };
        let found = self.words.iter().find(own)?;
        found.is_read.set(true);
        Some(&found.value)
    }

    /// The same as a number or another type that is read from text; `default` where nothing is said.
    ///
    /// # Errors
    /// A sentence when the value is not understood.
    pub fn parsed<T: FromStr>(&self, key: &str, default: T) -> Result<T, String> {
        let Some(text) = self.word(key) else { return Ok(default) };
        text.parse().map_err(|_| format!("{}.{key}={text} is not understood", self.name))
    }

    /// Clock, entropy and log.
    pub fn host(&self) -> Host {
        self.host
    }

    /// Finds the database: on the machine's disk, which is formatted if it is empty, or in a process's file.
    /// An application that does not ask needs no disk.
    ///
    /// # Errors
    /// A sentence when there is no disk or it cannot be used.
    #[cfg(feature = "store")]
    pub fn database(&mut self) -> Result<Database, String> {
        (self.database)()
    }

    /// Opens the application, and refuses words that it did not ask for: one that is misspelt would be
    /// silently without effect.
    ///
    /// # Errors
    /// A sentence when the application cannot start, or does not know a word.
    pub fn open(mut self, open: Open) -> Result<Box<dyn Service>, String> {
        let service = open(&mut self)?;
        match self.words.iter().find(|word| !word.is_read.get()) {
            Some(word) => Err(format!("{}={} is not understood by {}", word.key, word.value, self.name)),
            None => Ok(service),
        }
    }
}

impl fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("name", &self.name).finish_non_exhaustive()
    }
}
