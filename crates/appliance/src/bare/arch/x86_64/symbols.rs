//! What compiled code calls without having been told to: memory functions, and what unwinding would need.

use core::arch::asm;

use crate::bare::{End, power};

/// From here on the processor's own loops are faster than ours.
const STRING: usize = 64;

/// Copies `count` bytes.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: as the caller promises.
    unsafe {
        if count < 16 {
            short_copy(to, from, count);
        } else if count <= 32 {
            // Two halves that overlap in the middle.
            let (first, last) = (load16(from), load16(from.add(count - 16)));
            store16(to, first);
            store16(to.add(count - 16), last);
        } else {
            long_copy(to, from, count);
        }
    }
    to
}

type Wide = core::arch::x86_64::__m128i;

unsafe fn load16(from: *const u8) -> Wide {
    // SAFETY: as the caller promises.
    unsafe { core::arch::x86_64::_mm_loadu_si128(from.cast()) }
}

unsafe fn store16(to: *mut u8, value: Wide) {
    // SAFETY: as the caller promises.
    unsafe { core::arch::x86_64::_mm_storeu_si128(to.cast(), value) }
}

#[inline]
unsafe fn short_copy(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: as the caller promises. All is read before anything is written, so that ranges may overlap.
    unsafe {
        if count >= 8 {
            let (first, last) =
                (from.cast::<u64>().read_unaligned(), from.add(count - 8).cast::<u64>().read_unaligned());
            to.cast::<u64>().write_unaligned(first);
            to.add(count - 8).cast::<u64>().write_unaligned(last);
        } else if count >= 4 {
            let (first, last) =
                (from.cast::<u32>().read_unaligned(), from.add(count - 4).cast::<u32>().read_unaligned());
            to.cast::<u32>().write_unaligned(first);
            to.add(count - 4).cast::<u32>().write_unaligned(last);
        } else if count > 0 {
            let (first, middle, last) = (*from, *from.add(count / 2), *from.add(count - 1));
            *to = first;
            *to.add(count / 2) = middle;
            *to.add(count - 1) = last;
        }
    }
}

/// More than 32 bytes, from the front to the back.
unsafe fn long_copy(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let last = load16(from.add(count - 16));
        forward(to, from, count / 16);
        store16(to.add(count - 16), last);
    }
}

/// Copies so many times 16 bytes, at least once. In assembly, since the compiler takes such a loop for a call
/// of `memcpy`.
#[inline]
unsafe fn forward(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "2:",
            "movups {wide}, [{from}]",
            "movups [{to}], {wide}",
            "add {from}, 16",
            "add {to}, 16",
            "dec {count}",
            "jnz 2b",
            wide = out(xmm_reg) _,
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            count = inout(reg) count => _,
            options(nostack),
        );
    }
}

/// The same from the end to the beginning.
#[inline]
unsafe fn backward(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "2:",
            "movups {wide}, [{from} + {count} - 16]",
            "movups [{to} + {count} - 16], {wide}",
            "sub {count}, 16",
            "jnz 2b",
            wide = out(xmm_reg) _,
            from = in(reg) from,
            to = in(reg) to,
            count = inout(reg) 16 * count => _,
            options(nostack),
        );
    }
}

/// Copies `count` bytes between ranges that may overlap.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: as the caller promises.
    unsafe {
        if count < 16 {
            short_copy(to, from, count);
        } else if to.addr().wrapping_sub(from.addr()) >= count {
            // The beginning of the target is not in the source.
            let whole = count / 16 * 16;
            let mut rest = [0; 16];
            short_copy(rest.as_mut_ptr(), from.add(whole), count - whole);
            forward(to, from, count / 16);
            short_copy(to.add(whole), rest.as_ptr(), count - whole);
        } else {
            let rest = count % 16;
            backward(to.add(rest), from.add(rest), count / 16);
            short_copy(to, from, rest);
        }
    }
    to
}

/// Fills `count` bytes.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    let wide = u64::from(value as u8) * 0x0101_0101_0101_0101;
    // SAFETY: as the caller promises.
    unsafe {
        if count >= STRING {
            asm!("rep stosq", inout("rcx") count / 8 => _, inout("rdi") to => _, in("rax") wide, options(nostack));
            to.add(count - 8).cast::<u64>().write_unaligned(wide);
        } else if count >= 8 {
            let mut at = 0;
            while at + 8 <= count {
                to.add(at).cast::<u64>().write_unaligned(wide);
                at += 8;
            }
            to.add(count - 8).cast::<u64>().write_unaligned(wide);
        } else {
            for at in 0..count {
                to.add(at).write_volatile(value as u8);
            }
        }
    }
    to
}

/// Compares `count` bytes.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    let mut at = 0;
    // SAFETY: as the caller promises.
    unsafe {
        while at + 8 <= count {
            let (a, b) =
                (left.add(at).cast::<u64>().read_unaligned(), right.add(at).cast::<u64>().read_unaligned());
            if a != b {
                return if a.swap_bytes() < b.swap_bytes() { -1 } else { 1 };
            }
            at += 8;
        }
        while at < count {
            let (a, b) = (*left.add(at), *right.add(at));
            if a != b {
                return i32::from(a) - i32::from(b);
            }
            at += 1;
        }
    }
    0
}

/// Compares `count` bytes; 0 when they are equal.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { memcmp(left, right, count) }
}

/// Length of a text that ends in a zero.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: as the caller promises. Volatile, so that the compiler does not find a call to `strlen` in it.
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
    power::end(End::Fault)
}
