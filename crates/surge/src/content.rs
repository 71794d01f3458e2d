//! The bytes of pages and objects, exactly as many as their sizes say.

use alloc::vec::Vec;

use loadstone_stats::Rng;

/// Bytes of a page around its references, at most: the doctype, a title with a number of seven digits.
pub(crate) const PAGE_BYTES: u32 = 47;
/// Bytes of one reference, at most: `<img src=/o/` number of seven digits, `>`.
pub(crate) const REFERENCE_BYTES: u32 = 20;

/// Length of the text that files repeat: a prime, so that no file repeats it in step with pages of memory.
const TEXT: usize = 8191;
/// First bytes of an object, by which programs tell its type.
const SIGNATURE: &[u8] = b"GIF89a";

/// What files are filled with; the same of one seed.
#[derive(Debug, Clone)]
pub(crate) struct Filler(Vec<u8>);

impl Filler {
    /// Letters, spaces and line ends: no markup.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::stream(seed, 5);
        Self((0..TEXT).map(|_| b"abcdefghijklmnopqrstuvwxyz    \n "[rng.below(32) as usize]).collect())
    }

    /// Writes what the page of `rank` begins with; text follows.
    pub(crate) fn begin_page(rank: u32, references: &[u32], out: &mut Vec<u8>) {
        out.extend_from_slice(b"<!doctype html><title>page ");
        number(rank, out);
        out.extend_from_slice(b"</title>\n");
        for object in references {
            out.extend_from_slice(b"<img src=/o/");
            number(*object, out);
            out.push(b'>');
        }
    }

    /// Writes what an object begins with; text follows.
    pub(crate) fn begin_object(out: &mut Vec<u8>) {
        out.extend_from_slice(SIGNATURE);
    }

    /// Appends text up to `end`, from a place of its own for each file, of which `written` bytes are out.
    pub(crate) fn fill(&self, file: u32, written: usize, end: usize, out: &mut Vec<u8>) {
        let mut from = (file as usize * 61 + written) % TEXT;
        while out.len() < end {
            let piece = &self.0[from..TEXT.min(from + end - out.len())];
            out.extend_from_slice(piece);
            from = 0;
        }
        out.truncate(end);
    }
}

/// Appends a number in decimal digits.
pub(crate) fn number(value: u32, out: &mut Vec<u8>) {
    if value >= 10 {
        number(value / 10, out);
    }
    out.push(b'0' + (value % 10) as u8);
}
