//! SQLite for machines without an operating system.
//!
//! A program that depends on this package links the same SQLite as a process does, from the same
//! amalgamation, but compiled without a C library (`build.rs`, `options.txt`): [`heap`] gives it Rust's
//! global allocator, [`text`] the few functions on strings that it calls. Files, clock and randomness come
//! from the VFS that the program registers before it opens a database; the first one registered is also the
//! one that SQLite asks for randomness.
//!
//! Compiled for one thread: no mutex, so that `loadstone-store` needs its feature `bare`.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

use core::ffi::c_int;

mod canary;
mod heap;
mod text;

pub use canary::set_canary;
pub use libsqlite3_sys as ffi;

/// SQLite calls it once, before everything else; there is no operating system to get ready.
#[unsafe(no_mangle)]
extern "C" fn sqlite3_os_init() -> c_int {
    ffi::SQLITE_OK
}

/// The counterpart of [`sqlite3_os_init`].
#[unsafe(no_mangle)]
extern "C" fn sqlite3_os_end() -> c_int {
    ffi::SQLITE_OK
}

#[cfg(test)]
mod tests {
    use core::ffi::CStr;

    #[test]
    fn the_library_is_the_one_that_the_bindings_describe() {
        // SAFETY: may be called at any time; the answer is a constant.
        let version = unsafe { CStr::from_ptr(super::ffi::sqlite3_libversion()) };
        assert_eq!(version, super::ffi::SQLITE_VERSION);
        // SAFETY: may be called at any time.
        assert_eq!(unsafe { super::ffi::sqlite3_threadsafe() }, 0);
    }
}
