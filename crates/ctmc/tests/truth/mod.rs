//! Truth for small chains: fixed-point numbers of 640 bits after the point.

#![allow(dead_code, reason = "each test file uses its part")]

use num_rational::BigRational;
use num_rational::Ratio;

type Int = <BigRational as Parts>::Int;

/// Names the integer type behind `BigRational`.
pub trait Parts {
    /// The integer.
    type Int;
}

impl<T> Parts for Ratio<T> {
    type Int = T;
}

const BITS: usize = 640;

/// A square matrix of fixed-point numbers.
#[derive(Clone)]
pub struct Fixed {
    size: usize,
    cells: Vec<Int>,
}

pub fn rational(value: f64) -> BigRational {
    BigRational::from_float(value).expect("a finite number")
}

fn fixed(value: &BigRational) -> Int {
    let one: Int = Int::from(1) << BITS;
    (value * BigRational::from_integer(one)).to_integer()
}

fn unfixed(value: &Int) -> BigRational {
    let one: Int = Int::from(1) << BITS;
    BigRational::new(value.clone(), one)
}

impl Fixed {
    fn zero(size: usize) -> Self {
        Self { size, cells: vec![Int::from(0); size * size] }
    }

    fn product(&self, other: &Self) -> Self {
        let mut result = Self::zero(self.size);
        for i in 0..self.size {
            for j in 0..self.size {
                let mut total = Int::from(0);
                for k in 0..self.size {
                    total += &self.cells[i * self.size + k] * &other.cells[k * self.size + j];
                }
                result.cells[i * self.size + j] = total >> BITS;
            }
        }
        result
    }

    fn plus(&self, other: &Self) -> Self {
        let cells = self.cells.iter().zip(&other.cells).map(|(a, b)| a + b).collect();
        Self { size: self.size, cells }
    }
}

/// exp(Q·time) and its integral from 0 to `time`, as rationals in row-major order.
pub fn exponential(
    size: usize,
    rates: &[(usize, usize, f64)],
    time: f64,
) -> (Vec<BigRational>, Vec<BigRational>) {
    let mut generator = vec![rational(0.0); size * size];
    for &(from, to, rate) in rates.iter().filter(|each| each.0 != each.1) {
        generator[from * size + to] += rational(rate);
        generator[from * size + from] -= rational(rate);
    }
    let norm: f64 = rates.iter().map(|each| each.2).sum::<f64>() * time;
    let halvings = norm.max(1.0).log2().ceil() as usize + 8;
    let step = rational(time) / BigRational::from_integer(Int::from(1) << halvings);
    let scaled = Fixed { size, cells: generator.iter().map(|each| fixed(&(each * &step))).collect() };
    let mut one = Fixed::zero(size);
    (0..size).for_each(|i| one.cells[i * size + i] = Int::from(1) << BITS);
    // Taylor: the k-th term of the exponential, and of its integral divided by the step.
    let (mut term, mut power, mut integral) = (one.clone(), one.clone(), one);
    for k in 1..60 {
        term = term.product(&scaled);
        term.cells.iter_mut().for_each(|cell| *cell /= k);
        power = power.plus(&term);
        let mut next = term.clone();
        next.cells.iter_mut().for_each(|cell| *cell /= k + 1);
        integral = integral.plus(&next);
    }
    for _ in 0..halvings {
        integral = integral.plus(&power.product(&integral));
        power = power.product(&power);
    }
    let integral = integral.cells.iter().map(|cell| unfixed(cell) * &step).collect();
    (power.cells.iter().map(unfixed).collect(), integral)
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
