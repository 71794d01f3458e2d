//! A log-linear histogram of microseconds: three significant digits from 0 to 71 minutes.
//!
//! Bucket `i` below 2,048 holds exactly the value `i`. Above, with `s = (i >> 10) - 1`, it holds
//! `[((i & 1023) + 1024) << s, +(1 << s))`: 1,024 buckets an octave.

use alloc::vec;
use alloc::vec::Vec;

/// Sub-buckets of an octave, as a power of two.
const PRECISION: u32 = 10;
/// Values of this many bits are the greatest that are told apart: 2^32 µs = 71 minutes.
const MAX_BITS: u32 = 32;
/// Number of buckets.
pub const BUCKETS: usize = ((MAX_BITS - PRECISION + 1) as usize) << PRECISION;

/// Index of the bucket that holds `value`; values of 2^32 and more share the last one.
///
/// ```
/// # use loadstone_stats::{bucket_of, lower_bound};
/// assert_eq!(bucket_of(2_047), 2_047);
/// assert_eq!(bucket_of(4_096), bucket_of(4_099)); // the third octave is four wide
/// assert_eq!(lower_bound(bucket_of(4_099)), 4_096);
/// ```
#[inline]
pub fn bucket_of(value: u64) -> usize {
    let value = value.min((1 << MAX_BITS) - 1);
    // `| 1024` gives every value below 1,024 the shift of the first octave, which is zero.
    let shift = 63 - PRECISION - (value | (1 << PRECISION)).leading_zeros();
    ((shift as usize) << PRECISION) + (value >> shift) as usize
}

/// Least value of bucket `index`.
pub fn lower_bound(index: usize) -> u64 {
    if index < 2 << PRECISION {
        return index as u64;
    }
    let shift = (index >> PRECISION) - 1;
    (((index & ((1 << PRECISION) - 1)) + (1 << PRECISION)) as u64) << shift
}

/// Middle of bucket `index`: what the samples in it are taken for.
fn midpoint(index: usize) -> f64 {
    let low = lower_bound(index) as f64;
    let width = (lower_bound(index + 1) as f64 - low) - 1.0;
    low + width / 2.0
}

/// Counts of microseconds. Recording is O(1) and never allocates; a page of counts that no sample
/// falls into costs no memory; export and clearing visit used buckets only.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    /// One bit for each bucket in use.
    used: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS], used: vec![0; BUCKETS / 64], total: 0 }
    }

    /// Counts one sample of `value` microseconds.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.add(bucket_of(value), 1);
    }

    /// Adds `count` samples to bucket `index`, as exported by [`Histogram::buckets`].
    ///
    /// # Panics
    /// When `index` is not below [`BUCKETS`].
    #[inline]
    pub fn add(&mut self, index: usize, count: u64) {
        self.counts[index] += count;
        self.used[index / 64] |= 1 << (index % 64);
        self.total += count;
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (index, count) in other.buckets() {
            self.add(index, count);
        }
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Buckets in use with their counts, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.used.iter().enumerate().flat_map(move |(word, &bits)| {
            Ones(bits).map(move |bit| {
                let index = word * 64 + bit;
                (index, self.counts[index])
            })
        })
    }

    /// Forgets all samples.
    pub fn clear(&mut self) {
        for (word, bits) in self.used.iter_mut().enumerate() {
            for bit in Ones(core::mem::take(bits)) {
                self.counts[word * 64 + bit] = 0;
            }
        }
        self.total = 0;
    }

    /// Mean in microseconds; `None` when empty. Exact below 2,048, then within 0.05 %.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.buckets().map(|(index, count)| midpoint(index) * count as f64).sum();
        (self.total > 0).then(|| sum / self.total as f64)
    }

    /// The least recorded value (to the middle of its bucket) that at least the share `q` of the samples does
    /// not exceed, in microseconds; `None` when empty.
    ///
    /// ```
    /// # use loadstone_stats::Histogram;
    /// let mut times = Histogram::new();
    /// (1..=100).for_each(|v| times.record(v));
    /// assert_eq!(times.quantile(0.9), Some(90.0));
    /// ```
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let wanted = q * self.total as f64;
        // 0.07 × 100 is a little more than 7 in binary: the product is off by a rounding of each factor and
        // its own.
        let rank = libm::ceil(wanted * (1.0 - 2.0 * f64::EPSILON)) as u64;
        let rank = rank.clamp(1, self.total.max(1));
        let mut seen = 0;
        self.buckets()
            .find(|(_, count)| {
                seen += count;
                seen >= rank
            })
            .map(|(index, _)| midpoint(index))
    }
}

/// Positions of the set bits of a word, ascending.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.checked_sub(1)?;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_tile_the_range_without_gap_or_overlap() {
        for index in 0..BUCKETS {
            let low = lower_bound(index);
            assert_eq!(bucket_of(low), index);
            if index + 1 < BUCKETS {
                let next = lower_bound(index + 1);
                assert!(next > low);
                assert_eq!(bucket_of(next - 1), index);
                assert!(low < 2_048 || (next - low) as f64 / (low as f64) < 0.001);
            }
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        assert!(lower_bound(BUCKETS - 1) > 3_600_000_000, "an hour fits");
    }

    #[test]
    fn layout_is_the_documented_one() {
        for index in 2_048..BUCKETS {
            let shift = (index >> 10) - 1;
            assert_eq!(lower_bound(index), (((index & 1_023) + 1_024) as u64) << shift);
        }
    }

    #[test]
    fn merging_equals_recording_together() {
        let (mut a, mut b, mut both) = (Histogram::new(), Histogram::new(), Histogram::new());
        for value in (0..5_000_000u64).step_by(7_919) {
            if value % 2 == 0 {
                a.record(value)
            } else {
                b.record(value)
            }
            both.record(value);
        }
        a.merge(&b);
        assert_eq!(a.count(), both.count());
        assert!(a.buckets().eq(both.buckets()));
        a.clear();
        assert_eq!((a.count(), a.buckets().count(), a.mean(), a.quantile(0.5)), (0, 0, None, None));
    }

    #[test]
    fn quantiles_and_mean_of_a_uniform_sample() {
        let mut times = Histogram::new();
        (0..1_000_000u64).for_each(|v| times.record(v));
        for q in [0.01, 0.1, 0.5, 0.9, 0.99, 0.999] {
            let found = times.quantile(q).unwrap();
            assert!((found / (q * 1e6) - 1.0).abs() < 0.001, "{q}: {found}");
        }
        assert!((times.mean().unwrap() / 499_999.5 - 1.0).abs() < 1e-6);
        assert_eq!(times.quantile(0.0), Some(0.0));
    }

    #[test]
    fn a_share_that_is_a_whole_number_of_samples_is_met_exactly() {
        for total in [100u64, 1_000, 30_000] {
            let mut times = Histogram::new();
            (1..=total).for_each(|v| times.add(v as usize % 2_048, 1));
            let mut values: Vec<u64> = (1..=total).map(|v| v % 2_048).collect();
            values.sort_unstable();
            for percent in 1..=100 {
                let rank = total * percent / 100;
                let expected = values[rank as usize - 1] as f64;
                assert_eq!(times.quantile(percent as f64 / 100.0), Some(expected), "{percent} % of {total}");
            }
        }
    }
}
