//! SQLite's heap: Rust's global allocator, with the size of each block in front of it.

use alloc::alloc::{alloc, dealloc, realloc};
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr;

/// Bytes in front of a block: its size, and the alignment that SQLite asks for.
const HEADER: usize = 8;

/// A block of `size` bytes, aligned to 8; null when there is no room.
#[unsafe(no_mangle)]
extern "C" fn loadstone_malloc(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else { return ptr::null_mut() };
    // SAFETY: the layout is not empty.
    unsafe { finish(alloc(layout), size) }
}

/// A block with the old one's content and another size; null, and the old one as it was, when there is no
/// room.
///
/// # Safety
/// `block` is null or came from here and was not freed.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return loadstone_malloc(size);
    }
    let Some(wanted) = layout(size) else { return ptr::null_mut() };
    // SAFETY: the block has its size in front of it, and `layout` made the same layout of it before.
    unsafe {
        let (start, old) = origin(block);
        finish(realloc(start, old, wanted.size()), size)
    }
}

/// Gives a block back.
///
/// # Safety
/// As [`loadstone_realloc`].
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_free(block: *mut c_void) {
    if !block.is_null() {
        // SAFETY: as in `loadstone_realloc`.
        unsafe {
            let (start, layout) = origin(block);
            dealloc(start, layout);
        }
    }
}

/// Bytes of a block.
///
/// # Safety
/// `block` came from here and was not freed.
#[unsafe(no_mangle)]
unsafe extern "C" fn loadstone_usable_size(block: *mut c_void) -> usize {
    // SAFETY: the size stands in front of the block.
    unsafe { block.cast::<usize>().sub(1).read() }
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

/// Writes the size in front of the block that begins behind the header; null stays null.
///
/// # Safety
/// `start` is null or the start of a block of [`layout`]`(size)`.
unsafe fn finish(start: *mut u8, size: usize) -> *mut c_void {
    if start.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: the block has room for the header, and its start is aligned for it.
    unsafe {
        start.cast::<usize>().write(size);
        start.add(HEADER).cast()
    }
}

/// Where the allocator's block begins, and its layout.
///
/// # Safety
/// As [`loadstone_usable_size`].
unsafe fn origin(block: *mut c_void) -> (*mut u8, Layout) {
    // SAFETY: promised by the caller; the layout was valid when the block was made.
    unsafe {
        let size = loadstone_usable_size(block);
        (block.cast::<u8>().sub(HEADER), Layout::from_size_align_unchecked(size + HEADER, HEADER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_its_content_and_knows_its_size() {
        let block = loadstone_malloc(100);
        assert_eq!(block as usize % 8, 0);
        // SAFETY: each block is used within its size and given back once.
        unsafe {
            block.cast::<u8>().write_bytes(7, 100);
            assert_eq!(loadstone_usable_size(block), 100);
            let grown = loadstone_realloc(block, 100_000);
            assert_eq!(loadstone_usable_size(grown), 100_000);
            assert!(core::slice::from_raw_parts(grown.cast::<u8>(), 100).iter().all(|byte| *byte == 7));
            loadstone_free(grown);
            loadstone_free(ptr::null_mut());
        }
    }

    #[test]
    fn what_cannot_be_had_is_null() {
        assert!(loadstone_malloc(usize::MAX).is_null());
        let block = loadstone_malloc(8);
        // SAFETY: the block stays valid when it cannot grow.
        unsafe {
            assert!(loadstone_realloc(block, usize::MAX - 4).is_null());
            loadstone_free(block);
        }
    }
}
