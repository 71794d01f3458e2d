//! Small PNG pictures of one colour, padded to an exact size.

use alloc::vec;
use alloc::vec::Vec;

use loadstone_stats::Rng;

/// Levels of opacity that a pixel can have.
pub(super) const LEVELS: u8 = 16;

/// A square picture of `side` pixels, an even number: `colour` with an opacity below [`LEVELS`] at each
/// column and row. `size` bytes long, unless the picture needs more or the difference is smaller than a
/// chunk.
pub(super) fn encode(side: u32, colour: [u8; 3], opacity: impl Fn(u32, u32) -> u8, size: usize) -> Vec<u8> {
    let mut out = Vec::from(*b"\x89PNG\r\n\x1a\n");
    let mut header = [side.to_be_bytes(), side.to_be_bytes()].concat();
    // Four bits a pixel, with a palette; deflate, the five filters, not interlaced.
    header.extend([4, 3, 0, 0, 0]);
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"PLTE", &colour.repeat(LEVELS.into()));
    let steps: Vec<u8> = (0..LEVELS).map(|level| level * 17).collect();
    chunk(&mut out, b"tRNS", &steps);
    let mut pixels = Vec::new();
    for row in 0..side {
        // Each row begins with its filter: none.
        pixels.push(0);
        pixels.extend((0..side).step_by(2).map(|x| opacity(x, row) << 4 | opacity(x + 1, row)));
    }
    let data = stored(&pixels);
    let rest = 2 * CHUNK + data.len();
    pad(&mut out, size.saturating_sub(rest));
    chunk(&mut out, b"IDAT", &data);
    chunk(&mut out, b"IEND", &[]);
    out
}

/// Bytes of a chunk besides its data.
const CHUNK: usize = 12;

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    let sum = crc32(&out[start..]);
    out.extend(sum.to_be_bytes());
}

/// Fills `out` up to `size` bytes with a comment of seeded letters.
fn pad(out: &mut Vec<u8>, size: usize) {
    const KEYWORD: &[u8] = b"Comment\0";
    let Some(letters) = size.checked_sub(out.len() + CHUNK + KEYWORD.len()) else { return };
    let mut rng = Rng::new(size as u64);
    let mut text = Vec::from(KEYWORD);
    text.extend((0..letters).map(|_| b'a' + rng.below(26) as u8));
    chunk(out, b"tEXt", &text);
}

/// A zlib stream that holds `data` as it is; at most 65,535 bytes.
fn stored(data: &[u8]) -> Vec<u8> {
    let length = data.len() as u16;
    let mut out = vec![0x78, 0x01, 0x01];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend_from_slice(data);
    out.extend(adler32(data).to_be_bytes());
    out
}

fn adler32(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    b << 16 | a
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[cfg(test)]
mod tests {
    use super::{adler32, crc32};

    #[test]
    fn sums_are_the_published_ones() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }
}
