//! What every program without the standard library must bring: an allocator and an end for panics.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_char, c_int, c_void};
use core::panic::PanicInfo;

#[link(name = "c")]
#[link(name = "m")]
unsafe extern "C" {
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
    fn abort() -> !;
    fn write(descriptor: c_int, bytes: *const c_char, length: usize) -> isize;
}

/// The C library's heap.
struct Heap;

// SAFETY: memory comes from `aligned_alloc`, aligned as asked, and goes back to `free` once.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // `aligned_alloc` wants a multiple of the alignment; padding cannot overflow in a valid layout.
        let layout = layout.pad_to_align();
        // SAFETY: alignment is a power of two; at least a pointer's, as some libraries ask.
        unsafe { aligned_alloc(layout.align().max(size_of::<usize>()), layout.size()).cast() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, _layout: Layout) {
        // SAFETY: `memory` came from `alloc`.
        unsafe { free(memory.cast()) }
    }
}

#[global_allocator]
static HEAP: Heap = Heap;

#[panic_handler]
fn panic(_info: &PanicInfo<'_>) -> ! {
    fail("panic");
    // SAFETY: may be called at any time.
    unsafe { abort() }
}

/// Writes a line to standard error; 1, the exit code of failure.
pub(crate) fn fail(message: &str) -> i32 {
    for text in [message, "\n"] {
        // SAFETY: `text` is readable for its length. When even this fails there is nobody left to tell.
        unsafe { write(2, text.as_ptr().cast(), text.len()) };
    }
    1
}

/// Named by the precompiled `alloc`, which was built for programs that unwind; never called in one that aborts.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// As [`rust_eh_personality`].
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    // SAFETY: may be called at any time.
    unsafe { abort() }
}
