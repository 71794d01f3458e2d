//! SQL put together while the program is compiled.
//!
//! A statement's address is its key in the statement cache, so it must be one constant however many columns
//! and filters it is made of. Constants of a generic type cannot have an array of a computed length; they are
//! therefore written into a long array, and cut to the shortest of a few lengths that holds them ([`fit`]).

/// The longest statement, bytes. A longer one does not compile.
pub(super) const LONGEST: usize = 8192;

/// Text of at most `N` bytes.
#[derive(Clone, Copy)]
pub(super) struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

/// Text before it is cut.
pub(super) type Draft = Text<LONGEST>;

impl<const N: usize> Text<N> {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    /// The parts, one after the other.
    pub(super) const fn of(parts: &[&str]) -> Self {
        let mut text = Self::new();
        let mut next = 0;
        while next < parts.len() {
            text.push(parts[next]);
            next += 1;
        }
        text
    }

    pub(super) const fn push(&mut self, part: &str) {
        let (_, free) = self.bytes.split_at_mut(self.length);
        assert!(part.len() <= free.len(), "the statement is longer than 8192 bytes");
        let (place, _) = free.split_at_mut(part.len());
        place.copy_from_slice(part.as_bytes());
        self.length += part.len();
    }

    /// A name that may be a key word elsewhere. Names are Rust's identifiers: they hold no quotes.
    pub(super) const fn name(&mut self, name: &str) {
        self.push("\"");
        self.push(name);
        self.push("\"");
    }

    /// A decimal number.
    pub(super) const fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => self.push(digit),
            Err(_) => unreachable!(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// The same text with less room behind it; an arm of [`fit`] that is not taken may lose the end.
    pub(super) const fn cut<const M: usize>(&self) -> Text<M> {
        let length = if self.length < M { self.length } else { M };
        let mut bytes = [0; M];
        bytes.split_at_mut(length).0.copy_from_slice(self.bytes.split_at(length).0);
        Text { bytes, length }
    }

    pub(super) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => panic!("names are UTF-8"),
        }
    }
}

/// A `&'static str` of a constant [`Draft`]. What the program carries is at most four times as long, or 96
/// bytes.
macro_rules! fit {
    ($draft:expr) => {
        match const { $draft.len() } {
            0..=96 => const { &$draft.cut::<96>() }.as_str(),
            97..=256 => const { &$draft.cut::<256>() }.as_str(),
            257..=768 => const { &$draft.cut::<768>() }.as_str(),
            769..=2048 => const { &$draft.cut::<2048>() }.as_str(),
            _ => const { &$draft.cut::<{ $crate::entity::text::LONGEST }>() }.as_str(),
        }
    };
}
pub(super) use fit;

#[cfg(test)]
mod tests {
    use super::*;

    struct Pair<const A: bool>;

    impl<const A: bool> Pair<A> {
        const WORD: &'static str = if A { "yes" } else { "no" };
        const SQL: &'static str = fit!(Draft::of(&["<", Self::WORD, ">"]));
    }

    #[test]
    fn constants_of_generic_types_are_joined() {
        assert_eq!((Pair::<true>::SQL, Pair::<false>::SQL), ("<yes>", "<no>"));
    }

    #[test]
    fn every_length_fits() {
        const LONG: &str = include_str!("text.rs");
        macro_rules! check {
            ($($length:literal),*) => {$(
                const { assert!(LONG.split_at($length).0.is_ascii()) };
                let sql: &'static str = fit!(Draft::of(&[LONG.split_at($length).0]));
                assert_eq!(sql, &LONG[..$length]);
            )*};
        }
        check!(0, 1, 96, 97, 256, 257, 768, 769, 2048, 2049);
    }

    #[test]
    fn numbers_are_decimal() {
        const NUMBER: &str = fit!({
            let mut text = Draft::new();
            text.number(0);
            text.push(" ");
            text.number(4_294_967_295);
            text
        });
        assert_eq!(NUMBER, "0 4294967295");
    }
}
