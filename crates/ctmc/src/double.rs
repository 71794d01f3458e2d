//! Numbers of twice the working precision: an unevaluated sum of two. Relative errors are those of
//! non-negative ones.

use std::ops::{Add, Mul, Neg, Sub};

use crate::rounding::Loss;

/// Relative error of one operation on non-negative numbers; the true bounds are a few times 2⁻¹⁰⁶.
pub const ROUNDING: f64 = 1.0 / (1u128 << 102) as f64;

/// What so many operations on non-negative numbers lose.
pub fn loss(operations: f64) -> Loss {
    Loss::relative(operations * ROUNDING)
}

/// Bound on the error of a sum of numbers of either sign beside the sum of their magnitudes, when each saw so
/// many operations: one errs by `ROUNDING` of the larger operand.
pub fn gamma(operations: f64) -> f64 {
    loss(operations).as_relative()
}

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Double {
    /// The number, rounded.
    pub high: f64,
    /// What rounding took away.
    pub low: f64,
}

impl Double {
    /// The sum of two numbers, exactly.
    #[inline(always)]
    pub fn exact_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let back = high - a;
        Self { high, low: (a - (high - back)) + (b - back) }
    }

    /// The product of two numbers, exactly.
    #[inline(always)]
    pub fn exact_product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: a.mul_add(b, -high) }
    }

    /// The same value with `low` brought back under half a unit of `high`, given |high| >= |low|.
    #[inline(always)]
    fn settled(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }

    /// self · factor.
    #[inline(always)]
    pub fn scaled(self, factor: f64) -> Self {
        let product = Self::exact_product(self.high, factor);
        Self::settled(product.high, self.low.mul_add(factor, product.low))
    }

    /// 1 / self, for a positive number.
    pub fn inverse(self) -> Self {
        let first = 1.0 / self.high;
        // One step of Newton: the error of `first`, in full, is 1 - self·first.
        let product = self * Self::from(first);
        let error = (1.0 - product.high) - product.low;
        Self::settled(first, first * error)
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let sum = Self::exact_sum(self.high, other.high);
        Self::settled(sum.high, sum.low + (self.low + other.low))
    }
}

/// Of numbers of either sign a sum errs by `ROUNDING` of the larger one.
impl Sub for Double {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Double {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Mul for Double {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = Self::exact_product(self.high, other.high);
        Self::settled(product.high, self.low.mul_add(other.high, self.high.mul_add(other.low, product.low)))
    }
}
