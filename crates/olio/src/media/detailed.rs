//! The scan of a picture with edges.
//!
//! Blocks in which the corners and the centre show the same surface are coded by their mean and slopes, as in
//! [`super::smooth`]; only the others, a few in a hundred of a large picture, are sampled pixel by pixel and
//! transformed.

use alloc::vec::Vec;

use super::jpeg::{self, Bits, Tables, size};

/// What a picture shows at a pixel: which surface, and its colour (Y, Cb, Cr; 128 is the middle).
pub(super) type Sample = (usize, [f32; 3]);

const SIDE: usize = 8;
const AREA: usize = SIDE * SIDE;
/// Coefficients of a block that rises by 1 a pixel: cos((2x+1) pi/16) against x - 3.5, orthonormal.
const SLOPE: f32 = -18.222;
/// End of block and the most frequent pairs of run and size have short codes, all others long ones.
const SHORT: [u8; 10] = [0x00, 0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x21, 0x31, 0x05];
const SHORT_BITS: u32 = 4;
const LONG_BITS: u32 = 9;
/// Sixteen zeros.
const ZEROS: u8 = 0xf0;
/// Largest size of a coefficient in a baseline file.
const SIZES: u8 = 10;

/// A picture of `width` x `height` pixels; `size` bytes long unless the picture needs more.
pub(super) fn encode(width: u16, height: u16, picture: &dyn Fn(f32, f32) -> Sample, size: usize) -> Vec<u8> {
    let coder = Coder::new();
    let tables = Tables {
        steps: coder.order.map(step),
        ac_codes: &[
            (SHORT_BITS as usize, SHORT.len() as u8),
            (LONG_BITS as usize, (coder.symbols.len() - SHORT.len()) as u8),
        ],
        ac_symbols: &coder.symbols,
    };
    jpeg::file(width, height, &tables, &coder.scan(width, height, picture), size)
}

/// The quantisation step of the coefficient at `place`: coarser the finer the detail.
fn step(place: usize) -> u8 {
    (6 + 3 * (place / SIDE + place % SIDE)) as u8
}

struct Coder {
    /// Places of coefficients in the order of the zigzag.
    order: [usize; AREA],
    /// cos((2x + 1) u pi / 16), orthonormal, at u * 8 + x.
    waves: [f32; AREA],
    symbols: Vec<u8>,
    /// Code and bits of each symbol.
    codes: [(u32, u32); 256],
}

impl Coder {
    fn new() -> Self {
        let waves = core::array::from_fn(|at| {
            let (u, x) = ((at / SIDE) as f32, (at % SIDE) as f32);
            let scale = if at < SIDE { 0.353_553_4 } else { 0.5 };
            scale * libm::cosf((2.0 * x + 1.0) * u * core::f32::consts::PI / 16.0)
        });
        let pairs = (0..16_u8).flat_map(|run| (1..=SIZES).map(move |size| run << 4 | size));
        let long = pairs.chain([ZEROS]).filter(|symbol| !SHORT.contains(symbol));
        let symbols: Vec<u8> = SHORT.into_iter().chain(long).collect();
        let mut codes = [(0, 0); 256];
        for (at, &symbol) in symbols.iter().enumerate() {
            codes[usize::from(symbol)] = match at.checked_sub(SHORT.len()) {
                None => (at as u32, SHORT_BITS),
                // The first long code follows the last short one.
                Some(rest) => (((SHORT.len() as u32) << (LONG_BITS - SHORT_BITS)) + rest as u32, LONG_BITS),
            };
        }
        Self { order: zigzag(), waves, symbols, codes }
    }

    fn scan(&self, width: u16, height: u16, picture: &dyn Fn(f32, f32) -> Sample) -> Vec<u8> {
        let mut bits = Bits::default();
        let mut last = [0; 3];
        for top in (0..height).step_by(SIDE) {
            for left in (0..width).step_by(SIDE) {
                let blocks = self.block(f32::from(left), f32::from(top), picture);
                for (coefficients, last) in blocks.iter().zip(&mut last) {
                    self.write(&mut bits, coefficients, last);
                }
            }
        }
        bits.finish()
    }

    /// The coefficients of a block's three components.
    fn block(&self, left: f32, top: f32, picture: &dyn Fn(f32, f32) -> Sample) -> [[f32; AREA]; 3] {
        const FAR: f32 = 7.0;
        let (surface, here) = picture(left, top);
        let across = picture(left + FAR, top);
        let down = picture(left, top + FAR);
        let others = [across, down, picture(left + FAR, top + FAR), picture(left + 3.5, top + 3.5)];
        let mut out = [[0.0; AREA]; 3];
        if others.iter().all(|other| other.0 == surface) {
            for (component, out) in out.iter_mut().enumerate() {
                let (rise, fall) =
                    (across.1[component] - here[component], down.1[component] - here[component]);
                out[0] = (here[component] + (rise + fall) / 2.0 - 128.0) * SIDE as f32;
                out[1] = rise / FAR * SLOPE;
                out[SIDE] = fall / FAR * SLOPE;
            }
            return out;
        }
        let mut pixels = [[0.0; AREA]; 3];
        for at in 0..AREA {
            let (_, colour) = picture(left + (at % SIDE) as f32, top + (at / SIDE) as f32);
            for (pixels, value) in pixels.iter_mut().zip(colour) {
                pixels[at] = value - 128.0;
            }
        }
        pixels.map(|pixels| self.transformed(&pixels))
    }

    /// The cosine transform, rows first.
    fn transformed(&self, pixels: &[f32; AREA]) -> [f32; AREA] {
        let half = |input: &[f32; AREA]| {
            let mut out = [0.0; AREA];
            for (row, input) in input.chunks_exact(SIDE).enumerate() {
                for (u, wave) in self.waves.chunks_exact(SIDE).enumerate() {
                    // Transposed, so that the second half is like the first.
                    out[u * SIDE + row] = input.iter().zip(wave).map(|(value, wave)| value * wave).sum();
                }
            }
            out
        };
        half(&half(pixels))
    }

    fn write(&self, bits: &mut Bits, coefficients: &[f32; AREA], last: &mut i32) {
        let quantised = |place: usize| libm::roundf(coefficients[place] / f32::from(step(place))) as i32;
        let mean = quantised(0);
        bits.mean(mean - *last);
        *last = mean;
        let mut run = 0;
        for &place in &self.order[1..] {
            let value = quantised(place);
            if value == 0 {
                run += 1;
                continue;
            }
            while run > 15 {
                self.symbol(bits, ZEROS);
                run -= 16;
            }
            let size = size(value);
            self.symbol(bits, run << 4 | size as u8);
            bits.value(value, size);
            run = 0;
        }
        if run > 0 {
            self.symbol(bits, 0);
        }
    }

    fn symbol(&self, bits: &mut Bits, symbol: u8) {
        let (code, length) = self.codes[usize::from(symbol)];
        bits.put(code, length);
    }
}

/// The format's order of coefficients: along diagonals, up and down in turn.
fn zigzag() -> [usize; AREA] {
    let mut order: [usize; AREA] = core::array::from_fn(|place| place);
    order.sort_by_key(|place| {
        let (row, column) = (place / SIDE, place % SIDE);
        let diagonal = row + column;
        (diagonal, if diagonal % 2 == 0 { column } else { row })
    });
    order
}

#[cfg(test)]
mod tests {
    use super::zigzag;

    #[test]
    fn the_zigzag_begins_and_ends_as_the_format_says() {
        let order = zigzag();
        assert_eq!(order[..11], [0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32]);
        assert_eq!(order[60..], [47, 55, 62, 63]);
    }
}
