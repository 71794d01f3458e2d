//! Small objects: spans of 16 KB, each of objects of one size, with a list of free ones. To take or to give
//! back an object is a dozen instructions; a span without objects goes back, so that no size keeps memory
//! from the others.

use core::alloc::Layout;
use core::ptr::null_mut;

/// Spans are aligned to this, so that an object's address leads to its span.
const SPAN: usize = 16 * 1024;
/// What a span takes of the large allocator, whose own word then fits between two neighbours.
pub(super) const LAYOUT: Layout = match Layout::from_size_align(SPAN - 64, SPAN) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};
/// Alignment of every object.
const UNIT: usize = 16;
/// Largest size of an object in a span.
const MOST: usize = 2048;
/// Sizes: all multiples of 16 to 128, then four for each doubling.
const CLASSES: usize = 24;

const SIZES: [u16; CLASSES] = {
    let mut sizes = [0; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        sizes[class] =
            if class < 8 { 16 * (class + 1) } else { (5 + class % 4) << (5 + (class - 8) / 4) } as u16;
        class += 1;
    }
    sizes
};

/// The class for so many units of 16 bytes.
const CLASS: [u8; MOST / UNIT + 1] = {
    let mut table = [0; MOST / UNIT + 1];
    let (mut units, mut class) = (0, 0);
    while units < table.len() {
        if units * UNIT > SIZES[class as usize] as usize {
            class += 1;
        }
        table[units] = class;
        units += 1;
    }
    table
};

/// The class of objects that serve `layout`; none: it is for the large allocator.
#[inline(always)]
pub(super) fn class_of(layout: Layout) -> Option<usize> {
    if layout.size() > MOST || layout.align() > UNIT {
        return None;
    }
    Some(usize::from(CLASS[layout.size().div_ceil(UNIT)]))
}

/// A free object.
struct Free {
    next: *mut Free,
}

/// The beginning of a span; objects follow.
#[repr(C, align(64))]
struct Span {
    free: *mut Free,
    /// First byte that was never given out.
    fresh: *mut u8,
    /// Last address at which an object may begin.
    last: *mut u8,
    /// Among the spans of its class that have room.
    next: *mut Span,
    previous: *mut Span,
    taken: u32,
    class: u16,
    full: bool,
}

/// All spans with room, by class.
pub(super) struct Spans {
    roomy: [*mut Span; CLASSES],
}

impl Spans {
    pub const fn new() -> Self {
        Self { roomy: [null_mut(); CLASSES] }
    }

    /// An object of `class`, if any span has one.
    #[inline(always)]
    pub fn take(&mut self, class: usize) -> Option<*mut u8> {
        let span = self.roomy[class];
        if span.is_null() {
            return None;
        }
        // SAFETY: spans in `roomy` are alive; the objects on their lists are free and hold a `Free`.
        unsafe {
            let object = (*span).free;
            if !object.is_null() {
                (*span).free = (*object).next;
                (*span).taken += 1;
                return Some(object.cast());
            }
            self.take_fresh(span)
        }
    }

    /// An object that was never given out; the span leaves the list when there is none.
    ///
    /// # Safety
    /// `span` is alive and has no object on its list.
    unsafe fn take_fresh(&mut self, span: *mut Span) -> Option<*mut u8> {
        // SAFETY: as the caller promises; objects lie within the span.
        unsafe {
            let object = (*span).fresh;
            if object <= (*span).last {
                (*span).fresh = object.add(usize::from(SIZES[usize::from((*span).class)]));
                (*span).taken += 1;
                return Some(object);
            }
            (*span).full = true;
            self.unlink(span);
            self.take((*span).class.into())
        }
    }

