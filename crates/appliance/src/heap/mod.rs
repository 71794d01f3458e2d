//! The allocator: spans of equal objects for small sizes, `talc` for large ones. For one processor: nothing
//! is locked.

mod kept;
mod spans;

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, null_mut};
use core::slice;

use talc::base::Talc;
use talc::base::binning::DefaultBinning;
use talc::source::Manual;

use crate::one_cpu::OneCpu;
use kept::Kept;
use spans::{Spans, class_of};

/// Powers of two of blocks that are cleared at a time: what lies free in smaller ones is not worth it.
const CLEARED: core::ops::RangeInclusive<u32> = 14..=26;
const PAGE_WORDS: usize = 4096 / size_of::<u64>();

/// A block that is taken while others are cleared.
struct Taken {
    next: *mut Taken,
    layout: Layout,
}

/// Zeroes what is not; returns how many bytes, in whole pages.
fn clear(words: &mut [u64]) -> usize {
    let dirty = words.chunks_mut(PAGE_WORDS).filter(|page| page.iter().any(|word| *word != 0));
    dirty.map(|page| page.fill(0)).count() * PAGE_WORDS * size_of::<u64>()
}

/// Memory for every allocation of the program.
pub struct Heap {
    small: Spans,
    kept: Kept,
    large: Talc<Manual, DefaultBinning>,
    total: usize,
    used: usize,
    refused: usize,
}

/// How full a heap is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// All that it was given.
    pub total: usize,
    /// Handed out, or kept in spans for small objects.
    pub used: usize,
}

impl Usage {
    /// What is left.
    pub fn free(self) -> usize {
        self.total - self.used
    }
}

// SAFETY: its pointers lead to memory that it alone manages.
unsafe impl Send for Heap {}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

impl Heap {
    /// A heap without memory.
    pub const fn new() -> Self {
        Self {
            small: Spans::new(),
            kept: Kept::new(),
            large: Talc::new(Manual),
            total: 0,
            used: 0,
            refused: 0,
        }
    }

    /// Adds memory.
    ///
    /// # Safety
    /// The memory is used by nothing else for as long as the heap exists.
    pub unsafe fn add(&mut self, base: *mut u8, bytes: usize) {
        // SAFETY: as the caller promises.
        if unsafe { self.large.claim(base, bytes) }.is_some() {
            self.total += bytes;
        }
    }

    /// How full it is.
    pub fn usage(&self) -> Usage {
        Usage { total: self.total, used: self.used }
    }

    /// Bytes that were asked for last of those that it did not have.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// Gives spans that hold no object back, which else stay for the next one; returns how many bytes that
    /// were.
    pub fn compact(&mut self) -> usize {
        let before = self.used;
        while let Some((span, layout)) = self.small.take_empty() {
            self.free_large(span, layout);
        }
        self.join_kept();
        before - self.used
    }

    /// Overwrites what is free with zeros, so that a copy of the machine need not carry it; returns how many
    /// bytes were not zero. Pages that were are only read: the hypervisor may not have given them memory yet.
    pub fn clear_free(&mut self) -> usize {
        self.join_kept();
        let (mut first, mut cleared) = (null_mut::<Taken>(), 0);
        // Large blocks first: each leaves a few words of the allocator's behind.
        for size in CLEARED.rev().map(|bits| 1 << bits) {
            let layout = Layout::from_size_align(size, align_of::<Taken>()).expect("a power of two");
            loop {
                let block = self.allocate_large(layout);
                if block.is_null() {
                    break;
                }
                // SAFETY: just allocated, aligned for words.
                cleared += clear(unsafe { slice::from_raw_parts_mut(block.cast(), size / size_of::<u64>()) });
                // SAFETY: just allocated; the blocks are chained by their first words.
                unsafe { block.cast::<Taken>().write(Taken { next: first, layout }) };
                first = block.cast();
            }
        }
        while !first.is_null() {
            // SAFETY: written above.
            let taken = unsafe { first.read() };
            // SAFETY: there is room for this much, and more.
            unsafe { first.write_bytes(0, 1) };
            self.free_large(first.cast(), taken.layout);
            first = taken.next;
        }
        cleared
    }

