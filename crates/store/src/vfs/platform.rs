//! What a VFS takes from the platform that SQLite was built for.

use core::time::Duration;

use libsqlite3_sys as ffi;

pub(super) fn sleep(time: Duration) {
    let millis = i32::try_from(time.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
    // SAFETY: may be called at any time.
    unsafe { ffi::sqlite3_sleep(millis) };
}

pub(super) fn randomness(bytes: &mut [u8]) {
    let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
    // SAFETY: `bytes` is writable for `length` bytes.
    unsafe { ffi::sqlite3_randomness(length, bytes.as_mut_ptr().cast()) };
}
