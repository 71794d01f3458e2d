//! Large blocks that came back last. Who gives one back often takes one of the same size next: pages, bodies,
//! buffers. It is then found without a search, and without being joined with its neighbours and cut out
//! again.

use core::alloc::Layout;
use core::ptr::null_mut;

/// How many; each allocation looks at all.
const PLACES: usize = 4;

/// Blocks, null where there is none, with what they were allocated as.
pub(super) struct Kept {
    blocks: [(*mut u8, Layout); PLACES],
    /// Whose turn it is to go.
    next: usize,
}

impl Kept {
    pub const fn new() -> Self {
        Self { blocks: [(null_mut(), Layout::new::<()>()); PLACES], next: 0 }
    }

    /// Takes a block of this layout out; the next one that is kept comes in its place.
    #[inline(always)]
    pub fn take(&mut self, layout: Layout) -> Option<*mut u8> {
        let fits = |(block, own): &(*mut u8, Layout)| *own == layout && !block.is_null();
        self.next = self.blocks.iter().position(fits)?;
        Some(core::mem::replace(&mut self.blocks[self.next].0, null_mut()))
    }

    /// Keeps a block instead of another, which is returned.
    #[inline(always)]
    pub fn swap(&mut self, block: *mut u8, layout: Layout) -> Option<(*mut u8, Layout)> {
        let (old, own) = core::mem::replace(&mut self.blocks[self.next % PLACES], (block, layout));
        self.next += 1;
        (!old.is_null()).then_some((old, own))
    }

    /// Takes any block out.
    pub fn take_any(&mut self) -> Option<(*mut u8, Layout)> {
        let (block, layout) = self.blocks.iter_mut().find(|(block, _)| !block.is_null())?;
        Some((core::mem::replace(block, null_mut()), *layout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_serves_its_own_layout_once() {
        let mut kept = Kept::new();
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        let block = |number: usize| core::ptr::without_provenance_mut::<u8>(number * 4096);
        for number in 1..=PLACES {
            assert_eq!(kept.swap(block(number), layout(5000 + number)), None);
        }
        assert_eq!(kept.swap(block(9), layout(9000)), Some((block(1), layout(5001))));
        assert_eq!(kept.take(layout(5001)), None);
        assert_eq!(kept.take(Layout::from_size_align(5003, 16).unwrap()), None);
        assert_eq!((kept.take(layout(5003)), kept.take(layout(5003))), (Some(block(3)), None));
        // What comes next takes the place that is empty.
        assert_eq!(kept.swap(block(7), layout(7000)), None);
        let rest: std::vec::Vec<_> = core::iter::from_fn(|| kept.take_any()).collect();
        assert_eq!(rest.len(), PLACES);
    }
}