    /// Memory for `layout`, null when there is none.
    pub fn allocate(&mut self, layout: Layout) -> *mut u8 {
        let Some(class) = class_of(layout) else { return self.allocate_large(layout) };
        match self.small.take(class) {
            Some(object) => object,
            None => self.allocate_in_new_span(class),
        }
    }

    #[cold]
    fn allocate_in_new_span(&mut self, class: usize) -> *mut u8 {
        let span = self.allocate_large(spans::LAYOUT);
        if span.is_null() {
            return span;
        }
        // SAFETY: the span was just allocated as `LAYOUT` says.
        unsafe { self.small.add(class, span) }
    }

    /// Takes memory back.
    ///
    /// # Safety
    /// `memory` came from `allocate` with this layout and was not given back since.
    pub unsafe fn free(&mut self, memory: *mut u8, layout: Layout) {
        if class_of(layout).is_none() {
            return self.free_large(memory, layout);
        }
        // SAFETY: objects of these layouts lie in spans.
        if let Some(span) = unsafe { self.small.put(memory) } {
            self.free_large(span, spans::LAYOUT);
        }
    }

    /// Changes the size of an allocation, moving it when it must; null when there is no memory, then nothing
    /// has changed.
    ///
    /// # Safety
    /// As [`Heap::free`]; `size` is not 0.
    pub unsafe fn resize(&mut self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        match (class_of(layout), class_of(wanted)) {
            (Some(old), Some(new)) if old == new => return memory,
            // SAFETY: as the caller promises; a large allocation stays one.
            (None, None) if unsafe { self.large.try_realloc_in_place(memory, layout, size) } => {
                self.used = self.used - layout.size() + size;
                return memory;
            }
            _ => {}
        }
        let moved = self.allocate(wanted);
        if !moved.is_null() {
            // SAFETY: both are as long as the shorter, and apart.
            unsafe {
                moved.copy_from_nonoverlapping(memory, layout.size().min(size));
                self.free(memory, layout);
            }
        }
        moved
    }

    fn allocate_large(&mut self, layout: Layout) -> *mut u8 {
        if let Some(memory) = self.kept.take(layout) {
            self.used += layout.size();
            return memory;
        }
        self.search(layout)
    }

    #[cold]
    #[inline(never)]
    fn search(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: no caller asks for 0 bytes.
        let mut memory = unsafe { self.large.try_allocate(layout) };
        if memory.is_none() && self.join_kept() {
            // SAFETY: as before.
            memory = unsafe { self.large.try_allocate(layout) };
        }
        match memory {
            Some(_) => self.used += layout.size(),
            None => self.refused = layout.size(),
        }
        memory.map_or(null_mut(), NonNull::as_ptr)
    }

    fn free_large(&mut self, memory: *mut u8, layout: Layout) {
        self.used -= layout.size();
        if let Some((old, layout)) = self.kept.swap(memory, layout) {
            // SAFETY: callers give back what `allocate_large` gave out.
            unsafe { self.large.deallocate(old, layout) };
        }
    }

    /// Joins what was kept with what is free; whether there was any.
    fn join_kept(&mut self) -> bool {
        let mut any = false;
        while let Some((block, layout)) = self.kept.take_any() {
            // SAFETY: as in `free_large`.
            unsafe { self.large.deallocate(block, layout) };
            any = true;
        }
        any
    }
}

