//! A one-page PDF of an exact size.

use alloc::format;
use alloc::vec::Vec;

use loadstone_stats::Rng;

const PAGE: &str = "BT /F1 28 Tf 72 720 Td (About this event) Tj \
    /F1 12 Tf 0 -36 Td (This document stands for the one an organiser would attach:) Tj \
    0 -18 Td (a programme, directions, a flyer.) Tj ET";
/// Bytes of a line of padding, with its line feed.
const LINE: usize = 100;

/// The document; `size` bytes long unless it needs more.
pub(super) fn make(size: usize) -> Vec<u8> {
    let mut out = Vec::from(*b"%PDF-1.4\n");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".into(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .into(),
        format!("<< /Length {} >>\nstream\n{PAGE}\nendstream", PAGE.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".into(),
    ];
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", out.len());
        out.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    table += &format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n", objects.len() + 1);
    let start = table_start(size, out.len(), table.len());
    pad(&mut out, start);
    out.extend(table.bytes());
    out.extend(format!("{start}\n%%EOF\n").bytes());
    // Where the offset gains a digit one size is jumped over; a line feed after the end mends that.
    out.resize(out.len().max(size), b'\n');
    out
}

/// Where the table stands so that the file ends at `size`: the offset's own digits are part of the file.
fn table_start(size: usize, body: usize, table: usize) -> usize {
    let end = |start: usize| start + table + format!("{start}\n%%EOF\n").len();
    let mut start = size.saturating_sub(table);
    while start > body && end(start) > size {
        start -= 1;
    }
    start.max(body)
}

/// Comment lines of seeded letters.
fn pad(out: &mut Vec<u8>, end: usize) {
    let mut rng = Rng::new(out.len() as u64);
    while out.len() < end {
        let length = LINE.min(end - out.len());
        if length > 1 {
            out.push(b'%');
            out.extend((2..length).map(|_| b'a' + rng.below(26) as u8));
        }
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::make;

    #[test]
    fn sizes_are_exact_and_offsets_right() {
        // The second range holds the sizes at which the offset gains a digit.
        for size in (1200..1300).chain(100_100..100_400).chain([129_617, 129_585]) {
            let document = make(size);
            assert_eq!(document.len(), size);
            let text = core::str::from_utf8(&document).unwrap();
            let start: usize = text.trim_end().rsplit('\n').nth(1).unwrap().parse().unwrap();
            assert!(text[start..].starts_with("xref\n0 6\n"));
            let entries = text[start..].lines().skip(3).take(5);
            for (number, entry) in (1..).zip(entries) {
                let offset: usize = entry[..10].parse().unwrap();
                assert!(text[offset..].starts_with(&alloc::format!("{number} 0 obj")), "{entry}");
            }
        }
        let least = make(0);
        assert!(least.len() > 500 && least.ends_with(b"%%EOF\n"));
    }
}
