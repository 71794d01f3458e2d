//! Distribution functions that the laws and intervals need.

use libm::{erfc, exp, fabs, lgamma, log, log1p, sqrt};

/// Standard normal distribution function.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / core::f64::consts::SQRT_2)
}

/// Standard normal quantile of `p` in (0, 1).
pub(crate) fn normal_quantile(p: f64) -> f64 {
    bisect(-40.0, 40.0, |x| normal_cdf(x) < p)
}

/// Quantile of Student's t law with `freedom` degrees of freedom.
pub(crate) fn student_quantile(p: f64, freedom: f64) -> f64 {
    bisect(-1e6, 1e6, |t| student_cdf(t, freedom) < p)
}

/// Student's t through the incomplete beta function (Abramowitz and Stegun 26.7.1).
fn student_cdf(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * beta_regularized(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// Regularized incomplete beta function I_x(a, b), by its continued fraction (A&S 26.5.8).
pub(crate) fn beta_regularized(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    // The fraction converges fast on this side only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_regularized(1.0 - x, b, a);
    }
    let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
    let term = |m: f64, odd: bool| {
        if odd {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        } else {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        }
    };
    // Modified Lentz: the value is front / (1 + d1/(1 + d2/(1 + ...))).
    let guard = |v: f64| if fabs(v) < 1e-300 { 1e-300 } else { v };
    let (mut c, mut d) = (1.0, 1.0 / guard(1.0 + term(0.0, true)));
    let mut value = d;
    for m in 1..1_000 {
        for odd in [false, true] {
            let coefficient = term(f64::from(m), odd);
            d = 1.0 / guard(1.0 + coefficient * d);
            c = guard(1.0 + coefficient / c);
            value *= c * d;
        }
        if fabs(c * d - 1.0) < 1e-15 {
            break;
        }
    }
    front * value
}

/// Regularized lower incomplete gamma function P(a, x), by series or continued fraction (A&S 6.5.29, 6.5.31).
pub(crate) fn gamma_regularized(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = exp(a * log(x) - x - lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return front * sum;
    }
    let mut b = x + 1.0 - a;
    let mut d = 1.0 / b;
    let (mut c, mut value) = (1e300, d);
    for i in 1..10_000 {
        let i = f64::from(i);
        let coefficient = -i * (i - a);
        b += 2.0;
        d = 1.0 / (coefficient * d + b);
        c = b + coefficient / c;
        value *= c * d;
        if fabs(c * d - 1.0) < 1e-15 {
            break;
        }
    }
    1.0 - front * value
}

/// Where `below` turns false; 200 halvings exhaust double precision on any bracket.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if below(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Sample standard deviation and mean.
pub(crate) fn mean_and_deviation(samples: &[f64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let squares: f64 = samples.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, sqrt(squares / (n - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (p, z) in [(0.975, 1.959_963_984_540_054), (0.5, 0.0), (0.95, 1.644_853_626_951_472_4)] {
            assert!((normal_quantile(p) - z).abs() < 1e-9);
        }
        // Two degrees of freedom have a closed form: t = (2p - 1) / sqrt(2p(1 - p)).
        for p in [0.6, 0.9, 0.975, 0.999] {
            let exact = (2.0 * p - 1.0) / sqrt(2.0 * p * (1.0 - p));
            assert!((student_quantile(p, 2.0) / exact - 1.0).abs() < 1e-9, "{p}");
        }
        assert!((student_quantile(0.975, 1e7) - normal_quantile(0.975)).abs() < 1e-5);
    }

    #[test]
    fn incomplete_functions_have_their_closed_forms() {
        for x in [0.01, 0.3, 0.5, 0.9] {
            assert!((beta_regularized(x, 1.0, 3.0) - (1.0 - libm::pow(1.0 - x, 3.0))).abs() < 1e-12);
        }
        for x in [0.01, 1.0, 1.9, 2.5, 30.0] {
            assert!((gamma_regularized(1.0, x) - (1.0 - exp(-x))).abs() < 1e-12);
            assert!((gamma_regularized(0.5, x) - (1.0 - erfc(sqrt(x)))).abs() < 1e-12);
        }
    }
}
