//! How long answers took, by class of status.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets, microseconds; the last bucket has none.
pub(crate) const BOUNDS_US: [u64; 15] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 10_000_000,
];

/// A histogram for each class of status. Threads share it: it is kept only where somebody watches.
#[derive(Debug, Default)]
pub(crate) struct Times {
    classes: [Class; 5],
}

#[derive(Debug)]
struct Class {
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Default for Class {
    fn default() -> Self {
        Self { buckets: array::from_fn(|_| AtomicU64::new(0)), sum_us: AtomicU64::new(0) }
    }
}

impl Times {
    /// Counts an answer that took so long.
    pub fn add(&self, status: u16, took: Duration) {
        let class = &self.classes[usize::from(status / 100).clamp(1, 5) - 1];
        let took_us = took.as_micros() as u64;
        let bucket = BOUNDS_US.partition_point(|&bound| bound < took_us);
        class.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        class.sum_us.fetch_add(took_us, Ordering::Relaxed);
    }

    /// Of the class `1xx` (0) to `5xx` (4): answers up to each bound, all of them last, and the sum of their
    /// times in µs.
    pub fn cumulative(&self, class: usize) -> ([u64; BOUNDS_US.len() + 1], u64) {
        let mut total = 0;
        let counts = self.classes[class].buckets.each_ref().map(|bucket| {
            total += bucket.load(Ordering::Relaxed);
            total
        });
        (counts, self.classes[class].sum_us.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket() {
        let times = Times::default();
        for took_us in [0, 100, 101, 10_000_000, 10_000_001] {
            times.add(200, Duration::from_micros(took_us));
        }
        let (counts, sum_us) = times.cumulative(1);
        assert_eq!((counts[0], counts[1], counts[14], counts[15]), (2, 3, 4, 5));
        assert_eq!(sum_us, 20_000_202);
        assert_eq!(times.cumulative(4).0[15], 0);
    }
}