/// The heap of a machine with one processor.
// SAFETY: memory comes from the heap, aligned and as long as asked, and `OneCpu` keeps others out.
unsafe impl GlobalAlloc for OneCpu<Heap> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the heap calls nothing that allocates.
        unsafe { self.get() }.allocate(layout)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as before, and as the caller promises.
        unsafe { self.get().free(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as before, and as the caller promises.
        unsafe { self.get().resize(memory, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// A heap on memory of the host, which lives as long as the test.
    fn heap(bytes: usize) -> Heap {
        let memory = Vec::leak(alloc::vec![0_u64; bytes / 8]);
        let mut heap = Heap::new();
        // SAFETY: leaked for this heap.
        unsafe { heap.add(memory.as_mut_ptr().cast(), bytes) };
        heap
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    #[test]
    fn what_is_freed_can_be_used_for_other_sizes() {
        let mut heap = heap(1 << 20);
        for size in [16, 100, 700, 2048, 5000, 100_000] {
            let mut taken = Vec::new();
            loop {
                let memory = heap.allocate(layout(size));
                if memory.is_null() {
                    break;
                }
                taken.push(memory);
            }
            assert!(heap.refused() >= size);
            assert!(taken.len() * size > (1 << 20) * 7 / 10, "{size}: {}", taken.len());
            for memory in taken {
                // SAFETY: allocated above with this layout.
                unsafe { heap.free(memory, layout(size)) };
            }
            heap.compact();
            assert_eq!(heap.usage().used, 0, "{size}");
        }
    }

    #[test]
    fn what_is_free_is_cleared() {
        let mut heap = heap(1 << 20);
        let (kept, freed) = (heap.allocate(layout(200_000)), heap.allocate(layout(300_000)));
        // SAFETY: allocated as long.
        unsafe {
            kept.write_bytes(7, 200_000);
            freed.write_bytes(7, 300_000);
            heap.free(freed, layout(300_000));
        }
        let cleared = heap.clear_free();
        assert!((280_000..320_000).contains(&cleared), "{cleared}");
        // What is found the next time are the allocator's own words.
        let again = heap.clear_free();
        assert!(again < 100_000, "{again}");
        // SAFETY: memory of the heap, which is not changed meanwhile.
        let (kept, freed) =
            unsafe { (slice::from_raw_parts(kept, 200_000), slice::from_raw_parts(freed, 300_000)) };
        assert!(kept.iter().all(|byte| *byte == 7));
        assert!(freed.iter().filter(|byte| **byte == 7).count() < 20_000);
        assert_eq!(heap.usage().used, 200_000);
    }

    proptest! {
        /// Objects keep what was written to them, whatever happens around them.
        #[test]
        fn objects_are_apart(steps in prop::collection::vec((any::<u16>(), 1_usize..6000, 0_u32..9), 1..400)) {
            let mut heap = heap(2 << 20);
            let mut live: Vec<(*mut u8, Layout, u8)> = Vec::new();
            for (choice, size, alignment) in steps {
                let mark = choice as u8;
                match choice % 4 {
                    0 | 1 => {
                        let layout = Layout::from_size_align(size, 1 << alignment).unwrap();
                        let memory = heap.allocate(layout);
                        if !memory.is_null() {
                            prop_assert_eq!(memory as usize % layout.align(), 0);
                            // SAFETY: as long as the layout says.
                            unsafe { memory.write_bytes(mark, size) };
                            live.push((memory, layout, mark));
                        }
                    }
                    _ if live.is_empty() => {}
                    kind => {
                        let at = usize::from(choice) % live.len();
                        let (memory, layout, mark) = live.swap_remove(at);
                        // SAFETY: live, and written when it was allocated.
                        let bytes = unsafe { slice::from_raw_parts(memory, layout.size()) };
                        prop_assert!(bytes.iter().all(|byte| *byte == mark));
                        if kind == 2 {
                            // SAFETY: live.
                            unsafe { heap.free(memory, layout) };
                            continue;
                        }
                        // SAFETY: live.
                        let moved = unsafe { heap.resize(memory, layout, size) };
                        if moved.is_null() {
                            live.push((memory, layout, mark));
                            continue;
                        }
                        let kept = size.min(layout.size());
                        // SAFETY: live, and at least so long.
                        let bytes = unsafe { slice::from_raw_parts(moved, kept) };
                        prop_assert!(bytes.iter().all(|byte| *byte == mark));
                        // SAFETY: as long as it was made.
                        unsafe { moved.write_bytes(mark, size) };
                        let layout = Layout::from_size_align(size, layout.align()).unwrap();
                        live.push((moved, layout, mark));
                    }
                }
            }
            for (memory, layout, _) in live {
                // SAFETY: live.
                unsafe { heap.free(memory, layout) };
            }
            heap.compact();
            prop_assert_eq!(heap.usage().used, 0);
        }
    }
}
