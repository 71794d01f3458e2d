//! Large chains of which few states matter: the rest becomes a sink whose probability is part of the bounds.
//!
//! What is computed on the kept states alone is a lower bound, for the rest may earn nothing; an upper bound adds
//! the most that anything can earn for the time spent in the sink. Both hold whichever states are kept. Which are
//! kept is a guess at what is likely: states are taken in the order of the most likely path of jumps to them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::chain::Chain;

/// States in the order of their likeliest paths, as far as was asked for.
pub struct Importance<'a> {
    chain: &'a Chain,
    taken: Vec<usize>,
    seen: Vec<bool>,
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
    /// The old number of each of its states but the sink.
    pub kept: Vec<usize>,
    /// Whether anything was left out.
    pub lossy: bool,
}

impl<'a> Importance<'a> {
    /// Starts from the initial states.
    pub fn new(chain: &'a Chain) -> Self {
        let queue =
            chain.initial().iter().map(|&(state, likelihood)| Reached { likelihood, state }).collect();
        Self { chain, taken: Vec::new(), seen: vec![false; chain.states()], queue }
    }

    /// Takes states until there are `count`, or all that can be reached.
    fn take(&mut self, count: usize) {
        while self.taken.len() < count {
            let Some(Reached { likelihood, state }) = self.queue.pop() else { return };
            if std::mem::replace(&mut self.seen[state], true) {
                continue;
            }
            self.taken.push(state);
            let exit = self.chain.exit(state);
            for (to, rate) in self.chain.row(state).filter(|each| !self.seen[each.0]) {
                self.queue.push(Reached { likelihood: likelihood * (rate / exit), state: to });
            }
        }
    }

    /// The chain kept to its `count` likeliest states; always with the initial ones.
    pub fn project(&mut self, count: usize) -> Projected {
        self.take(count.max(self.chain.initial().len()));
        let mut kept = self.taken.clone();
        kept.extend(self.chain.initial().iter().map(|each| each.0).filter(|&state| !self.seen[state]));
        // In their old order neighbours stay neighbours, and powers of the chain narrow.
        kept.sort_unstable();
        let sink = kept.len();
        let mut number = vec![sink; self.chain.states()];
        kept.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let transitions: Vec<_> = kept
            .iter()
            .flat_map(|&from| self.chain.row(from).map(move |(to, rate)| (from, to, rate)))
            .map(|(from, to, rate)| (number[from], number[to], rate))
            .collect();
        let lossy = transitions.iter().any(|each| each.1 == sink);
        let initial = self.chain.initial().iter().map(|&(state, share)| (number[state], share)).collect();
        let chain = Chain::new(sink + 1, transitions, initial).expect("a part of a chain with a sink is one");
        Projected { chain, kept, lossy }
    }
}
