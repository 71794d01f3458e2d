//! The explicit chain: a sparse generator and where it starts.

use crate::budget::fits;
use crate::error::{Result, refuse};
use crate::rounding::{sum, upwards};

/// One transition: from, to, rate.
pub type Transition = (usize, usize, f64);

/// What a state takes without its transitions, while it is solved.
const BYTES: usize = 64;

/// No chain is left faster than this: methods multiply the fastest rate by a few.
const FASTEST: f64 = 1e300;

/// A continuous-time Markov chain in compressed rows. Its rates are taken as exact binary numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    starts: Vec<usize>,
    targets: Vec<u32>,
    rates: Vec<f64>,
    exits: Vec<f64>,
    initial: Vec<(usize, f64)>,
}

impl Chain {
    /// A chain of `states` states. Parallel transitions add up, to the nearest number, and that is their
    /// rate; loops and rates of zero are dropped, for neither changes where the chain is. `initial` holds
    /// (state, probability) and must sum to 1 within 1e-12; for ever and for means of first visits, its
    /// shares in that sum count.
    ///
    /// Errors: a state out of range, a rate that is negative or not finite, no initial state, more states
    /// than the memory holds.
    ///
    /// ```
    /// use loadstone_ctmc::Chain;
    /// let chain = Chain::new(2, vec![(0, 1, 0.1), (1, 0, 2.0)], vec![(0, 1.0)]).unwrap();
    /// assert_eq!(chain.exit(1), 2.0);
    /// ```
    pub fn new(states: usize, mut transitions: Vec<Transition>, initial: Vec<(usize, f64)>) -> Result<Self> {
        if states == 0 || states >= u32::MAX as usize {
            return refuse(format!("a chain of {states} states cannot be built"));
        }
        fits(states, BYTES, "their transitions")?;
        for &(from, to, rate) in &transitions {
            if from >= states || to >= states {
                return refuse(format!("transition {from} -> {to} leaves the {states} states of the chain"));
            }
            if !(rate >= 0.0 && rate.is_finite()) {
                return refuse(format!("rate {rate} of {from} -> {to} is not a finite number of at least 0"));
            }
        }
        transitions.sort_unstable_by_key(|each| each.0);
        let mut chain = Self::empty(states, transitions.len());
        let mut row = Vec::new();
        let mut next = 0;
        for from in 0..states {
            row.clear();
            while next < transitions.len() && transitions[next].0 == from {
                row.push((transitions[next].1 as u32, transitions[next].2));
                next += 1;
            }
            chain.append(&mut row);
        }
        chain.started(initial)
    }

    /// A chain without states yet, with room for so many states and transitions; rows are appended in order.
    pub(crate) fn empty(states: usize, transitions: usize) -> Self {
        let mut starts = Vec::with_capacity(states + 1);
        starts.push(0);
        Self {
            starts,
            targets: Vec::with_capacity(transitions),
            rates: Vec::with_capacity(transitions),
            exits: Vec::with_capacity(states),
            initial: Vec::new(),
        }
    }

    /// The row of the next state: (to, rate) with finite rates of at least 0, in any order.
    pub(crate) fn append(&mut self, row: &mut Vec<(u32, f64)>) {
        let from = self.exits.len() as u32;
        row.retain(|&(to, rate)| to != from && rate > 0.0);
        row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let first = self.rates.len();
        for parallel in row.chunk_by(|a, b| a.0 == b.0) {
            self.targets.push(parallel[0].0);
            self.rates.push(sum(parallel.iter().map(|each| each.1)));
        }
        self.exits.push(sum(self.rates[first..].iter().copied()));
        self.starts.push(self.rates.len());
    }

