//! Systems (leaving − Q)·x = b of a large chain that is left: a nearby chain is eliminated, and iterations do
//! the rest.
//!
//! States are eliminated one after the other as in `elimination`, by sums of products only, but small rates
//! that would be new are dropped, as if the chain did not make those jumps. What is left knows how each state
//! is left for good, however rarely: both chains give the same for x = 1. BiCGSTAB then settles in few steps
//! where rates differ by many powers of ten. Nothing is claimed about x: whoever uses it finds out how good
//! it is.
//!
//! Source: Saad, *Numerical Linear Algebra with Applications* 1 (1994), for the dropping.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::budget;
use crate::error::Result;
use crate::factor::Lists;
use crate::krylov::{largest, settle};

/// A new rate below this share of all rates out of its state is dropped.
const SMALL: f64 = 1e-2;

/// New rates that a row keeps, the largest.
const KEPT: usize = 10;

/// Iterations of one solution.
const MOST_ITERATIONS: usize = 300;

/// Rates among states that the chain leaves for good, and the rate at which each is left so.
pub struct Leaving {
    /// (state, rate), never to itself.
    pub rows: Lists,
    /// By state.
    pub leaving: Vec<f64>,
}

/// Such rates, with what helps to solve them.
pub struct Incomplete {
    system: Leaving,
    exits: Vec<f64>,
    /// (state before, its share) and (state after, rate).
    lower: Lists,
    upper: Lists,
    /// Total rate out of each state when it was eliminated.
    pivots: Vec<f64>,
}

impl Incomplete {
    /// Eliminates in the order of the numbers. Errors: the budget is spent.
    pub fn new(system: Leaving) -> Result<Self> {
        budget::stage("preparing an iteration");
        let states = system.leaving.len();
        let (mut lower, mut upper) = (Lists::default(), Lists::default());
        let (mut pivots, mut exits) = (Vec::with_capacity(states), Vec::with_capacity(states));
        let mut gone = Vec::with_capacity(states);
        let mut work = Row::new(states);
        for state in 0..states {
            if state.is_multiple_of(256) {
                budget::check()?;
            }
            let row = system.rows.get(state);
            let exit = row.iter().map(|each| each.1).sum::<f64>() + system.leaving[state];
            exits.push(exit);
            work.load(state, row);
            let mut leaving = system.leaving[state];
            let mut before = Vec::new();
            while let Some((earlier, rate)) = work.next_before() {
                if rate < SMALL * exit && !work.is_own(state, earlier) {
                    continue;
                }
                let share = rate / pivots[earlier];
                before.push((earlier as u32, share));
                leaving += share * gone[earlier];
                for &(to, onward) in upper.get(earlier) {
                    work.add(state, to, share * onward);
                }
            }
            let after = work.take_after(state, SMALL * exit);
            let pivot = after.iter().map(|each| each.1).sum::<f64>() + leaving;
            pivots.push(if pivot > 0.0 { pivot } else { exit.max(f64::MIN_POSITIVE) });
            gone.push(leaving);
            upper.push(after);
            lower.push(before);
        }
        Ok(Self { system, exits, lower, upper, pivots })
    }

    /// x, with a residual of about `enough` of the largest entry of b. Errors: the budget is spent.
    pub fn solve(&self, b: &[f64], enough: f64) -> Result<Vec<f64>> {
        budget::stage("iterating");
        let most = enough * largest(b);
        settle(b, b, MOST_ITERATIONS, |r, z, product| self.helped(r, z, product), |_| most)
    }

    /// z near the solution for r, and the product of the whole matrix with it.
    fn helped(&self, r: &[f64], z: &mut [f64], product: &mut [f64]) {
        for (state, right) in r.iter().enumerate() {
            let inflow: f64 =
                self.lower.get(state).iter().map(|&(from, share)| share * z[from as usize]).sum();
            z[state] = right + inflow;
        }
        for state in (0..r.len()).rev() {
            let onward: f64 = self.upper.get(state).iter().map(|&(to, rate)| rate * z[to as usize]).sum();
            z[state] = (z[state] + onward) / self.pivots[state];
        }
        for (state, product) in product.iter_mut().enumerate() {
            let row = self.system.rows.get(state);
            let onward: f64 = row.iter().map(|&(to, rate)| rate * z[to as usize]).sum();
            *product = self.exits[state] * z[state] - onward;
        }
    }
}

/// A row while states before its own are eliminated from it.
struct Row {
    values: Vec<f64>,
    /// The last row, plus one, in which each state occurred; and by itself, not through another.
    seen: Vec<u32>,
    own: Vec<u32>,
    before: BinaryHeap<Reverse<u32>>,
    after: Vec<u32>,
}

impl Row {
    fn new(states: usize) -> Self {
        let none = || vec![0; states];
        let values = vec![0.0; states];
        Self { values, seen: none(), own: none(), before: BinaryHeap::new(), after: Vec::new() }
    }

    fn load(&mut self, state: usize, row: &[(u32, f64)]) {
        for &(to, rate) in row {
            self.own[to as usize] = state as u32 + 1;
            self.add(state, to, rate);
        }
    }

    /// Adds a rate to another state than its own.
    fn add(&mut self, state: usize, to: u32, rate: f64) {
        if to as usize == state {
            return;
        }
        if self.seen[to as usize] == state as u32 + 1 {
            self.values[to as usize] += rate;
            return;
        }
        self.seen[to as usize] = state as u32 + 1;
        self.values[to as usize] = rate;
        if (to as usize) < state { self.before.push(Reverse(to)) } else { self.after.push(to) }
    }

    fn is_own(&self, state: usize, to: usize) -> bool {
        self.own[to] == state as u32 + 1
    }

    /// The first state before, which is gone then.
    fn next_before(&mut self) -> Option<(usize, f64)> {
        self.before.pop().map(|Reverse(earlier)| (earlier as usize, self.values[earlier as usize]))
    }

    /// What is left: all that was there, and the largest of what is new and not `small`.
    fn take_after(&mut self, state: usize, small: f64) -> Vec<(u32, f64)> {
        let all = std::mem::take(&mut self.after).into_iter().map(|to| (to, self.values[to as usize]));
        let (mut kept, mut new): (Vec<_>, Vec<_>) = all.partition(|each| self.is_own(state, each.0 as usize));
        new.retain(|each| each.1 >= small);
        if new.len() > KEPT {
            new.select_nth_unstable_by(KEPT, |a, b| b.1.total_cmp(&a.1));
            new.truncate(KEPT);
        }
        kept.extend(new);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::{Incomplete, Leaving};
    use crate::factor::Lists;

    #[test]
    fn a_chain_that_is_hardly_ever_left_is_solved() {
        // A ring with shortcuts of a thousand states, left from one of them once in a million million.
        let states = 1000_u32;
        let mut rows = Lists::default();
        for state in 0..states {
            let fast = 10.0_f64.powi(state as i32 % 7 - 3);
            let shortcut = (state * 131 + 17) % states;
            let items = [((state + 1) % states, 1.0), (shortcut, fast)];
            rows.push(items.into_iter().filter(|each| each.0 != state));
        }
        let mut leaving = vec![0.0; states as usize];
        leaving[700] = 1e-12;
        let incomplete = Incomplete::new(Leaving { rows, leaving }).unwrap();
        let found = incomplete.solve(&vec![1.0; states as usize], 1e-3).unwrap();
        assert!(found.iter().all(|each| *each > 1e12), "{:?}", &found[..5]);
    }
}
