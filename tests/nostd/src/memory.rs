//! The functions that the compiler itself calls. String instructions: written as loops, the compiler would
//! turn them into calls of themselves.

use core::arch::asm;

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    // SAFETY: the caller promises two places of that size that do not overlap.
    unsafe {
        asm!("rep movsb", inout("rdi") to => _, inout("rsi") from => _, inout("rcx") size => _, options(nostack))
    };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= size {
        // SAFETY: what is written first was read before, or lies elsewhere.
        return unsafe { memcpy(to, from, size) };
    }
    // SAFETY: the caller promises two places of that size; backwards, what is written first was read before.
    // There is a last byte: nothing lies within no bytes.
    unsafe {
        let (last, from) = (to.add(size - 1), from.add(size - 1));
        asm!("std", "rep movsb", "cld", inout("rdi") last => _, inout("rsi") from => _, inout("rcx") size => _, options(nostack));
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, size: usize) -> *mut u8 {
    // SAFETY: the caller promises a place of that size.
    unsafe {
        asm!("rep stosb", inout("rdi") to => _, in("al") byte as u8, inout("rcx") size => _, options(nostack))
    };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, size: usize) -> i32 {
    for at in 0..size {
        // SAFETY: the caller promises two places of that size.
        let (a, b) = unsafe { (a.add(at).read_volatile(), b.add(at).read_volatile()) };
        if a != b {
            return i32::from(a) - i32::from(b);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, size: usize) -> i32 {
    // SAFETY: as promised for this one.
    unsafe { memcmp(a, b, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: the caller promises a NUL at the end.
    while unsafe { text.add(length).read_volatile() } != 0 {
        length += 1;
    }
    length
}

/// Named by the precompiled `alloc`, which was built for programs that unwind; never called in one that
/// aborts.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// As [`rust_eh_personality`].
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    unreachable!("nothing unwinds")
}
