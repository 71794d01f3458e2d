//! Canaries: a C function with an array of eight bytes or more on the stack keeps a word behind it, and looks
//! at it before it returns. An overflow that reaches the return address has changed the word.

use core::sync::atomic::{AtomicUsize, Ordering};

/// The word; until one is drawn it is any that is not zero.
#[unsafe(no_mangle)]
static __stack_chk_guard: AtomicUsize = AtomicUsize::new(0x9e37_79b9_7f4a_7c00);

/// Sets the word to one that nobody can predict. No C function may be under way. The lowest byte, which lies
/// first in memory, is zero: a string that overflows cannot write it.
pub fn set_canary(drawn: usize) {
    __stack_chk_guard.store(drawn & !0xff, Ordering::Relaxed);
}

/// Called by a function that finds its word changed: it must not return.
#[unsafe(no_mangle)]
extern "C" fn __stack_chk_fail() -> ! {
    panic!("a C function has written beyond its part of the stack");
}
