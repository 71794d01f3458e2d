//! Laws of non-negative times in seconds, clamped (not redrawn) at their greatest value.

use libm::{cos, exp, fabs, log, pow, sqrt, tgamma};

use crate::Rng;
use crate::special::{gamma_regularized, normal_cdf};

/// Of a span of a hundred days this leaves two nanoseconds.
const HALVINGS: u32 = 52;

/// A law of times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Always the same.
    Fixed(f64),
    /// Uniform on [low, high].
    Uniform {
        /// Least.
        low: f64,
        /// Greatest.
        high: f64,
    },
    /// min + (mean - min)(-ln u), clamped at max.
    NegExp {
        /// Mean before clamping.
        mean: f64,
        /// Shift.
        min: f64,
        /// Clamp.
        max: f64,
    },
    /// exp(N(mu, sigma)), clamped at max.
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
        /// Clamp.
        max: f64,
    },
    /// Survival (scale / x)^shape from scale on, clamped at max.
    Pareto {
        /// Least value.
        scale: f64,
        /// Tail index.
        shape: f64,
        /// Clamp.
        max: f64,
    },
    /// Survival exp(-(x / scale)^shape), clamped at max.
    Weibull {
        /// Scale.
        scale: f64,
        /// Shape; 1 is exponential.
        shape: f64,
        /// Clamp.
        max: f64,
    },
}

