//! The functions on NUL-terminated text that SQLite calls, as the C standard describes them.

use core::ffi::{CStr, c_char, c_int};
use core::ptr;

/// Compares by bytes: below, at or above zero.
///
/// # Safety
/// Both are NUL-terminated.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_strcmp(a: *const c_char, b: *const c_char) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { loadstone_strncmp(a, b, usize::MAX) }
}

/// As [`loadstone_strcmp`], but of `size` bytes at most.
///
/// # Safety
/// Both are NUL-terminated or have `size` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_strncmp(a: *const c_char, b: *const c_char, size: usize) -> c_int {
    for at in 0..size {
        // SAFETY: neither has ended before `at`.
        let (a, b) = unsafe { (*a.add(at) as u8, *b.add(at) as u8) };
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// The first place of `byte`, which may be the terminator; null without one.
///
/// # Safety
/// `text` is NUL-terminated.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_strchr(text: *const c_char, byte: c_int) -> *const c_char {
    // SAFETY: promised by the caller.
    unsafe { place(text, |bytes| bytes.iter().position(|found| *found == byte as u8)) }
}

/// The last place of `byte`, which may be the terminator; null without one.
///
/// # Safety
/// `text` is NUL-terminated.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_strrchr(text: *const c_char, byte: c_int) -> *const c_char {
    // SAFETY: promised by the caller.
    unsafe { place(text, |bytes| bytes.iter().rposition(|found| *found == byte as u8)) }
}

/// How many bytes `text` begins with that all occur in `accept`.
///
/// # Safety
/// Both are NUL-terminated.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_strspn(text: *const c_char, accept: *const c_char) -> usize {
    // SAFETY: promised by the caller.
    let (text, accept) = unsafe { (CStr::from_ptr(text).to_bytes(), CStr::from_ptr(accept).to_bytes()) };
    text.iter().take_while(|byte| accept.contains(byte)).count()
}

/// How many bytes `text` begins with that do not occur in `reject`.
///
/// # Safety
/// Both are NUL-terminated.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_strcspn(text: *const c_char, reject: *const c_char) -> usize {
    // SAFETY: promised by the caller.
    let (text, reject) = unsafe { (CStr::from_ptr(text).to_bytes(), CStr::from_ptr(reject).to_bytes()) };
    text.iter().take_while(|byte| !reject.contains(byte)).count()
}

/// # Safety
/// `text` is NUL-terminated.
unsafe fn place(text: *const c_char, find: impl FnOnce(&[u8]) -> Option<usize>) -> *const c_char {
    // SAFETY: promised by the caller; a place found is within the text.
    unsafe { find(CStr::from_ptr(text).to_bytes_with_nul()).map_or(ptr::null(), |at| text.add(at)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(a: &CStr, b: &CStr) -> c_int {
        // SAFETY: both are NUL-terminated.
        unsafe { loadstone_strcmp(a.as_ptr(), b.as_ptr()) }.signum()
    }

    #[test]
    fn text_is_compared_by_unsigned_bytes() {
        assert_eq!([order(c"", c""), order(c"a", c""), order(c"", c"a")], [0, 1, -1]);
        assert_eq!([order(c"ab", c"abc"), order(c"\xff", c"a"), order(c"abd", c"abc")], [-1, 1, 1]);
        // SAFETY: both are NUL-terminated.
        let part = |size| unsafe { loadstone_strncmp(c"abX".as_ptr(), c"abY".as_ptr(), size) };
        assert_eq!([part(0), part(2), part(3)], [0, 0, -1]);
    }

    #[test]
    fn bytes_are_found_from_either_end() {
        let text = c"a.b.c";
        let at = |found: *const c_char| (!found.is_null()).then(|| found as usize - text.as_ptr() as usize);
        // SAFETY: the text is NUL-terminated.
        unsafe {
            assert_eq!(at(loadstone_strchr(text.as_ptr(), c_int::from(b'.'))), Some(1));
            assert_eq!(at(loadstone_strrchr(text.as_ptr(), c_int::from(b'.'))), Some(3));
            assert_eq!(at(loadstone_strchr(text.as_ptr(), 0)), Some(5));
            assert_eq!(at(loadstone_strrchr(text.as_ptr(), c_int::from(b'x'))), None);
            assert_eq!(loadstone_strspn(c"  \tx".as_ptr(), c" \t".as_ptr()), 3);
            assert_eq!(loadstone_strcspn(c"name=1".as_ptr(), c"&=".as_ptr()), 4);
            assert_eq!(loadstone_strcspn(c"name".as_ptr(), c"&=".as_ptr()), 4);
        }
    }
}
