//! Laws of popularity: ranks in 1..=count, 1 the most popular.

use libm::{exp, expm1, fabs, floor, log, log1p};

use crate::Rng;

/// floor(-scale × count × ln u) + 1, redrawn beyond count: how Olio's loader hands out tags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExponentialRank {
    /// How many ranks, at least 1.
    pub count: u64,
    /// Mean of the law as a share of `count`, above 0.
    pub scale: f64,
}

impl ExponentialRank {
    /// Draws a rank.
    pub fn sample(&self, rng: &mut Rng) -> u64 {
        // Redrawing beyond `count` is the law truncated there; its inverse needs one draw for any scale.
        let inside = -expm1(-1.0 / self.scale);
        let rank = floor(-self.scale * self.count as f64 * log1p(-inside * rng.unit_open())) as u64;
        rank.min(self.count - 1) + 1
    }
}

/// P(rank = k) proportional to k^-exponent, sampled by rejection-inversion (Hörmann and Derflinger 1996):
/// O(1) for any count, without a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zipf {
    count: f64,
    exponent: f64,
    /// Integral of the hat at 1.5, less the mass of rank 1.
    from: f64,
    /// Integral of the hat at count + 0.5.
    to: f64,
}

impl Zipf {
    /// Ranks 1..=count, count at least 1, exponent above 0.
    pub fn new(count: u64, exponent: f64) -> Self {
        let mut law = Self { count: count as f64, exponent, from: 0.0, to: 0.0 };
        law.from = law.integral(1.5) - 1.0;
        law.to = law.integral(law.count + 0.5);
        law
    }

    /// Draws a rank.
    pub fn sample(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.to + rng.unit_open() * (self.from - self.to);
            let x = self.inverse(u);
            let rank = floor(x + 0.5).clamp(1.0, self.count);
            if u >= self.integral(rank + 0.5) - exp(-self.exponent * log(rank)) {
                return rank as u64;
            }
        }
    }

    /// Antiderivative of x^-exponent: (x^(1-s) - 1) / (1 - s), and ln x at s = 1.
    fn integral(&self, x: f64) -> f64 {
        let log_x = log(x);
        let power = (1.0 - self.exponent) * log_x;
        if fabs(power) > 1e-8 { expm1(power) / power * log_x } else { log_x * (1.0 + 0.5 * power) }
    }

    fn inverse(&self, u: f64) -> f64 {
        let power = (u * (1.0 - self.exponent)).max(-1.0);
        exp(if fabs(power) > 1e-8 { log1p(power) / power * u } else { u * (1.0 - 0.5 * power) })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::wilson;

    const DRAWS: u64 = 200_000;

    fn shares_match(count: u64, draw: impl Fn(&mut Rng) -> u64, weight: impl Fn(f64) -> f64) {
        let mut rng = Rng::new(11);
        let mut seen = vec![0u64; count as usize + 1];
        (0..DRAWS).for_each(|_| seen[draw(&mut rng) as usize] += 1);
        let total: f64 = (1..=count).map(|k| weight(k as f64)).sum();
        for k in [1, 2, 3, count / 2, count] {
            let around = wilson(seen[k as usize], DRAWS, 0.999_999_4);
            let expected = weight(k as f64) / total;
            assert!((around.low..=around.high).contains(&expected), "{k}: {expected} not in {around:?}");
        }
    }

    #[test]
    fn zipf_follows_its_weights() {
        for exponent in [0.5, 1.0, 1.7] {
            let law = Zipf::new(50, exponent);
            shares_match(50, |rng| law.sample(rng), |k| libm::pow(k, -exponent));
        }
        assert_eq!(Zipf::new(1, 1.0).sample(&mut Rng::new(1)), 1);
    }

    #[test]
    fn exponential_ranks_follow_the_truncated_law() {
        for scale in [0.1, 2.0] {
            let law = ExponentialRank { count: 40, scale };
            let step = scale * 40.0;
            shares_match(40, |rng| law.sample(rng), |k| exp(-(k - 1.0) / step) - exp(-k / step));
        }
    }
}
