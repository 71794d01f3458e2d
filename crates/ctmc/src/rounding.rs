//! What rounding can have done to a number: counted in one place, for all methods.
//!
//! # Relative errors of non-negative numbers: [`Loss`]
//! A computed product, quotient or sum is the exact one times 1 + δ with |δ| <= u = 2⁻⁵³, so the logarithm of
//! computed over true is at most −ln(1 − u) < u·(1 + u) < [`ONE`] in size. A bound on that logarithm is a
//! `Loss`. Logarithms make it additive: products and quotients add their factors' losses, a power multiplies
//! its base's, and a sum of non-negative numbers has at most the largest of its terms'. A sum of n terms one
//! after the other adds n − 1 roundings, [`sum`] two. The bounds are themselves rounded upwards.
//!
//! # Sums of numbers of either sign: [`gamma`]
//! Here the error is bounded beside the sum of all magnitudes: n roundings on the way of any term take at
//! most gamma(n) = n·u/(1 − n·u) of it (Higham, *Accuracy and Stability of Numerical Algorithms*, lemma 3.1).
//!
//! # Underflow
//! A result below 2⁻¹⁰²² is off by up to 2⁻¹⁰⁷⁵ in itself. Methods for finite horizons compute with rewards
//! scaled to at most 2 and with means over the horizon: no step on the way enlarges the largest entry, so
//! that what underflow takes, once in each of 2⁶⁰ operations at most, adds up to less than [`UNDERFLOW`] in
//! that unit.

use std::ops::{Add, Mul};

/// Half the distance from 1 to the next larger number: the relative error of one rounding.
pub const ROUNDING: f64 = f64::EPSILON / 2.0;

/// More than −ln(1 − `ROUNDING`).
const ONE: f64 = ROUNDING * (1.0 + f64::EPSILON);

/// More than all underflow of one computation adds up to, where its numbers are of the size of 1.
pub const UNDERFLOW: f64 = 1e-290;

/// A bound on |ln(computed / true)| of numbers that are not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Loss(f64);

impl Loss {
    /// Nothing is known.
    pub const TOTAL: Self = Self(f64::INFINITY);

    /// Of so many roundings one after the other.
    pub fn roundings(count: f64) -> Self {
        Self((count * ONE).next_up())
    }

    /// Of a relative error: |computed − true| <= `relative` · true.
    pub fn relative(relative: f64) -> Self {
        // −ln(1 − x) <= x / (1 − x).
        if relative < 1.0 { Self((relative / (1.0 - relative).next_down()).next_up()) } else { Self::TOTAL }
    }

    /// At a time until which `mean` jumps of a uniformized chain are expected, when each jump loses this.
    ///
    /// P[more than m + x jumps] <= exp(−x²/(2m + 2x/3)), which is below 1e-299 for x = 460 + √(1380·m): what
    /// loses more than that many jumps do is covered by `UNDERFLOW`.
    pub fn of_jumps(self, mean: f64) -> Self {
        self * (mean + 461.0 + 38.0 * mean.sqrt()).next_up()
    }

    /// A bound on |computed / true − 1|.
    pub fn as_relative(self) -> f64 {
        // e^x − 1 <= x / (1 − x).
        if self.0 < 1.0 { (self.0 / (1.0 - self.0).next_down()).next_up() } else { f64::INFINITY }
    }

    /// The least that the truth can be beside the computed number 1.
    pub fn least(self) -> f64 {
        // exp(−x) >= 1 − x.
        if self.0 < 1.0 { (1.0 - self.0).next_down() } else { 0.0 }
    }

    /// The most.
    pub fn most(self) -> f64 {
        if self.0 < 1.0 { (1.0 / self.least()).next_up() } else { f64::INFINITY }
    }

    /// The larger of two.
    pub fn or(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

impl Add for Loss {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self((self.0 + other.0).next_up())
    }
}

impl Mul<f64> for Loss {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self((self.0 * times).next_up())
    }
}

/// Bound on the error of a sum beside the sum of its terms' magnitudes, when each term saw `roundings`.
pub fn gamma(roundings: f64) -> f64 {
    Loss::roundings(roundings).as_relative()
}

/// A bound from a bound: `value` came of so many roundings, and nothing was subtracted.
pub fn upwards(value: f64, roundings: f64) -> f64 {
    (value * Loss::roundings(roundings).most()).next_up()
}

/// An upper bound of the product of two bounds: nothing of nothing.
pub fn share(bound: f64, factor: f64) -> f64 {
    if bound == 0.0 || factor == 0.0 { 0.0 } else { upwards(bound * factor, 4.0) }
}

/// A sum of non-negative numbers to within two roundings, however many there are.
pub fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = total + value;
        let (large, small) = if total >= value { (total, value) } else { (value, total) };
        lost += (large - next) + small;
        total = next;
    }
    total + lost
}

/// The largest power of two that is not above a positive number: dividing by it is exact.
pub fn power_below(value: f64) -> f64 {
    f64::from_bits(value.max(f64::MIN_POSITIVE).to_bits() & f64::INFINITY.to_bits())
}