    /// Adds a span and takes an object from it.
    ///
    /// # Safety
    /// `memory` was allocated as [`LAYOUT`] says.
    pub unsafe fn add(&mut self, class: usize, memory: *mut u8) -> *mut u8 {
        let (span, size): (*mut Span, _) = (memory.cast(), usize::from(SIZES[class]));
        // SAFETY: the memory is ours, aligned, and longer than its beginning and an object.
        unsafe {
            let first = memory.add(size_of::<Span>());
            span.write(Span {
                free: null_mut(),
                fresh: first.add(size),
                last: memory.add(LAYOUT.size() - size),
                next: null_mut(),
                previous: null_mut(),
                taken: 1,
                class: class as u16,
                full: false,
            });
            self.link(span);
            first
        }
    }

    /// Takes an object back; returns its span if that is to be freed, being empty and not the only one with
    /// room.
    ///
    /// # Safety
    /// `object` was taken from these spans and not given back since.
    #[inline(always)]
    pub unsafe fn put(&mut self, object: *mut u8) -> Option<*mut u8> {
        let span: *mut Span = object.map_addr(|address| address & !(SPAN - 1)).cast();
        // SAFETY: the object lies in a live span, which begins at a multiple of its size.
        unsafe {
            let free: *mut Free = object.cast();
            free.write(Free { next: (*span).free });
            (*span).free = free;
            (*span).taken -= 1;
            if (*span).full || (*span).taken == 0 { self.settle(span) } else { None }
        }
    }

    /// What [`Spans::put`] does when a span has room again, or no object.
    ///
    /// # Safety
    /// `span` is alive.
    #[cold]
    #[inline(never)]
    unsafe fn settle(&mut self, span: *mut Span) -> Option<*mut u8> {
        // SAFETY: as the caller promises.
        unsafe {
            if (*span).full {
                (*span).full = false;
                self.link(span);
            }
            if (*span).taken > 0 || ((*span).next.is_null() && (*span).previous.is_null()) {
                return None;
            }
            self.unlink(span);
        }
        Some(span.cast())
    }

    /// Takes out a span without objects, with what it was allocated as.
    pub fn take_empty(&mut self) -> Option<(*mut u8, Layout)> {
        let alive = |span: *mut Span| (!span.is_null()).then_some(span);
        let span = self.roomy.iter().find_map(|first| {
            // SAFETY: spans in `roomy` and on from there are alive.
            let mut list = core::iter::successors(alive(*first), |span| alive(unsafe { (**span).next }));
            // SAFETY: as before.
            list.find(|span| unsafe { (**span).taken } == 0)
        })?;
        // SAFETY: as before.
        unsafe { self.unlink(span) };
        Some((span.cast(), LAYOUT))
    }

    /// # Safety
    /// `span` is alive and in no list.
    unsafe fn link(&mut self, span: *mut Span) {
        // SAFETY: as the caller promises; what is in the list is alive.
        unsafe {
            let first = &mut self.roomy[usize::from((*span).class)];
            ((*span).next, (*span).previous) = (*first, null_mut());
            if !first.is_null() {
                (**first).previous = span;
            }
            *first = span;
        }
    }

    /// # Safety
    /// `span` is alive and in the list of its class.
    unsafe fn unlink(&mut self, span: *mut Span) {
        // SAFETY: as the caller promises; what is in the list is alive.
        unsafe {
            let (next, previous) = ((*span).next, (*span).previous);
            if previous.is_null() {
                self.roomy[usize::from((*span).class)] = next;
            } else {
                (*previous).next = next;
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
            ((*span).next, (*span).previous) = (null_mut(), null_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_serves_its_sizes_and_wastes_little() {
        for size in 1..=MOST {
            let class = class_of(Layout::from_size_align(size, 16).unwrap()).unwrap();
            let given = usize::from(SIZES[class]);
            assert!(given >= size && given.is_multiple_of(UNIT), "{size} in {given}");
            assert!(size <= 128 || given * 4 <= size.next_multiple_of(UNIT) * 5, "{size} in {given}");
        }
        assert_eq!(usize::from(SIZES[CLASSES - 1]), MOST);
        assert_eq!(class_of(Layout::from_size_align(MOST + 1, 8).unwrap()), None);
        assert_eq!(class_of(Layout::from_size_align(64, 32).unwrap()), None);
    }
}
