//! Probabilities of a Poisson number of jumps, to small relative error, for means up to 10¹².

use crate::rounding::{Loss, sum};

/// The numbers of jumps that matter, with what the others add up to.
pub struct Poisson {
    /// First number of jumps whose probability is kept.
    pub first: usize,
    /// Probabilities from `first` on.
    pub weights: Vec<f64>,
    /// What rounding may have done to each.
    pub loss: Loss,
    /// Bound on the probability of any other number.
    pub missing: f64,
}

/// Where probabilities are cut: relative to the largest.
const CUT: f64 = 1e-40;

impl Poisson {
    /// Jumps expected: `mean > 0`, to within a rounding.
    ///
    /// From the most likely number outwards each probability is its neighbour's times a ratio; dividing by
    /// their sum replaces the factor exp(−mean), which would cost relative accuracy.
    pub fn new(mean: f64) -> Self {
        let mode = mean.floor() as usize;
        let mut below = Vec::new();
        let mut weight = 1.0;
        for jumps in (1..=mode).rev() {
            weight *= jumps as f64 / mean;
            if weight < CUT {
                break;
            }
            below.push(weight);
        }
        let first = mode - below.len();
        let mut weights: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
        weight = 1.0;
        let mut jumps = mode;
        while weight >= CUT {
            jumps += 1;
            weight *= mean / jumps as f64;
            weights.push(weight);
        }
        let total = sum(weights.iter().copied());
        weights.iter_mut().for_each(|weight| *weight /= total);
        // Beyond either end probabilities fall at least as fast as a geometric series with the ratio there.
        let right = weights[weights.len() - 1] / (1.0 - mean / (jumps as f64 + 1.0));
        let left = if first == 0 { 0.0 } else { weights[0] / (1.0 - first as f64 / mean) };
        let missing = 2.0 * (right + left);
        // A step is a quotient and a product, and `mean` came of a rounding; so for the weight and for the
        // total.
        let loss = Loss::roundings(3.0 * weights.len() as f64 + 4.0) * 2.0 + Loss::relative(missing);
        Self { first, weights, loss, missing }
    }
}
