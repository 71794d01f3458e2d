//! A mutex without an operating system of its own: SQLite's, which is the platform's.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

use libsqlite3_sys as ffi;

/// Guards `T` with one of SQLite's mutexes, so that a VFS needs no second notion of a thread.
pub(crate) struct Mutex<T> {
    raw: *mut ffi::sqlite3_mutex,
    value: UnsafeCell<T>,
}

// SAFETY: `new` insists on a library with mutexes; `lock` gives out one guard at a time.
unsafe impl<T: Send> Sync for Mutex<T> {}
// SAFETY: the mutex itself may be used from any thread.
unsafe impl<T: Send> Send for Mutex<T> {}

impl<T> Mutex<T> {
    /// # Panics
    /// When SQLite was built without threads or has no memory left for a mutex.
    pub(crate) fn new(value: T) -> Self {
        // SAFETY: both may be called at any time; allocation initialises the library first.
        let (threads, raw) =
            unsafe { (ffi::sqlite3_threadsafe(), ffi::sqlite3_mutex_alloc(ffi::SQLITE_MUTEX_FAST)) };
        assert!(threads != 0 && !raw.is_null(), "SQLite gave no mutex");
        Self { raw, value: UnsafeCell::new(value) }
    }

    /// Waits for the mutex. Not reentrant.
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        // SAFETY: `raw` is a valid mutex.
        unsafe { ffi::sqlite3_mutex_enter(self.raw) };
        Guard(self)
    }
}

impl<T> Drop for Mutex<T> {
    fn drop(&mut self) {
        // SAFETY: no guard is left, so nobody holds the mutex.
        unsafe { ffi::sqlite3_mutex_free(self.raw) };
    }
}

/// The right to use the value.
pub(crate) struct Guard<'m, T>(&'m Mutex<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the mutex is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the mutex is held, and this borrow of the guard is exclusive.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this guard's thread entered the mutex.
        unsafe { ffi::sqlite3_mutex_leave(self.0.raw) };
    }
}
