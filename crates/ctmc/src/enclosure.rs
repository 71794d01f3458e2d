//! A number that is known to lie between two others. Every operation moves both outwards.

use serde::Serialize;

use crate::rounding::{Loss, UNDERFLOW};

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

    /// What a computed `value >= 0` says of the truth when rounding has done no more to it than `loss`.
    pub fn near(value: f64, loss: Loss) -> Self {
        if !value.is_finite() || loss == Loss::TOTAL {
            return Self { low: 0.0, high: f64::INFINITY };
        }
        Self { low: (value * loss.least()).next_down().max(0.0), high: (value * loss.most()).next_up() }
    }

    /// The same of a number in a unit of the size of 1, with what underflow may have taken, and when up to
    /// `missing` was left out.
    pub fn around(value: f64, loss: Loss, missing: f64) -> Self {
        let near = Self::near(value, loss);
        let high = (near.high + missing).next_up();
        Self { low: (near.low - UNDERFLOW).next_down().max(0.0), high: (high + UNDERFLOW).next_up() }
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

    /// The same when rounding may have changed the question.
    pub fn widened(self, loss: Loss) -> Self {
        self.times(Self { low: loss.least(), high: loss.most() })
    }

    /// The same when the truth may be off by up to `amount`; of any sign.
    pub fn beside(self, amount: f64) -> Self {
        Self { low: (self.low - amount).next_down(), high: (self.high + amount).next_up() }
    }

    /// The same with an upper end that the question implies, such as 1 for a probability.
    pub fn at_most(self, most: f64) -> Self {
        Self { low: self.low.min(most), high: self.high.min(most) }
    }
}
