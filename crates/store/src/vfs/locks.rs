//! SQLite's lock levels as a table, for file systems that have no locks of their own.

use super::Lock;

/// The locks that all handles of one file hold. The implementation guards it with its own mutex.
///
/// ```
/// use loadstone_store::vfs::{Lock, LockTable};
///
/// let mut table = LockTable::default();
/// let (mut reader, mut writer) = (Lock::None, Lock::None);
/// assert!(table.raise(&mut reader, Lock::Shared));
/// assert!(table.raise(&mut writer, Lock::Shared) && table.raise(&mut writer, Lock::Reserved));
/// assert!(!table.raise(&mut writer, Lock::Exclusive)); // a reader is in; the writer now waits
/// table.lower(&mut reader, Lock::None);
/// assert!(!table.raise(&mut reader, Lock::Shared)); // and new readers stay out
/// assert!(table.raise(&mut writer, Lock::Exclusive));
/// ```
#[derive(Debug)]
pub struct LockTable {
    /// Handles at `Shared` or above.
    holders: usize,
    /// Level of the one handle above `Shared`; `None` without one.
    writer: Lock,
}

impl Default for LockTable {
    fn default() -> Self {
        Self { holders: 0, writer: Lock::None }
    }
}

impl LockTable {
    /// Raises a handle that holds `held` to `level`; false when others stand in the way. A handle refused
    /// `Exclusive` because of readers keeps `Pending`, which stops new readers until it gets its turn.
    pub fn raise(&mut self, held: &mut Lock, level: Lock) -> bool {
        if level <= *held {
            return true;
        }
        if *held == Lock::None {
            if self.writer >= Lock::Pending {
                return false;
            }
            self.holders += 1;
            *held = Lock::Shared;
        }
        if level == Lock::Shared {
            return true;
        }
        if *held == Lock::Shared && self.writer != Lock::None {
            return false;
        }
        let others = self.holders > 1;
        *held = if level == Lock::Exclusive && others { Lock::Pending } else { level };
        self.writer = *held;
        *held == level
    }

    /// Lowers a handle that holds `held` to `level`, which is `Shared` or `None`.
    pub fn lower(&mut self, held: &mut Lock, level: Lock) {
        if level >= *held {
            return;
        }
        if *held > Lock::Shared {
            self.writer = Lock::None;
        }
        if level == Lock::None {
            self.holders -= 1;
        }
        *held = level;
    }

    /// Whether a handle holds `Reserved` or more.
    pub fn is_reserved(&self) -> bool {
        self.writer >= Lock::Reserved
    }
}
