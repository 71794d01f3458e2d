//! What has no time, by rational numbers: the limit of the distribution and the mean time to a first visit.

use num_rational::BigRational;

use crate::chains::Sample;
use crate::truth::{rational, solved};

/// `reach[i][j]`: whether j can be reached from i, going on from the states that `through` names.
fn reach(sample: &Sample, through: impl Fn(usize) -> bool) -> Vec<Vec<bool>> {
    let states = sample.states;
    let mut found: Vec<Vec<bool>> = (0..states).map(|i| (0..states).map(|j| i == j).collect()).collect();
    sample.rates.iter().filter(|each| through(each.0)).for_each(|each| found[each.0][each.1] = true);
    for middle in 0..states {
        for from in 0..states {
            for to in 0..states {
                found[from][to] |= found[from][middle] && found[middle][to];
            }
        }
    }
    found
}

/// −Q.
fn outflows(sample: &Sample) -> Vec<Vec<BigRational>> {
    let mut matrix = vec![vec![rational(0.0); sample.states]; sample.states];
    for &(from, to, rate) in sample.rates.iter().filter(|each| each.0 != each.1) {
        matrix[from][to] -= rational(rate);
        matrix[from][from] += rational(rate);
    }
    matrix
}

/// The rows and columns `members` of a matrix.
fn part(matrix: &[Vec<BigRational>], members: &[usize]) -> Vec<Vec<BigRational>> {
    members.iter().map(|&row| members.iter().map(|&column| matrix[row][column].clone()).collect()).collect()
}

/// The limit of the distribution as time grows.
pub struct Limit {
    pub shares: Vec<BigRational>,
}

impl Limit {
    pub fn of(sample: &Sample) -> Self {
        let states = sample.states;
        let reach = reach(sample, |_| true);
        let last = |state: usize| (0..states).all(|to| !reach[state][to] || reach[to][state]);
        let matrix = outflows(sample);
        let passing: Vec<usize> = (0..states).filter(|&state| !last(state)).collect();
        let mut shares = vec![rational(0.0); states];
        for home in (0..states).filter(|&state| last(state) && !(0..state).any(|each| reach[state][each])) {
            let members: Vec<usize> = (0..states).filter(|&state| reach[home][state]).collect();
            // How likely each passing state leads here.
            let into = |&from: &usize| -> BigRational { members.iter().map(|&to| -&matrix[from][to]).sum() };
            let ends = solved(part(&matrix, &passing), passing.iter().map(into).collect());
            let weight: BigRational = sample
                .initial
                .iter()
                .map(|&(state, share)| match passing.iter().position(|&each| each == state) {
                    Some(at) => &ends[at] * rational(share),
                    None if members.contains(&state) => rational(share),
                    None => rational(0.0),
                })
                .sum();
            for (&state, share) in members.iter().zip(stationary(&part(&matrix, &members))) {
                shares[state] = &weight * share;
            }
        }
        Self { shares }
    }

    pub fn mean(&self, reward: &[f64]) -> BigRational {
        self.shares.iter().zip(reward).map(|(share, &each)| share * rational(each)).sum()
    }
}

/// π·Q = 0 with one equation replaced by the sum.
fn stationary(matrix: &[Vec<BigRational>]) -> Vec<BigRational> {
    let size = matrix.len();
    let mut columns: Vec<Vec<BigRational>> =
        (0..size).map(|to| (0..size).map(|from| matrix[from][to].clone()).collect()).collect();
    columns[size - 1] = vec![rational(1.0); size];
    let mut right = vec![rational(0.0); size];
    right[size - 1] = rational(1.0);
    solved(columns, right)
}

/// The mean time to the target; none when it may never be reached.
pub fn mean_passage(sample: &Sample) -> Option<BigRational> {
    let states = sample.states;
    let reach = reach(sample, |state| !sample.target[state]);
    let seen = |to: usize| sample.initial.iter().any(|&(from, _)| reach[from][to]);
    let passing: Vec<usize> = (0..states).filter(|&state| seen(state) && !sample.target[state]).collect();
    let ends = |from: usize| (0..states).any(|to| reach[from][to] && sample.target[to]);
    if !passing.iter().all(|&state| ends(state)) {
        return None;
    }
    let times = solved(part(&outflows(sample), &passing), vec![rational(1.0); passing.len()]);
    let time = |&(state, share): &(usize, f64)| {
        passing.iter().position(|&each| each == state).map(|at| &times[at] * rational(share))
    };
    Some(sample.initial.iter().filter_map(time).sum())
}
