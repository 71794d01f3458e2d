//! The scan of a smooth picture.
//!
//! One trick instead of a cosine transform: where a picture is smooth, an 8 x 8 block is its mean and its
//! slope across and down, which are the first three coefficients. That makes a two-megapixel picture in a few
//! milliseconds, and any viewer shows it.

use alloc::vec::Vec;

use super::jpeg::{self, Bits, Tables, size};

/// Means of the three components (Y, Cb, Cr; 128 is the middle) at the centre of a block, by column and row.
pub(super) type Field<'f> = &'f dyn Fn(f64, f64) -> [f64; 3];

const BLOCK: f64 = 8.0;
/// Quantisation step of every coefficient.
const STEP: f64 = 2.0;
/// First coefficient of a block that rises by 1 a pixel: cos((2x+1) pi/16) against x - 3.5, orthonormal.
const SLOPE: f64 = -18.222;
/// Codes for end of block, (run 0, size 1..=7), (run 1, size 1..=7), four bits each. All ones is not a code,
/// as the format demands.
const AC_BITS: u32 = 4;
const AC_SYMBOLS: [u8; 15] =
    [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17];
const AC_SIZES: u32 = 7;

/// A picture of `width` x `height` pixels; `size` bytes long unless the picture needs more.
pub(super) fn encode(width: u16, height: u16, field: Field<'_>, size: usize) -> Vec<u8> {
    let tables = Tables {
        steps: [STEP as u8; 64],
        ac_codes: &[(AC_BITS as usize, AC_SYMBOLS.len() as u8)],
        ac_symbols: &AC_SYMBOLS,
    };
    jpeg::file(width, height, &tables, &scan(width, height, field), size)
}

fn scan(width: u16, height: u16, field: Field<'_>) -> Vec<u8> {
    let (columns, rows) = (width.div_ceil(8), height.div_ceil(8));
    let mut bits = Bits::default();
    let mut last = [0; 3];
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (f64::from(column), f64::from(row));
            let [here, right, below] = [field(x, y), field(x + 1.0, y), field(x, y + 1.0)];
            for component in 0..3 {
                let mean = quantised((here[component] - 128.0) * BLOCK);
                let across = quantised((right[component] - here[component]) / BLOCK * SLOPE);
                let down = quantised((below[component] - here[component]) / BLOCK * SLOPE);
                block(&mut bits, mean - last[component], across, down);
                last[component] = mean;
            }
        }
    }
    bits.finish()
}

fn quantised(coefficient: f64) -> i32 {
    libm::round(coefficient / STEP) as i32
}

fn block(bits: &mut Bits, mean_step: i32, across: i32, down: i32) {
    bits.mean(mean_step);
    coefficient(bits, 0, across);
    coefficient(bits, u32::from(across == 0), down);
    bits.put(0, AC_BITS);
}

/// Writes a coefficient that stands behind `run` zeros; a zero is left to the next run.
fn coefficient(bits: &mut Bits, run: u32, value: i32) {
    let limit = (1 << AC_SIZES) - 1;
    let value = value.clamp(-limit, limit);
    if value != 0 {
        let size = size(value);
        bits.put(run * AC_SIZES + size, AC_BITS);
        bits.value(value, size);
    }
}
