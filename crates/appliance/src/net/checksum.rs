//! The Internet checksum (RFC 1071), eight bytes at a time.

/// Sum of `bytes` as big-endian words of 16 bits, the last padded with a zero; not yet folded or inverted.
///
/// One's-complement sums may be taken over wider words and in the machine's byte order, and turned round at
/// the end (RFC 1071 §2 B and C).
pub fn sum(bytes: &[u8]) -> u32 {
    let mut wide = bytes.chunks_exact(8);
    let (mut total, mut carries) = (0_u64, 0_u64);
    for chunk in &mut wide {
        let word = u64::from_ne_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        let carry;
        (total, carry) = total.overflowing_add(word);
        carries += u64::from(carry);
    }
    let mut rest = [0; 8];
    rest[..wide.remainder().len()].copy_from_slice(wide.remainder());
    let halves = |word: u64| (word >> 32) + (word & 0xffff_ffff);
    let total = halves(total) + carries + halves(u64::from_ne_bytes(rest));
    let total = fold((total >> 32) as u32).wrapping_add(fold(total as u32));
    u32::from(u16::from_be(fold_twice(total)))
}

fn fold(sum: u32) -> u32 {
    (sum >> 16) + (sum & 0xffff)
}

fn fold_twice(sum: u32) -> u16 {
    fold(fold(sum)) as u16
}

/// The checksum of what adds up to `sum`.
pub fn finish(sum: u32) -> u16 {
    !fold_twice(sum)
}

/// Whether what adds up to `sum`, with its checksum, is intact.
pub fn is_intact(sum: u32) -> bool {
    fold_twice(sum) == 0xffff
}

/// Folds a sum to 16 bits, as a card wants it that is to go on with it.
pub fn partial(sum: u32) -> u16 {
    fold_twice(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Word by word, as RFC 1071 §1 says it.
    fn slowly(bytes: &[u8]) -> u16 {
        let mut total = 0_u32;
        for pair in bytes.chunks(2) {
            total += u32::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)]));
            total = fold(total);
        }
        !(fold(total) as u16)
    }

    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
        assert_eq!(finish(sum(&[])), 0xffff);
    }

    proptest! {
        #[test]
        fn wide_sums_are_the_same(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert_eq!(finish(sum(&bytes)), slowly(&bytes));
        }

        #[test]
        fn full_words_carry(bytes in prop::collection::vec(prop::sample::select(&[0xff_u8, 0xfe][..]), 0..300)) {
            prop_assert_eq!(finish(sum(&bytes)), slowly(&bytes));
        }
    }
}
