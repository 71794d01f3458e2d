//! User names as a bijection of ids: the loader and the load engine agree on them without a table.

use alloc::string::String;

mod words;

/// Which kind of user names a data set has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Era {
    /// Release 0.2 of Olio: 6 to 11 characters.
    #[default]
    Release,
    /// The paper's time (2008): the same mix of lengths, three characters shorter.
    Paper,
    /// A word, or two with an underscore: for people to look at.
    Words,
}

/// Names per hundred ids of each length, from the shortest.
const SHARES: [u64; 6] = [5, 8, 17, 25, 24, 21];

/// Lower case only, so that names stay distinct under a collation that ignores case.
const ALPHABET: &[u8; 37] = b"abcdefghijklmnopqrstuvwxyz0123456789_";

/// A first character is a letter.
const LETTERS: u64 = 26;

/// Length of the names of ids for which the short lengths are used up; 26 * 37^13 exceeds 2^64.
const LONGEST: usize = 14;

/// The user name of `id`: letters, digits and underscores, starting with a letter, unique for each id.
///
/// ```
/// use loadstone_stats::{Era, username};
/// assert_eq!(username(1, Era::Release), username(1, Era::Release));
/// assert!(username(1, Era::Release) != username(2, Era::Release));
/// ```
pub fn username(id: u64, era: Era) -> String {
    let mut name = String::with_capacity(LONGEST);
    push_username(&mut name, id, era);
    name
}

/// Appends the user name of `id` to `out`.
pub fn push_username(out: &mut String, id: u64, era: Era) {
    match era {
        Era::Release => push_letters(out, id, 6),
        Era::Paper => push_letters(out, id, 3),
        Era::Words => words::push(out, id),
    }
}

/// Appends a name of letters; the mix of lengths begins at `shortest`.
fn push_letters(out: &mut String, id: u64, shortest: usize) {
    let (length, serial) = place(id, shortest);
    let capacity = capacity(length);
    let mut rest = (u128::from(serial) * multiplier(capacity)) % capacity;
    // Each character also depends on the one before, or names that share a serial's digits would look alike.
    let mut previous = rest % u128::from(LETTERS);
    rest /= u128::from(LETTERS);
    out.push(char::from(ALPHABET[previous as usize]));
    for _ in 1..length {
        previous = (rest % 37 + previous * 5 + 11) % 37;
        rest /= 37;
        out.push(char::from(ALPHABET[previous as usize]));
    }
}

/// Length of the name of `id` and its number among the names of that length.
fn place(id: u64, shortest: usize) -> (usize, u64) {
    // 37 is coprime to 100: every hundred ids meet every slot once, in a scattered order.
    let mut slot = id % 100 * 37 % 100;
    for (length, share) in (shortest..).zip(SHARES) {
        if slot < share {
            let serial = id / 100 * share + slot;
            if u128::from(serial) < capacity(length) {
                return (length, serial);
            }
            break;
        }
        slot -= share;
    }
    (LONGEST, id)
}

/// How many names of a length there are.
fn capacity(length: usize) -> u128 {
    (1..length).fold(u128::from(LETTERS), |names, _| names * 37)
}

/// A factor near the golden section of `capacity`, coprime to it (its primes are 2, 13 and 37): multiplying
/// by it permutes the serials and throws neighbours far apart. At most about 2^64, so that a product with a
/// serial fits 128 bits.
fn multiplier(capacity: u128) -> u128 {
    let capacity = capacity.min(1 << 64);
    let start = capacity / 100_000 * 61_803 + capacity % 100_000 * 61_803 / 100_000;
    (start..).find(|factor| [2, 13, 37].iter().all(|prime| factor % prime != 0)).unwrap_or(1)
}