impl Law {
    /// Draws a time.
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        match *self {
            Law::Fixed(value) => value,
            Law::Uniform { low, high } => low + (high - low) * rng.unit_open(),
            Law::NegExp { mean, min, max } => (min - (mean - min) * log(rng.unit_open())).min(max),
            Law::LogNormal { mu, sigma, max } => exp(mu + sigma * standard_normal(rng)).min(max),
            Law::Pareto { scale, shape, max } => (scale * pow(rng.unit_open(), -1.0 / shape)).min(max),
            Law::Weibull { scale, shape, max } => (scale * pow(-log(rng.unit_open()), 1.0 / shape)).min(max),
        }
    }

    /// Mean after clamping: the integral of the survival function from 0 to max, in closed form.
    ///
    /// ```
    /// # use loadstone_stats::Law;
    /// let cycle = Law::NegExp { mean: 5.0, min: 0.0, max: 25.0 };
    /// assert!((cycle.mean() - 5.0 * (1.0 - (-5.0f64).exp())).abs() < 1e-12); // 4.966
    /// ```
    pub fn mean(&self) -> f64 {
        self.mean_up_to(self.greatest())
    }

    /// Draws what is left of a time under way, seen from an instant that has nothing to do with it (the
    /// residual life of renewal theory): density P(X > t) / E X. Who joins with it repeats events at the long
    /// run's rate at once.
    ///
    /// ```
    /// # use loadstone_stats::{Law, Rng};
    /// let left = Law::Fixed(5.0).residual(&mut Rng::new(1)); // anywhere within the time
    /// assert!(left > 0.0 && left <= 5.0);
    /// ```
    pub fn residual(&self, rng: &mut Rng) -> f64 {
        let survived = rng.unit_open() * self.mean();
        // The mean up to t grows with t, from 0 to the mean at the greatest time.
        let (mut low, mut high) = (0.0, self.greatest());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.mean_up_to(middle) < survived {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// No time is longer.
    fn greatest(&self) -> f64 {
        match *self {
            Law::Fixed(value) => value,
            Law::Uniform { high, .. } => high,
            Law::NegExp { max, .. }
            | Law::LogNormal { max, .. }
            | Law::Pareto { max, .. }
            | Law::Weibull { max, .. } => max,
        }
    }

    /// Mean of the lesser of a time and `max`, whatever the law's own clamp: the integral of the survival
    /// function.
    fn mean_up_to(&self, max: f64) -> f64 {
        match *self {
            Law::Fixed(value) => value.min(max),
            Law::Uniform { low, .. } if max <= low => max,
            Law::Uniform { low, high } if max >= high => 0.5 * (low + high),
            Law::Uniform { low, high } => max - 0.5 * (max - low) * (max - low) / (high - low),
            Law::NegExp { min, .. } if max <= min => max,
            Law::NegExp { mean, min, .. } if mean <= min => min,
            Law::NegExp { mean, min, .. } => min + (mean - min) * (1.0 - exp((min - max) / (mean - min))),
            Law::LogNormal { .. } if max <= 0.0 => 0.0,
            Law::LogNormal { mu, sigma, .. } => {
                let z = (log(max) - mu) / sigma;
                exp(mu + 0.5 * sigma * sigma) * normal_cdf(z - sigma) + max * normal_cdf(-z)
            }
            Law::Pareto { scale, .. } if max <= scale => max,
            Law::Pareto { scale, shape, .. } if fabs(shape - 1.0) < 1e-9 => scale * (1.0 + log(max / scale)),
            Law::Pareto { scale, shape, .. } => {
                scale + scale * (1.0 - pow(max / scale, 1.0 - shape)) / (shape - 1.0)
            }
            Law::Weibull { scale, shape, .. } => {
                let inverse = 1.0 / shape;
                scale * inverse * tgamma(inverse) * gamma_regularized(inverse, pow(max / scale, shape))
            }
        }
    }
}

/// Box and Muller's cosine branch; the sine is not kept, so that a law has no state.
fn standard_normal(rng: &mut Rng) -> f64 {
    let radius = sqrt(-2.0 * log(rng.unit_open()));
    radius * cos(2.0 * core::f64::consts::PI * rng.unit_open())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::mean_interval;

    const LAWS: [Law; 9] = [
        Law::Fixed(0.3),
        Law::Uniform { low: 1.0, high: 3.0 },
        Law::NegExp { mean: 5.0, min: 0.0, max: 25.0 },
        Law::NegExp { mean: 5.0, min: 3.0, max: 25.0 },
        Law::LogNormal { mu: 0.5, sigma: 1.2, max: 8.0 },
        Law::Pareto { scale: 1.0, shape: 1.5, max: 30.0 },
        Law::Pareto { scale: 0.5, shape: 1.0, max: 10.0 },
        Law::Weibull { scale: 2.0, shape: 0.7, max: 6.0 },
        Law::Weibull { scale: 2.0, shape: 2.5, max: 2.2 },
    ];

    #[test]
    fn sample_means_lie_around_the_closed_form() {
        for (stream, law) in LAWS.iter().enumerate() {
            let mut rng = Rng::stream(7, stream as u64);
            let samples: Vec<f64> = (0..100_000).map(|_| law.sample(&mut rng)).collect();
            // Five standard deviations: a right law fails once in 1.7 million seeds.
            let around = mean_interval(&samples, 0.999_999_4).unwrap();
            let (low, high) = (around.low - 1e-12, around.high + 1e-12);
            assert!((low..=high).contains(&law.mean()), "{law:?}: {} not in {around:?}", law.mean());
        }
    }

    #[test]
    fn samples_follow_the_survival_function_and_stop_at_the_clamp() {
        let mut rng = Rng::new(3);
        let law = Law::Pareto { scale: 1.0, shape: 1.5, max: 30.0 };
        let samples: Vec<f64> = (0..100_000).map(|_| law.sample(&mut rng)).collect();
        for x in [1.5, 4.0, 20.0] {
            let beyond = samples.iter().filter(|s| **s > x).count() as u64;
            let share = crate::wilson(beyond, 100_000, 0.999_999_4);
            assert!((share.low..share.high).contains(&pow(x, -1.5)), "{x}");
        }
        assert!(samples.iter().all(|s| (1.0..=30.0).contains(s)));
        assert!(samples.contains(&30.0));
    }

    #[test]
    fn who_joins_with_a_residual_repeats_at_the_long_runs_rate_at_once() {
        // Renewal theory: with a residual first, the expected number of events in [0, t] is t / mean for
        // every t.
        for (stream, law) in LAWS.iter().enumerate() {
            let mut rng = Rng::stream(11, stream as u64);
            for share in [0.1, 0.7, 2.5] {
                let until = share * law.mean();
                let events: Vec<f64> = (0..10_000)
                    .map(|_| {
                        let (mut at, mut events) = (law.residual(&mut rng), 0.0);
                        while at <= until {
                            events += 1.0;
                            at += law.sample(&mut rng);
                        }
                        events
                    })
                    .collect();
                let around = mean_interval(&events, 0.999_999_4).unwrap();
                assert!((around.low..=around.high).contains(&share), "{law:?}: {share} not in {around:?}");
            }
        }
    }

    #[test]
    fn a_residual_of_no_time_is_none() {
        assert_eq!(Law::Fixed(0.0).residual(&mut Rng::new(1)), 0.0);
    }

    #[test]
    fn a_weibull_of_shape_one_is_exponential() {
        let weibull = Law::Weibull { scale: 5.0, shape: 1.0, max: 25.0 };
        let exponential = Law::NegExp { mean: 5.0, min: 0.0, max: 25.0 };
        assert!((weibull.mean() - exponential.mean()).abs() < 1e-12);
    }
}
