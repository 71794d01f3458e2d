//! Strings of varied sizes from the allocator.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::hint::black_box;
use core::mem::MaybeUninit;

use loadstone_stats::Rng;

use crate::{Failure, Line, Machine};

/// What is touched of a string: a page that is never touched costs an operating system nothing.
const PAGE_BYTES: usize = 4096;
/// Sizes and places that are drawn before the clock starts, then used in turn: drawing takes as long as a
/// good allocation.
const DRAWS: u64 = 4096;

/// How much is allocated, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocations {
    /// Ranges of sizes in bytes, one after the other, smallest and largest.
    pub sizes: Vec<(usize, usize)>,
    /// Allocations in each range.
    pub iterations: u64,
    /// How many live at once; a new one takes the place of one chosen at random.
    pub live: usize,
    /// Of sizes and choices.
    pub seed: u64,
}

impl Allocations {
    /// One line a range.
    ///
    /// # Errors
    /// When an allocation holds something else than was written to it.
    pub fn run(&self, machine: &mut Machine<'_>) -> Result<u64, Failure> {
        for &(low, high) in &self.sizes {
            let draws = self.draw(low, high);
            let mut living: Vec<Option<Text>> = Vec::new();
            living.resize_with(self.live, || None);
            let began = (machine.now_ns)();
            let checks = self.allocate(&draws, living)?;
            let ns = (machine.now_ns)() - began;
            let line = Line::new("alloc").number("low", low as u64).number("high", high as u64);
            let line = line.number("live", self.live as u64).number("seed", self.seed);
            let line = line.number("iterations", self.iterations).number("ns", ns).number("checks", checks);
            (machine.line)(&line.end());
        }
        Ok(self.sizes.len() as u64)
    }

    fn draw(&self, low: usize, high: usize) -> Vec<Draw> {
        let mut rng = Rng::new(self.seed);
        let mut below = |bound: usize| rng.below(bound as u64) as usize;
        let draw = |_| Draw { size: low + below(high - low + 1), place: below(self.live) };
        (0..self.iterations.min(DRAWS)).map(draw).collect()
    }

    /// Makes every string, and compares it before it is freed; how many were compared.
    fn allocate(&self, draws: &[Draw], mut living: Vec<Option<Text>>) -> Result<u64, Failure> {
        let mut checks = 0;
        for (serial, draw) in (0..self.iterations).zip(draws.iter().cycle()) {
            let place = &mut living[draw.place];
            checks += compare(place.take())?;
            *place = Some(Text::new(draw.size, serial as u8));
        }
        living.into_iter().try_fold(checks, |checks, text| Ok(checks + compare(text)?))
    }
}

/// The size of a string, and which one it takes the place of.
struct Draw {
    size: usize,
    place: usize,
}

/// A string of at least one byte, of which the first byte in each page is written, and the last.
struct Text {
    bytes: Box<[MaybeUninit<u8>]>,
    mark: u8,
}

impl Text {
    fn new(size: usize, mark: u8) -> Self {
        let mut bytes = Box::new_uninit_slice(size);
        let mut at = 0;
        while at < size {
            bytes[at].write(mark);
            at += PAGE_BYTES;
        }
        bytes[size - 1].write(mark);
        black_box(bytes.as_ptr());
        Self { bytes, mark }
    }

    fn is_whole(&self) -> bool {
        // SAFETY: asked of the places that `new` has written.
        let is_right = |at: usize| unsafe { self.bytes[at].assume_init() } == self.mark;
        let mut at = 0;
        while at < self.bytes.len() {
            if !is_right(at) {
                return false;
            }
            at += PAGE_BYTES;
        }
        is_right(self.bytes.len() - 1)
    }
}

/// How many strings were compared and freed: one or none.
fn compare(text: Option<Text>) -> Result<u64, Failure> {
    match text {
        None => Ok(0),
        Some(text) if text.is_whole() => Ok(1),
        Some(text) => Err(Failure::WrongValue(format!("a string of {} bytes has changed", text.bytes.len()))),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;

    use super::*;

    #[test]
    fn every_allocation_is_compared_once() {
        let task = Allocations { sizes: vec![(1, 1), (4095, 8193)], iterations: 500, live: 7, seed: 3 };
        let mut lines: Vec<String> = Vec::new();
        let mut machine = Machine {
            now_ns: &mut || 5,
            line: &mut |line| lines.push(line.into()),
            open: &mut crate::memory,
        };
        assert_eq!(task.run(&mut machine), Ok(2));
        let wanted =
            r#"{"name":"alloc","low":1,"high":1,"live":7,"seed":3,"iterations":500,"ns":0,"checks":500}"#;
        assert_eq!(lines[0], wanted);
        let mut text = Text::new(5000, 9);
        assert!(text.is_whole());
        text.bytes[4096].write(8);
        assert!(compare(Some(text)).is_err());
    }
}
