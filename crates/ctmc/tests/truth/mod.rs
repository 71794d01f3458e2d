//! Truth for small chains: exact binary numbers, and matrices of fixed-point numbers of as many bits as are
//! wanted.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod exact;

use num_bigint::BigInt;
use num_rational::BigRational;

use exact::Exact;

/// Bits after the point where nobody says.
const BITS: usize = 640;

/// What fixed-point numbers may err by after so many doublings, in bits: each doubles the error and adds its
/// own.
const SPOILT: usize = 24;

/// A square matrix of fixed-point numbers.
#[derive(Clone)]
struct Fixed {
    size: usize,
    bits: usize,
    cells: Vec<BigInt>,
}

pub fn rational(value: f64) -> BigRational {
    BigRational::from_float(value).expect("a finite number")
}

impl Fixed {
    fn zero(size: usize, bits: usize) -> Self {
        Self { size, bits, cells: vec![BigInt::ZERO; size * size] }
    }

    fn product(&self, other: &Self) -> Self {
        let mut result = Self::zero(self.size, self.bits);
        for i in 0..self.size {
            for j in 0..self.size {
                let mut total = BigInt::ZERO;
                for k in 0..self.size {
                    let (left, right) = (&self.cells[i * self.size + k], &other.cells[k * self.size + j]);
                    if *left != BigInt::ZERO && *right != BigInt::ZERO {
                        total += left * right;
                    }
                }
                result.cells[i * self.size + j] = total >> self.bits;
            }
        }
        result
    }

    fn plus(&self, other: &Self) -> Self {
        let cells = self.cells.iter().zip(&other.cells).map(|(a, b)| a + b).collect();
        Self { size: self.size, bits: self.bits, cells }
    }
}

/// exp(Q·time), and its integral from 0 to `time` over that time.
pub struct Exponential {
    /// Probabilities in row-major order.
    pub power: Vec<Exact>,
    /// Mean shares of the time until then, in row-major order.
    pub shares: Vec<Exact>,
    /// Bound on the error of every number.
    pub blur: Exact,
}

/// Good to about `digits` bits after the point, whatever the time: a Taylor series, then squarings.
pub fn exponential(size: usize, rates: &[(usize, usize, f64)], time: f64, digits: usize) -> Exponential {
    let moving = || rates.iter().filter(|each| each.0 != each.1);
    let norm: f64 = moving().map(|each| each.2).sum::<f64>() * time;
    assert!(norm.is_finite());
    let halvings = norm.max(1.0).log2().ceil() as usize + 20;
    let bits = digits + halvings + SPOILT;
    let step = &Exact::of(time) * &Exact::power_of_two(-(halvings as i64));
    let mut scaled = Fixed::zero(size, bits);
    for &(from, to, rate) in moving() {
        let share = (&Exact::of(rate) * &step).fixed(bits);
        scaled.cells[from * size + from] -= &share;
        scaled.cells[from * size + to] += share;
    }
    let mut one = Fixed::zero(size, bits);
    (0..size).for_each(|i| one.cells[i * size + i] = BigInt::from(1) << bits);
    // The k-th term of the exponential, and of its integral divided by the step.
    let (mut term, mut power, mut integral) = (one.clone(), one.clone(), one);
    for k in 1..=bits {
        term = term.product(&scaled);
        term.cells.iter_mut().for_each(|cell| *cell /= k);
        if term.cells.iter().all(|cell| cell.bits() < 2) {
            break;
        }
        power = power.plus(&term);
        let mut next = term.clone();
        next.cells.iter_mut().for_each(|cell| *cell /= k + 1);
        integral = integral.plus(&next);
    }
    for _ in 0..halvings {
        integral = integral.plus(&power.product(&integral));
        power = power.product(&power);
    }
    let exact = |cells: Vec<BigInt>, bits: usize| {
        cells.into_iter().map(|cell| Exact::new(cell, -(bits as i64))).collect()
    };
    Exponential {
        power: exact(power.cells, bits),
        shares: exact(integral.cells, bits + halvings),
        blur: Exact::power_of_two(-(digits as i64)),
    }
}

/// exp(Q·time) and its integral from 0 to `time`, as rationals in row-major order.
pub fn rationals(
    size: usize,
    rates: &[(usize, usize, f64)],
    time: f64,
) -> (Vec<BigRational>, Vec<BigRational>) {
    let found = exponential(size, rates, time, BITS);
    let time = rational(time);
    let integral = found.shares.iter().map(|share| share.rational() * &time).collect();
    (found.power.iter().map(Exact::rational).collect(), integral)
}

/// The solution of `matrix · x = right` over the rationals.
pub fn solved(mut matrix: Vec<Vec<BigRational>>, mut right: Vec<BigRational>) -> Vec<BigRational> {
    let zero = rational(0.0);
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size).find(|&row| matrix[row][column] != zero).expect("a regular matrix");
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in (0..size).filter(|&row| row != column) {
            let factor = &matrix[row][column] / &matrix[column][column];
            if factor != zero {
                let pivot = matrix[column].clone();
                for (cell, above) in matrix[row].iter_mut().zip(&pivot).skip(column) {
                    *cell -= &factor * above;
                }
                let less = &factor * &right[column];
                right[row] -= less;
            }
        }
    }
    (0..size).map(|row| &right[row] / &matrix[row][row]).collect()
}

/// Whether the truth lies between two numbers, as far as the truth's own digits reach.
pub fn inside(truth: &BigRational, low: f64, high: f64) -> bool {
    let blur = rational(2.0_f64.powi(-550));
    rational(low) <= truth + &blur && (high == f64::INFINITY || *truth <= rational(high) + blur)
}
