//! A mutex for programs with one thread: nobody can be waited for.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, Ordering};

/// Guards `T`. It holds up also where there are threads after all: a second guard is never given out.
pub(crate) struct Mutex<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: `lock` gives out one guard at a time.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// The right to use the value. Not reentrant.
    ///
    /// # Panics
    /// When a guard is out: with one thread, waiting for it would never end.
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        assert!(!self.held.swap(true, Ordering::Acquire), "the mutex is held");
        Guard(self)
    }
}

/// The right to use the value.
pub(crate) struct Guard<'m, T>(&'m Mutex<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the only guard.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only guard, and this borrow of it is exclusive.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.held.store(false, Ordering::Release);
    }
}
