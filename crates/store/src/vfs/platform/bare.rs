//! What a VFS takes from the platform when there is none: what the program provides.

use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use core::time::Duration;

/// Fills a slice with unpredictable bytes.
type Entropy = fn(&mut [u8]);

static ENTROPY: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Says where unpredictable bytes come from; before the first database is opened.
pub fn provide_entropy(entropy: Entropy) {
    ENTROPY.store(entropy as *mut (), Ordering::Release);
}

/// There is one thread, so nobody gives up a lock meanwhile: SQLite's patience ends at once.
pub(super) fn sleep(_: Duration) {}

/// # Panics
/// When nothing was provided: predictable salts would let a journal's old content pass for new.
pub(super) fn randomness(bytes: &mut [u8]) {
    let entropy = ENTROPY.load(Ordering::Acquire);
    assert!(!entropy.is_null(), "no entropy was provided");
    // SAFETY: only `provide_entropy` stores here, and it stores an `Entropy`.
    unsafe { mem::transmute::<*mut (), Entropy>(entropy)(bytes) }
}
