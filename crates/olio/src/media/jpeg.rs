//! Baseline JPEG files, padded to an exact size. What is in their scan is made by [`super::smooth`] and
//! [`super::detailed`].

use alloc::vec::Vec;

use loadstone_stats::Rng;

/// Codes of DC sizes are as long as this, for 0..=11 in their order: so few symbols need no Huffman
/// statistics.
const DC_BITS: u32 = 4;
const DC_SYMBOLS: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// What a decoder needs to know of a scan.
pub(super) struct Tables<'t> {
    /// Quantisation steps in the order of the zigzag.
    pub steps: [u8; 64],
    /// How many AC codes have each length, as pairs of bits and number.
    pub ac_codes: &'t [(usize, u8)],
    /// The symbols of these codes, in their order.
    pub ac_symbols: &'t [u8],
}

/// A picture of `width` x `height` pixels; `size` bytes long unless the picture needs more.
pub(super) fn file(width: u16, height: u16, tables: &Tables<'_>, scan: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(size);
    out.extend([0xff, 0xd8]);
    segment(&mut out, 0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    let mut table = [0; 65];
    table[1..].copy_from_slice(&tables.steps);
    segment(&mut out, 0xdb, &table);
    let ([h1, h0], [w1, w0]) = (height.to_be_bytes(), width.to_be_bytes());
    segment(&mut out, 0xc0, &[8, h1, h0, w1, w0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
    huffman_table(&mut out, 0x00, &[(DC_BITS as usize, DC_SYMBOLS.len() as u8)], &DC_SYMBOLS);
    huffman_table(&mut out, 0x10, tables.ac_codes, tables.ac_symbols);
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

fn huffman_table(out: &mut Vec<u8>, class: u8, codes: &[(usize, u8)], symbols: &[u8]) {
    let mut payload = [0; 17];
    payload[0] = class;
    for &(bits, count) in codes {
        payload[bits] = count;
    }
    segment(out, 0xc4, &[&payload, symbols].concat());
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

/// Entropy-coded data.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    pending: u32,
    count: u32,
}

impl Bits {
    /// Writes a block's mean, less that of the block before.
    pub(super) fn mean(&mut self, step: i32) {
        let size = size(step);
        self.put(size, DC_BITS);
        self.value(step, size);
    }

    /// The format's own sign: a negative value is written less one, in as many bits as its magnitude has.
    pub(super) fn value(&mut self, value: i32, size: u32) {
        let coded = if value < 0 { value - 1 } else { value };
        self.put(coded as u32 & ((1 << size) - 1), size);
    }

    pub(super) fn put(&mut self, value: u32, bits: u32) {
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

    /// Fills the last byte.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(0x7f, 7);
        self.bytes
    }
}

/// Bits of a magnitude.
pub(super) fn size(value: i32) -> u32 {
    u32::BITS - value.unsigned_abs().leading_zeros()
}