    /// The row of the next state, where what leads to `outside` is one transition, rounded up; whether it has
    /// one.
    ///
    /// A chain that ends there a little sooner than in truth is still a lower bound of what it does before.
    pub(crate) fn append_ending(&mut self, row: &mut Vec<(u32, f64)>, outside: u32) -> bool {
        let away = sum(row.iter().filter(|each| each.0 == outside).map(|each| each.1));
        if away > 0.0 {
            row.retain(|each| each.0 != outside);
            row.push((outside, upwards(away, 2.0)));
        }
        self.append(row);
        away > 0.0
    }

    /// The finished chain. Errors: exits that overflow, an initial distribution that is none.
    pub(crate) fn started(mut self, initial: Vec<(usize, f64)>) -> Result<Self> {
        self.initial = checked_initial(self.states(), initial)?;
        if let Some(exit) = self.exits.iter().find(|exit| exit.is_nan() || **exit > FASTEST) {
            return refuse(format!(
                "the rates out of a state add up to {exit:e}, more than the {FASTEST:e} that can be followed: use a \
                 longer unit of time"
            ));
        }
        Ok(self)
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.exits.len()
    }

    /// Number of transitions between different states.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// (state, rate) of the transitions out of `state`, by state.
    pub fn row(&self, state: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        let range = self.starts[state]..self.starts[state + 1];
        self.targets[range.clone()].iter().map(|&to| to as usize).zip(self.rates[range].iter().copied())
    }

    /// Total rate out of `state`.
    pub fn exit(&self, state: usize) -> f64 {
        self.exits[state]
    }

    /// The largest total rate out of any state.
    pub fn fastest(&self) -> f64 {
        self.exits.iter().copied().fold(0.0, f64::max)
    }

    /// Transitions out of the state that has most.
    pub fn widest(&self) -> usize {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// (state, probability) at time 0, by state.
    pub fn initial(&self) -> &[(usize, f64)] {
        &self.initial
    }

    /// What the initial probabilities add up to at most: 1 but for rounding.
    pub(crate) fn total(&self) -> f64 {
        upwards(sum(self.initial.iter().map(|each| each.1)), 2.0)
    }

    /// The same chain started elsewhere. Errors as `new`.
    pub fn starting(mut self, initial: Vec<(usize, f64)>) -> Result<Self> {
        self.initial = checked_initial(self.states(), initial)?;
        Ok(self)
    }

    /// The chain in which `class` states become one, each of the rest by itself: (chain, class of each
    /// state).
    ///
    /// `class[i]` is the new number of state i; the new chain takes its transitions from any one member, so
    /// the caller answers for their being alike. States of class `absorbing` lose their transitions.
    pub(crate) fn merged(&self, class: &[usize], classes: usize, absorbing: Option<usize>) -> Result<Self> {
        let mut seen = vec![false; classes];
        let mut transitions = Vec::new();
        for state in 0..self.states() {
            let here = class[state];
            if Some(here) != absorbing && !std::mem::replace(&mut seen[here], true) {
                transitions.extend(self.row(state).map(|(to, rate)| (here, class[to], rate)));
            }
        }
        let initial = self.initial.iter().map(|&(state, share)| (class[state], share)).collect();
        Self::new(classes, transitions, initial)
    }
}

fn checked_initial(states: usize, initial: Vec<(usize, f64)>) -> Result<Vec<(usize, f64)>> {
    let mut shares = std::collections::BTreeMap::<usize, Vec<f64>>::new();
    for (state, share) in initial {
        if state >= states {
            return refuse(format!("initial state {state} is not one of the {states} states"));
        }
        if !(share >= 0.0 && share.is_finite()) {
            return refuse(format!("initial probability {share} is not between 0 and 1"));
        }
        if share > 0.0 {
            shares.entry(state).or_default().push(share);
        }
    }
    let shares: Vec<_> = shares.into_iter().map(|(state, parts)| (state, sum(parts))).collect();
    let total = sum(shares.iter().map(|each| each.1));
    if (total - 1.0).abs() > 1e-12 {
        return refuse(format!("the initial probabilities sum to {total}, expected 1"));
    }
    Ok(shares)
}
