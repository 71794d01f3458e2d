//! Binary numbers of any length: sums and products without rounding.

use std::cmp::Ordering;
use std::ops::{Add, Mul};

use num_bigint::BigInt;
use num_rational::BigRational;

/// digits · 2^exponent.
#[derive(Debug, Clone)]
pub struct Exact {
    digits: BigInt,
    exponent: i64,
}

impl Exact {
    pub fn new(digits: BigInt, exponent: i64) -> Self {
        Self { digits, exponent }
    }

    /// The value of a finite binary number.
    pub fn of(value: f64) -> Self {
        assert!(value.is_finite());
        let bits = value.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let digits = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let digits = BigInt::from(digits);
        Self::new(if value < 0.0 { -digits } else { digits }, exponent.max(1) - 1075)
    }

    pub fn power_of_two(exponent: i64) -> Self {
        Self::new(BigInt::from(1), exponent)
    }

    /// Rounded down to a whole number of 2^-bits.
    pub fn fixed(&self, bits: usize) -> BigInt {
        let shift = self.exponent + bits as i64;
        if shift >= 0 {
            &self.digits << shift as usize
        } else {
            &self.digits >> shift.unsigned_abs() as usize
        }
    }

    pub fn rational(&self) -> BigRational {
        let power = BigInt::from(1) << self.exponent.unsigned_abs() as usize;
        let digits = self.digits.clone();
        if self.exponent >= 0 { (digits * power).into() } else { BigRational::new(digits, power) }
    }

    /// Both as whole numbers of the finer unit.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let unit = self.exponent.min(other.exponent);
        let whole = |each: &Self| &each.digits << (each.exponent - unit) as usize;
        (whole(self), whole(other), unit)
    }
}

impl Add for &Exact {
    type Output = Exact;

    fn add(self, other: Self) -> Exact {
        let (a, b, unit) = self.aligned(other);
        Exact::new(a + b, unit)
    }
}

impl Mul for &Exact {
    type Output = Exact;

    fn mul(self, other: Self) -> Exact {
        Exact::new(&self.digits * &other.digits, self.exponent + other.exponent)
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }
}
