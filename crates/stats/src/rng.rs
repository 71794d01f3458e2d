//! Random numbers: xoshiro256++ seeded by splitmix64, with independent streams from one seed.
//!
//! Both are short, public and free of word-size surprises, so a program in any language can draw the same
//! numbers. Every derived draw (`below`, `unit_open`) is defined here in integers for the same reason.

/// splitmix64's increment: 2^64 divided by the golden ratio, odd.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A generator of 64-bit numbers with period 2^256 - 1. Not for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator of `seed`: its state is the first four outputs of splitmix64 started at `seed`.
    ///
    /// ```
    /// let (mut a, mut b) = (loadstone_stats::Rng::new(7), loadstone_stats::Rng::new(7));
    /// assert_eq!(a.next_u64(), b.next_u64());
    /// ```
    pub fn new(seed: u64) -> Self {
        // splitmix64 is a bijection of its counter, so four outputs in a row are never all zero.
        Self { state: [1, 2, 3, 4].map(|step| mix(seed.wrapping_add(GAMMA.wrapping_mul(step)))) }
    }

    /// Stream `stream` of `seed`: as good as independent of every other stream of every seed.
    ///
    /// It is `new(mix(mix(seed + G) + stream + G))` with splitmix64's mixing function and increment G:
    /// two rounds, because neighbouring starts of splitmix64 would share three of their four outputs.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let root = mix(seed.wrapping_add(GAMMA));
        Self::new(mix(root.wrapping_add(stream).wrapping_add(GAMMA)))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let result = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let shifted = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= shifted;
        *s3 = s3.rotate_left(45);
        result
    }

    /// A uniform integer in `0..n`, exactly uniform: the high half of a 128-bit product, drawn again while
    /// the low half is under `2^64 mod n` (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    ///
    /// # Panics
    /// When `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no integer is below 0");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            // The cheap test first: the division is needed for one draw in 2^64 / n.
            if product as u64 >= n || product as u64 >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniform integer in `low..=high`.
    ///
    /// # Panics
    /// When `low > high`.
    pub fn range_inclusive(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "an empty range");
        match high.abs_diff(low).checked_add(1) {
            Some(count) => low.wrapping_add_unsigned(self.below(count)),
            None => self.next_u64() as i64,
        }
    }

    /// A uniform number strictly between 0 and 1: `(k + 1/2) / 2^52` with `k` the top 52 bits, so that a
    /// logarithm of it or of its complement is always finite.
    pub fn unit_open(&mut self) -> f64 {
        ((self.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
    }

    /// True with probability `share`.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit_open() < share
    }
}

/// splitmix64's finaliser: a bijection in which every input bit flips about half of the output bits.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::{GAMMA, Rng, mix};

    #[test]
    fn follows_the_published_vectors() {
        assert_eq!(mix(GAMMA), 0xE220_A839_7B1D_CDAF);
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        assert_eq!(expected.map(|_| rng.next_u64()), expected);
    }

    #[test]
    fn below_is_uniform() {
        // Chi-square with 99 degrees of freedom: mean 99, standard deviation 14.07; five of them allowed.
        let mut rng = Rng::new(1);
        let mut counts = [0_u32; 100];
        for _ in 0..1_000_000 {
            counts[rng.below(100) as usize] += 1;
        }
        let chi: f64 = counts.iter().map(|&count| (f64::from(count) - 1e4).powi(2) / 1e4).sum();
        assert!((chi - 99.0).abs() < 5.0 * 14.07, "{chi}");
    }

    #[test]
    fn below_stays_exact_where_products_wrap() {
        // Two thirds of 2^64 of all draws would favour the low third without the second draw.
        let mut rng = Rng::new(2);
        let n = 3 << 62;
        let low = (0..30_000).filter(|_| rng.below(n) < 1 << 62).count() as f64;
        assert!((low - 1e4).abs() < 5.0 * (3e4_f64 * 2.0 / 9.0).sqrt(), "{low}");
    }

    #[test]
    fn ranges_reach_both_ends() {
        let mut rng = Rng::new(3);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[(rng.range_inclusive(-2, 2) + 2) as usize] = true;
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(rng.range_inclusive(i64::MIN, i64::MIN), i64::MIN);
        rng.range_inclusive(i64::MIN, i64::MAX);
    }

    #[test]
    fn unit_is_open_with_the_right_moments() {
        let top = ((u64::MAX >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64);
        assert!(top < 1.0);
        let mut rng = Rng::new(4);
        let count = 1_000_000;
        let mean = (0..count).map(|_| rng.unit_open()).sum::<f64>() / f64::from(count);
        assert!((mean - 0.5).abs() < 5.0 / (12.0 * f64::from(count)).sqrt(), "{mean}");
    }

    #[test]
    fn streams_differ() {
        let first = |seed, stream| Rng::stream(seed, stream).next_u64();
        let all = [first(1, 0), first(1, 1), first(2, 0), first(2, 1), Rng::new(1).next_u64()];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
    }
}
