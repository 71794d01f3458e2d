//! Baseline JPEG of smooth pictures, padded to an exact size.
//!
//! The encoder knows one trick instead of a cosine transform: where a picture is smooth, an 8 x 8 block is
//! its mean and its slope across and down, which are the first three coefficients. That makes a two-megapixel
//! picture in a few milliseconds, and any viewer shows it.

use alloc::vec::Vec;

use loadstone_stats::Rng;

/// Means of the three components (Y, Cb, Cr; 128 is the middle) at the centre of a block, by column and row.
pub(super) type Field<'f> = &'f dyn Fn(f64, f64) -> [f64; 3];

const BLOCK: f64 = 8.0;
/// Quantisation step of every coefficient.
const STEP: f64 = 2.0;
/// First coefficient of a block that rises by 1 a pixel: cos((2x+1) pi/16) against x - 3.5, orthonormal.
const SLOPE: f64 = -18.222;
/// Codes for sizes (DC), and for end of block, (run 0, size 1..=7), (run 1, size 1..=7) (AC): so few symbols
/// need no Huffman statistics, four bits each do. All ones is not a code, as the format demands.
const CODE_BITS: u32 = 4;
const DC_SYMBOLS: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const AC_SYMBOLS: [u8; 15] =
    [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17];
const AC_SIZES: u32 = 7;

/// A picture of `width` x `height` pixels; `size` bytes long unless the picture needs more.
pub(super) fn encode(width: u16, height: u16, field: Field<'_>, size: usize) -> Vec<u8> {
    let scan = scan(width, height, field);
    let mut out = Vec::with_capacity(size);
    out.extend([0xff, 0xd8]);
    segment(&mut out, 0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    let mut table = [STEP as u8; 65];
    table[0] = 0;
    segment(&mut out, 0xdb, &table);
    let ([h1, h0], [w1, w0]) = (height.to_be_bytes(), width.to_be_bytes());
    segment(&mut out, 0xc0, &[8, h1, h0, w1, w0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
    huffman_table(&mut out, 0x00, &DC_SYMBOLS);
    huffman_table(&mut out, 0x10, &AC_SYMBOLS);
    let rest = 2 + 12 + scan.len() + 2;
    pad(&mut out, size.saturating_sub(rest));
    segment(&mut out, 0xda, &[3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
    out.extend(scan);
    out.extend([0xff, 0xd9]);
    out
}

fn segment(out: &mut Vec<u8>, marker: u8, payload: &[u8]) {
    out.extend([0xff, marker]);
    out.extend((payload.len() as u16 + 2).to_be_bytes());
    out.extend_from_slice(payload);
}

fn huffman_table(out: &mut Vec<u8>, class: u8, symbols: &[u8]) {
    let mut payload = Vec::from([class]);
    payload.extend((1..=16).map(|bits| if bits == CODE_BITS { symbols.len() as u8 } else { 0 }));
    payload.extend_from_slice(symbols);
    segment(out, 0xc4, &payload);
}

/// Fills `out` up to `size` bytes with comments of seeded noise, which nothing on the way can compress.
fn pad(out: &mut Vec<u8>, size: usize) {
    const HEADER: usize = 4;
    const LONGEST: usize = HEADER + 65_533;
    let mut rng = Rng::new(out.len() as u64);
    loop {
        let missing = size.saturating_sub(out.len());
        if missing < HEADER {
            // Too little for a comment: any number of these may stand before a marker.
            out.resize(out.len() + missing, 0xff);
            return;
        }
        // What stays must be nothing or enough for a comment of its own.
        let stays = missing.saturating_sub(LONGEST);
        let length = if (1..HEADER).contains(&stays) { LONGEST - HEADER } else { missing.min(LONGEST) };
        let noise: Vec<u8> = (HEADER..length).map(|_| rng.next_u64() as u8).collect();
        segment(out, 0xfe, &noise);
    }
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
                bits.block(mean - last[component], across, down);
                last[component] = mean;
            }
        }
    }
    bits.finish()
}

fn quantised(coefficient: f64) -> i32 {
    libm::round(coefficient / STEP) as i32
}

/// Entropy-coded data.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    pending: u32,
    count: u32,
}

impl Bits {
    fn block(&mut self, mean_step: i32, across: i32, down: i32) {
        let size = size(mean_step);
        self.put(size, CODE_BITS);
        self.value(mean_step, size);
        self.coefficient(0, across);
        self.coefficient(u32::from(across == 0), down);
        self.put(0, CODE_BITS);
    }

    /// Writes a coefficient that stands behind `run` zeros; a zero is left to the next run.
    fn coefficient(&mut self, run: u32, value: i32) {
        let limit = (1 << AC_SIZES) - 1;
        let value = value.clamp(-limit, limit);
        if value != 0 {
            let size = size(value);
            self.put(run * AC_SIZES + size, CODE_BITS);
            self.value(value, size);
        }
    }

    /// The format's own sign: a negative value is written less one, in as many bits as its magnitude has.
    fn value(&mut self, value: i32, size: u32) {
        let coded = if value < 0 { value - 1 } else { value };
        self.put(coded as u32 & ((1 << size) - 1), size);
    }

    fn put(&mut self, value: u32, bits: u32) {
        self.pending = self.pending << bits | value;
        self.count += bits;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.pending >> self.count) as u8;
            self.bytes.push(byte);
            if byte == 0xff {
                // Or it would look like a marker.
                self.bytes.push(0);
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.put(0x7f, 7);
        self.bytes
    }
}

/// Bits of a magnitude.
fn size(value: i32) -> u32 {
    u32::BITS - value.unsigned_abs().leading_zeros()
}
