//! Confidence intervals: for shares, for means, for means of correlated series, for quantiles.

use alloc::vec::Vec;

use libm::{ceil, floor, sqrt};

use crate::special::{beta_regularized, mean_and_deviation, normal_quantile, student_quantile};

/// A closed interval around an estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// The estimate.
    pub estimate: f64,
    /// Upper bound.
    pub high: f64,
}

/// Wilson's score interval for a share of `hits` in `trials`; [0, 1] without trials.
///
/// ```
/// let share = loadstone_stats::wilson(0, 100, 0.95);
/// assert!(share.low == 0.0 && (share.high - 0.037).abs() < 0.001); // never of zero width
/// ```
pub fn wilson(hits: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, estimate: f64::NAN, high: 1.0 };
    }
    let (n, p) = (trials as f64, hits as f64 / trials as f64);
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let shrink = 1.0 / (1.0 + z * z / n);
    let middle = shrink * (p + z * z / (2.0 * n));
    let half = shrink * z * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
    Interval { low: (middle - half).max(0.0), estimate: p, high: (middle + half).min(1.0) }
}

/// Student's interval for the mean of independent samples; `None` for fewer than two.
pub fn mean_interval(samples: &[f64], confidence: f64) -> Option<Interval> {
    if samples.len() < 2 {
        return None;
    }
    let (mean, deviation) = mean_and_deviation(samples);
    let n = samples.len() as f64;
    let half = student_quantile(0.5 + 0.5 * confidence, n - 1.0) * deviation / sqrt(n);
    Some(Interval { low: mean - half, estimate: mean, high: mean + half })
}

/// Interval for the mean of a correlated series by `batches` batch means; what does not fill the last batch
/// is left out. `None` for fewer than two batches or an empty batch.
pub fn batch_means(series: &[f64], batches: usize, confidence: f64) -> Option<Interval> {
    let size = series.len().checked_div(batches).filter(|size| *size > 0)?;
    let means: Vec<f64> = series
        .chunks_exact(size)
        .take(batches)
        .map(|batch| batch.iter().sum::<f64>() / size as f64)
        .collect();
    mean_interval(&means, confidence)
}

/// Ranks (from 1) of the order statistics between which the `q` quantile of `n` independent samples lies with
/// at least this confidence, whatever their law; `None` when the sample is too small to say.
pub fn quantile_ranks(n: u64, q: f64, confidence: f64) -> Option<(u64, u64)> {
    let tail = 0.5 * (1.0 - confidence);
    // P(X_(r) <= quantile) = P(Binomial(n, q) >= r) = I_q(r, n - r + 1).
    let at_least = |r: u64| beta_regularized(q, r as f64, (n - r + 1) as f64);
    let middle = (q * n as f64) as u64;
    let mut low = floor(q * n as f64).max(1.0) as u64;
    while low >= 1 && 1.0 - at_least(low) > tail {
        low -= 1;
    }
    let mut high = (ceil(q * n as f64) as u64).max(middle + 1);
    while high <= n && at_least(high) > tail {
        high += 1;
    }
    (low >= 1 && high <= n).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{Law, Rng};

    #[test]
    fn wilson_solves_its_defining_equation() {
        let z = normal_quantile(0.975);
        for (hits, trials) in [(1, 10), (50, 100), (999, 1_000)] {
            let share = wilson(hits, trials, 0.95);
            for bound in [share.low, share.high] {
                let score = (share.estimate - bound) / sqrt(bound * (1.0 - bound) / trials as f64);
                assert!((score.abs() - z).abs() < 1e-9);
            }
        }
        assert_eq!((wilson(0, 0, 0.95).low, wilson(0, 0, 0.95).high), (0.0, 1.0));
    }

    #[test]
    fn intervals_cover_as_often_as_they_say() {
        let law = Law::Uniform { low: 0.0, high: 2.0 };
        let (mut means, mut medians) = (0, 0);
        for seed in 0..2_000 {
            let mut rng = Rng::stream(5, seed);
            let mut samples: Vec<f64> = (0..40).map(|_| law.sample(&mut rng)).collect();
            let mean = mean_interval(&samples, 0.9).unwrap();
            means += u64::from((mean.low..=mean.high).contains(&1.0));
            samples.sort_by(f64::total_cmp);
            let (low, high) = quantile_ranks(40, 0.5, 0.9).unwrap();
            medians += u64::from(samples[low as usize - 1] <= 1.0 && 1.0 <= samples[high as usize - 1]);
        }
        let around = |hits| wilson(hits, 2_000, 0.999_99);
        assert!(around(means).low < 0.9 && 0.9 < around(means).high, "{means}");
        assert!(around(medians).high > 0.9, "{medians}");
    }

    #[test]
    fn quantile_ranks_of_small_samples() {
        // Smallest n whose extremes hold the median at 95 %: 1 - 2/2^n >= 0.95, n = 6.
        assert_eq!(quantile_ranks(5, 0.5, 0.95), None);
        assert_eq!(quantile_ranks(6, 0.5, 0.95), Some((1, 6)));
    }

    #[test]
    fn batches_need_data() {
        assert_eq!(batch_means(&[1.0, 2.0], 0, 0.9), None);
        assert_eq!(batch_means(&[1.0], 2, 0.9), None);
        let flat = batch_means(&[1.0, 3.0, 1.0, 3.0, 9.0], 2, 0.9).unwrap();
        assert_eq!((flat.low, flat.estimate, flat.high), (2.0, 2.0, 2.0));
    }
}
