//! Square matrices of non-negative numbers: products row by row, in one or in two words a number.

use crate::budget::{self, Budget};
use crate::double::Double;
use crate::rounding::Loss;

/// Below this many states another thread costs more than it brings.
const WORTH_THREADS: usize = 96;

/// A square matrix. Rows know where their first and last entries are: early powers of a sparse chain are
/// narrow.
pub struct Square {
    size: usize,
    high: Vec<f64>,
    /// Second words; empty in working precision.
    low: Vec<f64>,
    /// Columns outside of which a row is zero.
    spans: Vec<(usize, usize)>,
}

impl Square {
    /// Zero, in two words a number.
    pub fn zero(size: usize) -> Self {
        let (high, low) = (vec![0.0; size * size], vec![0.0; size * size]);
        Self { size, high, low, spans: vec![(size, 0); size] }
    }

    /// Adds to one number.
    pub fn add(&mut self, row: usize, column: usize, value: Double) {
        let at = row * self.size + column;
        let sum = Double { high: self.high[at], low: self.low[at] } + value;
        (self.high[at], self.low[at]) = (sum.high, sum.low);
        let (first, last) = self.spans[row];
        self.spans[row] = (first.min(column), last.max(column + 1));
    }

    /// The same in working precision, each number off by at most one rounding.
    pub fn rounded(mut self) -> Self {
        self.low = Vec::new();
        self
    }

    /// `self · other` in the precision of both, on up to `threads` threads.
    ///
    /// Relative error of each number: (terms + 1) roundings of that precision.
    pub fn product(&self, other: &Self, threads: usize) -> Self {
        let size = self.size;
        let low = vec![0.0; if self.low.is_empty() { 0 } else { size * size }];
        let mut result = Self { size, high: vec![0.0; size * size], low, spans: vec![(size, 0); size] };
        let threads = if size < WORTH_THREADS { 1 } else { threads.max(1) };
        // Rows of a triangular matrix differ in length: many small shares, dealt in turn, even that out.
        let share = size.div_ceil(threads * 4).clamp(1, 16);
        let mut shares: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
        let mut lows = result.low.chunks_mut(share * size);
        let rows = result.high.chunks_mut(share * size).zip(result.spans.chunks_mut(share)).enumerate();
        for (number, (high, spans)) in rows {
            shares[number % threads].push((number * share, high, lows.next().unwrap_or_default(), spans));
        }
        let budget = &budget::current();
        std::thread::scope(|scope| {
            let mine = shares.pop();
            for each in shares {
                scope.spawn(|| multiply(self, other, each, budget));
            }
            multiply(self, other, mine.unwrap_or_default(), budget);
        });
        result
    }

    /// `self · vector` for non-negative vectors, in working precision; relative error (terms + 2) roundings.
    pub fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let row = |row: usize| {
            let (first, last) = self.spans[row];
            let numbers = self.high[row * self.size..].iter().zip(vector).take(last).skip(first);
            numbers.map(|(a, b)| a * b).sum()
        };
        (0..self.size).map(row).collect()
    }

    /// `vector · self`, as `apply`.
    pub fn apply_left(&self, vector: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; self.size];
        for (row, &weight) in vector.iter().enumerate().filter(|each| *each.1 != 0.0) {
            let (first, last) = self.spans[row];
            let numbers = &self.high[row * self.size..(row + 1) * self.size];
            result[first..last]
                .iter_mut()
                .zip(&numbers[first..last])
                .for_each(|(sum, each)| *sum += weight * each);
        }
        result
    }

    /// What `apply` and `apply_left` lose beside the matrix: the second words, a product, a sum of a row.
    pub fn apply_loss(&self) -> Loss {
        Loss::roundings(self.size as f64 + 3.0)
    }
}

/// First row, high words, low words and spans of a run of rows.
type Rows<'a> = (usize, &'a mut [f64], &'a mut [f64], &'a mut [(usize, usize)]);

/// Left as it is, which whoever asked finds out, when the budget is spent.
fn multiply(left: &Square, right: &Square, shares: Vec<Rows<'_>>, budget: &Budget) {
    for share in shares {
        if budget.is_spent() {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor was just asked for both features.
            unsafe { multiply_rows_wide(left, right, share) };
            continue;
        }
        multiply_rows(left, right, share);
    }
}

/// `multiply_rows`, compiled for vectors of four and fused multiply-add.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn multiply_rows_wide(left: &Square, right: &Square, share: Rows<'_>) {
    multiply_rows(left, right, share);
}

#[inline(always)]
fn multiply_rows(left: &Square, right: &Square, (start, high, low, spans): Rows<'_>) {
    let size = left.size;
    for (offset, span) in spans.iter_mut().enumerate() {
        let row = start + offset;
        let (first, last) = left.spans[row];
        let here = offset * size..(offset + 1) * size;
        if left.low.is_empty() {
            *span = single_row(&left.high[row * size..][..size], (first, last), right, &mut high[here]);
            continue;
        }
        let (sum_high, sum_low) = (&mut high[here.clone()], &mut low[here]);
        for k in first..last {
            let factor = Double { high: left.high[row * size + k], low: left.low[row * size + k] };
            if factor.high != 0.0 {
                let (from, to) = right.spans[k];
                *span = (span.0.min(from), span.1.max(to));
                let (b_high, b_low) = (&right.high[k * size..][from..to], &right.low[k * size..][from..to]);
                let sums = sum_high[from..to].iter_mut().zip(&mut sum_low[from..to]);
                for ((sum_high, sum_low), (b_high, b_low)) in sums.zip(b_high.iter().zip(b_low)) {
                    let term = factor * Double { high: *b_high, low: *b_low };
                    let sum = Double { high: *sum_high, low: *sum_low } + term;
                    (*sum_high, *sum_low) = (sum.high, sum.low);
                }
            }
        }
    }
}

/// One row of a product in working precision, four rows of the right matrix at a time: the sums stay in
/// reach.
#[inline(always)]
fn single_row(
    left: &[f64],
    (first, last): (usize, usize),
    right: &Square,
    sums: &mut [f64],
) -> (usize, usize) {
    let size = right.size;
    let mut span = (size, 0);
    for start in (first..last).step_by(4) {
        let block = start..(start + 4).min(last);
        let (from, to) = block
            .clone()
            .filter(|&k| left[k] != 0.0)
            .map(|k| right.spans[k])
            .fold((size, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        if from >= to {
            continue;
        }
        span = (span.0.min(from), span.1.max(to));
        if block.len() < 4 {
            for k in block {
                let row = &right.high[k * size..][from..to];
                sums[from..to].iter_mut().zip(row).for_each(|(sum, each)| *sum += left[k] * each);
            }
            continue;
        }
        let row = |k: usize| &right.high[(start + k) * size..][from..to];
        let factors = [left[start], left[start + 1], left[start + 2], left[start + 3]];
        let rows = row(0).iter().zip(row(1)).zip(row(2)).zip(row(3));
        for (sum, (((a, b), c), d)) in sums[from..to].iter_mut().zip(rows) {
            *sum += (factors[0] * a + factors[1] * b) + (factors[2] * c + factors[3] * d);
        }
    }
    span
}
