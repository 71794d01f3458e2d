//! Large chains of which few states matter: the rest becomes a sink whose probability is part of the bounds.
//!
//! What is computed on the kept states alone is a lower bound, for the rest may earn nothing; an upper bound
//! adds the most that anything can earn for the time spent in the sink. Both hold whichever states are kept.
//! Which are kept is a guess at what is likely: states are taken in the order of the most likely path of
//! jumps to them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::budget;
use crate::chain::Chain;
use crate::error::Result;

/// A chain and a reward that may become known only where somebody looks. States are numbered as they are met.
pub trait Landscape {
    /// (state, probability) at time 0.
    fn initial(&self) -> Vec<(usize, f64)>;

    /// (state, rate) of the transitions out of a state, to others only.
    fn row(&mut self, state: usize) -> Result<Vec<(usize, f64)>>;

    /// What a state earns per unit of time: at least 0.
    fn reward(&self, state: usize) -> Result<f64>;

    /// A bound on what any state earns.
    fn most(&self) -> f64;

    /// Puts neighbours next to each other: then powers of the chain are narrow.
    fn arrange(&self, states: &mut [usize]);
}

/// A chain all of which is known, with a reward a state.
pub struct Known<'a> {
    /// The chain.
    pub chain: &'a Chain,
    /// What each state earns.
    pub reward: &'a [f64],
}

impl Landscape for Known<'_> {
    fn initial(&self) -> Vec<(usize, f64)> {
        self.chain.initial().to_vec()
    }

    fn row(&mut self, state: usize) -> Result<Vec<(usize, f64)>> {
        Ok(self.chain.row(state).collect())
    }

    fn reward(&self, state: usize) -> Result<f64> {
        Ok(self.reward[state])
    }

    fn most(&self) -> f64 {
        self.reward.iter().copied().fold(0.0, f64::max)
    }

    fn arrange(&self, states: &mut [usize]) {
        states.sort_unstable();
    }
}

/// States in the order of their likeliest paths, as far as was asked for.
pub struct Importance<'a, L> {
    land: &'a mut L,
    taken: Vec<usize>,
    rows: Vec<Vec<(usize, f64)>>,
    /// Where a state is in `taken`, plus one.
    seen: Vec<u32>,
    queue: BinaryHeap<Reached>,
}

#[derive(PartialEq)]
struct Reached {
    likelihood: f64,
    state: usize,
}

impl Eq for Reached {}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        // The smaller number first among equals, so that the order does not depend on the heap.
        self.likelihood.total_cmp(&other.likelihood).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A chain of the kept states and, last, the sink.
pub struct Projected {
    /// The smaller chain.
    pub chain: Chain,
    /// What each of its states earns; the sink nothing.
    pub reward: Vec<f64>,
    /// Whether anything was left out.
    pub lossy: bool,
}

impl<'a, L: Landscape> Importance<'a, L> {
    /// Starts from the initial states.
    pub fn new(land: &'a mut L) -> Self {
        let queue =
            land.initial().into_iter().map(|(state, likelihood)| Reached { likelihood, state }).collect();
        Self { land, taken: Vec::new(), rows: Vec::new(), seen: Vec::new(), queue }
    }

    fn is_taken(&self, state: usize) -> bool {
        self.seen.get(state).is_some_and(|each| *each > 0)
    }

    fn take_one(&mut self, Reached { likelihood, state }: Reached) -> Result<()> {
        let row = self.land.row(state)?;
        if self.seen.len() <= state {
            self.seen.resize((state + 1).max(2 * self.seen.len()), 0);
        }
        self.taken.push(state);
        self.seen[state] = self.taken.len() as u32;
        let exit: f64 = row.iter().map(|each| each.1).sum();
        for &(to, rate) in &row {
            if !self.is_taken(to) {
                self.queue.push(Reached { likelihood: likelihood * (rate / exit), state: to });
            }
        }
        self.rows.push(row);
        Ok(())
    }

    /// Takes states until there are `count`, or all that can be reached.
    fn take(&mut self, count: usize) -> Result<()> {
        while self.taken.len() < count
            && let Some(next) = self.queue.pop()
        {
            if !self.is_taken(next.state) {
                budget::check()?;
                self.take_one(next)?;
            }
        }
        Ok(())
    }

    /// The chain kept to its `count` likeliest states; always with the initial ones.
    pub fn project(&mut self, count: usize) -> Result<Projected> {
        let initial = self.land.initial();
        self.take(count.max(initial.len()))?;
        for &(state, likelihood) in &initial {
            if !self.is_taken(state) {
                self.take_one(Reached { likelihood, state })?;
            }
        }
        let mut kept = self.taken.clone();
        self.land.arrange(&mut kept);
        let sink = kept.len();
        let mut number = vec![sink as u32; self.seen.len()];
        kept.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
        let number = |old: usize| number.get(old).map_or(sink, |new| *new as usize);
        let mut chain = Chain::empty(sink + 1, 0);
        let (mut reward, mut row, mut lossy) = (Vec::with_capacity(sink + 1), Vec::new(), false);
        for &old in &kept {
            row.clear();
            let known = &self.rows[self.seen[old] as usize - 1];
            row.extend(known.iter().map(|&(to, rate)| (number(to) as u32, rate)));
            lossy |= chain.append_ending(&mut row, sink as u32);
            reward.push(self.land.reward(old)?);
        }
        chain.append(&mut Vec::new());
        reward.push(0.0);
        let chain = chain.started(initial.into_iter().map(|(old, share)| (number(old), share)).collect())?;
        Ok(Projected { chain, reward, lossy })
    }
}
