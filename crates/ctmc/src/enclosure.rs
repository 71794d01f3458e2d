//! A number that is known to lie between two others, and the error model behind it.

use serde::Serialize;

/// Half the distance from 1 to the next larger number: the relative error of one rounding.
pub const ROUNDING: f64 = f64::EPSILON / 2.0;

/// More than all underflow of one computation adds up to: it needs 2⁶⁰ operations of 2⁻¹⁰⁷⁴ each to come near.
const UNDERFLOW: f64 = 1e-290;

/// `low <= truth <= high`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Enclosure {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Enclosure {
    /// A number that is exact.
    pub const fn exact(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// What a computed `value >= 0` says of the truth when its relative error is at most `relative` and up to
    /// `missing` was left out.
    pub fn around(value: f64, relative: f64, missing: f64) -> Self {
        if relative.is_nan() || relative >= 1.0 {
            return Self { low: 0.0, high: f64::INFINITY };
        }
        let low = (value / (1.0 + relative)).next_down() - UNDERFLOW;
        let high = (value / (1.0 - relative)).next_up() + missing;
        Self { low: low.next_down().max(0.0), high: (high + UNDERFLOW).next_up() }
    }

    /// The middle.
    pub fn mid(self) -> f64 {
        self.low + (self.high - self.low) / 2.0
    }

    /// Width over the larger end; 0 when both are 0.
    pub fn relative_width(self) -> f64 {
        if self.high == self.low { 0.0 } else { (self.high - self.low) / self.high }
    }

    /// Whether `value` lies inside.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The sum of two non-negative numbers.
    pub fn plus(self, other: Self) -> Self {
        Self { low: (self.low + other.low).next_down().max(0.0), high: (self.high + other.high).next_up() }
    }

    /// The product of two non-negative numbers.
    pub fn times(self, other: Self) -> Self {
        Self { low: (self.low * other.low).next_down().max(0.0), high: (self.high * other.high).next_up() }
    }

    /// The quotient of a non-negative and a positive number.
    pub fn over(self, other: Self) -> Self {
        Self { low: (self.low / other.high).next_down().max(0.0), high: (self.high / other.low).next_up() }
    }

    /// The same when the truth may be off by a factor 1 ± `relative`.
    pub fn widened(self, relative: f64) -> Self {
        let low = (self.low * (1.0 - relative)).next_down().max(0.0);
        Self { low, high: (self.high * (1.0 + relative)).next_up() }
    }

    /// The same with an upper end that the question implies, such as 1 for a probability.
    pub fn at_most(self, most: f64) -> Self {
        Self { low: self.low.min(most), high: self.high.min(most) }
    }
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
