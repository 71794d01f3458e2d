//! State of a machine with one processor.

use core::cell::UnsafeCell;

/// A static that one processor uses without a lock. Interrupt handlers touch none of these: they only set
/// flags.
#[derive(Debug)]
pub struct OneCpu<T>(UnsafeCell<T>);

// SAFETY: programs of this crate start no second processor, and no interrupt handler comes in between.
unsafe impl<T> Sync for OneCpu<T> {}

impl<T> OneCpu<T> {
    /// Holds `value`.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value.
    ///
    /// # Safety
    /// There is no other reference to it while this one is used: `T` is not entered again from what it calls.
    #[expect(clippy::mut_from_ref, reason = "the caller promises what a lock would ensure")]
    pub unsafe fn get(&self) -> &mut T {
        // SAFETY: as the caller promises.
        unsafe { &mut *self.0.get() }
    }
}
