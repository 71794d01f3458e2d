//! What every program without the standard library must bring: a start, an allocator and an end for panics.

use core::alloc::{GlobalAlloc, Layout};
use core::arch::{asm, global_asm};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::ptr;

// The kernel enters here, with no frame to return to and a stack that is aligned for no call.
global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "and rsp, -16",
    "call {start}",
    "ud2",
    start = sym start,
);

extern "C" fn start() -> ! {
    exit(crate::run())
}

/// Memory from the kernel, never given back to it: a block has a power of two of bytes, and a free one heads
/// the list of its size.
struct Heap(UnsafeCell<[*mut Free; usize::BITS as usize]>);

struct Free {
    next: *mut Free,
}

/// Bytes that are asked of the kernel at once, at least.
const CHUNK: usize = 1 << 20;

// SAFETY: the program has one thread.
unsafe impl Sync for Heap {}

// SAFETY: a block is on a list or given out, never both; it is aligned to its size.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size().max(layout.align()).next_power_of_two().max(16);
        // SAFETY: the program has one thread, and nothing below allocates.
        let head = unsafe { &mut (&mut *self.0.get())[size.trailing_zeros() as usize] };
        if head.is_null() {
            let end = size.max(CHUNK);
            // The kernel aligns to pages, which is less than large blocks are wide.
            let Some(start) = map(end + size) else { return ptr::null_mut() };
            let start = start.next_multiple_of(size);
            for block in (start..start + end).step_by(size).map(|block| block as *mut Free) {
                // SAFETY: the block is ours, and large enough.
                unsafe { block.write(Free { next: *head }) };
                *head = block;
            }
        }
        let block = *head;
        // SAFETY: a block on a list holds the next one.
        *head = unsafe { (*block).next };
        block.cast()
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let size = layout.size().max(layout.align()).next_power_of_two().max(16);
        let block = memory.cast::<Free>();
        // SAFETY: as in `alloc`; the block is not used again.
        unsafe {
            let head = &mut (&mut *self.0.get())[size.trailing_zeros() as usize];
            block.write(Free { next: *head });
            *head = block;
        }
    }
}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new([ptr::null_mut(); usize::BITS as usize]));

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    fail(&alloc::format!("{info}"));
    exit(101)
}

/// Writes a line to standard error; 1, the exit code of failure.
pub(crate) fn fail(message: &str) -> i32 {
    for text in [message, "\n"] {
        // SAFETY: `write` reads `text`. When even this fails there is nobody left to tell.
        unsafe { call(1, [2, text.as_ptr() as usize, text.len(), 0, 0, 0]) };
    }
    1
}

/// Fresh memory, private to the program; none when the kernel has none.
fn map(bytes: usize) -> Option<usize> {
    let (readable_writable, private_anonymous, no_file) = (3, 0x22, usize::MAX);
    // SAFETY: `mmap` at a place of the kernel's choice touches nothing that exists.
    let place = unsafe { call(9, [0, bytes, readable_writable, private_anonymous, no_file, 0]) };
    (place < usize::MAX - 4096).then_some(place)
}

fn exit(code: i32) -> ! {
    loop {
        // SAFETY: `exit_group` ends the program.
        unsafe { call(231, [code as usize, 0, 0, 0, 0, 0]) };
    }
}

/// A system call of Linux on x86-64.
///
/// # Safety
/// As the call demands.
unsafe fn call(number: usize, [a, b, c, d, e, f]: [usize; 6]) -> usize {
    let answer;
    // SAFETY: promised by the caller; the kernel keeps all registers but these.
    unsafe {
        asm!("syscall", inlateout("rax") number => answer, in("rdi") a, in("rsi") b, in("rdx") c,
             in("r10") d, in("r8") e, in("r9") f, out("rcx") _, out("r11") _, options(nostack));
    }
    answer
}
