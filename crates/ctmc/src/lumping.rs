//! Exact lumping: states that no question can tell apart become one.
//!
//! A partition is an ordinary lumping when all states of a block have the same total rate into each other
//! block (Kemeny and Snell). It is found from the coarsest one that tells rewards apart: a block splits the
//! others by their rates into it, until none does (Derisavi, Hermanns and Sanders, *Information Processing
//! Letters* 87, 2003). Rates are added as whole numbers of the finest unit that any of them has, without
//! rounding: that no block splits another is the proof.
//!
//! A rate of the smaller chain is such a sum, rounded once. What that may do to an answer is part of its
//! bounds.

use std::collections::HashMap;

use crate::budget;
use crate::chain::Chain;
use crate::error::Result;
use crate::rounding::Loss;

/// Bits of a sum beyond which rates differ too much to be added exactly.
const MOST_BITS: i32 = 126;

/// The number of a block before it is met.
const NOT_MET: u32 = u32::MAX;

/// The smaller chain.
pub struct Lumped {
    /// One state a block, started in the blocks of the initial states.
    pub chain: Chain,
    /// What each block earns.
    pub reward: Vec<f64>,
}

impl Lumped {
    /// The coarsest lumping of `chain` that tells the values of `reward` apart; none when rates differ by too
    /// many powers of two to be added exactly.
    pub fn new(chain: &Chain, reward: &[f64]) -> Result<Option<Self>> {
        let Some(units) = Units::of(chain) else { return Ok(None) };
        let mut partition = Partition::by_value(reward);
        Refinement::new(chain, &units).run(&mut partition)?;
        // Numbered as their first members are: what was close in memory stays close.
        let mut number = vec![NOT_MET; partition.starts.len()];
        let mut firsts = Vec::with_capacity(number.len());
        for state in 0..chain.states() {
            let block = partition.block[state] as usize;
            if number[block] == NOT_MET {
                number[block] = firsts.len() as u32;
                firsts.push(state);
            }
        }
        let number = |state: usize| number[partition.block[state] as usize];
        let mut small = Chain::empty(firsts.len(), 0);
        let mut row = Vec::new();
        let mut sums: HashMap<u32, i128> = HashMap::new();
        for &member in &firsts {
            sums.clear();
            for (to, rate) in chain.row(member) {
                *sums.entry(number(to)).or_default() += units.whole(rate);
            }
            row.clear();
            row.extend(sums.iter().map(|(&to, &sum)| (to, units.real(sum))));
            small.append(&mut row);
        }
        let initial = chain.initial().iter().map(|&(state, share)| (number(state) as usize, share)).collect();
        let reward = firsts.iter().map(|&member| reward[member]).collect();
        Ok(Some(Self { chain: small.started(initial)?, reward }))
    }

    /// What the rounding of rates may have done to an answer: in the long run without a time, for a ratio of
    /// sums of products with at most one rate of each state; else by the jumps until then.
    pub fn loss(&self, time: Option<f64>) -> Loss {
        match time {
            None => Loss::roundings(2.0 * (self.chain.states() as f64 + 4.0)),
            // At twice the fastest exit, staying is at least a half: what a rate loses, and no more, a jump
            // may lose.
            Some(time) => Loss::roundings(2.0).of_jumps(2.0 * self.chain.fastest() * time),
        }
    }
}

/// Rates as whole numbers of a power of two.
struct Units {
    exponent: i32,
}

/// Mantissa and exponent of a positive number.
fn taken_apart(rate: f64) -> (i128, i32) {
    let bits = rate.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    if exponent == 0 {
        (i128::from(fraction), -1074)
    } else {
        (i128::from(fraction | 1 << 52), exponent - 1075)
    }
}

impl Units {
    /// The finest unit of any rate; none when sums of them might not fit.
    fn of(chain: &Chain) -> Option<Self> {
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for rate in (0..chain.states()).flat_map(|state| chain.row(state).map(|each| each.1)) {
            let (mantissa, exponent) = taken_apart(rate);
            low = low.min(exponent + mantissa.trailing_zeros() as i32);
            high = high.max(exponent + 53);
        }
        let terms = usize::BITS - chain.widest().leading_zeros();
        (high <= low || high - low + terms as i32 <= MOST_BITS).then_some(Self { exponent: low })
    }

    fn whole(&self, rate: f64) -> i128 {
        let (mantissa, exponent) = taken_apart(rate);
        let shift = exponent - self.exponent;
        if shift >= 0 { mantissa << shift } else { mantissa >> -shift }
    }

    fn real(&self, whole: i128) -> f64 {
        // In two steps: a power of two by itself may be out of range.
        let half = self.exponent / 2;
        whole as f64 * 2.0_f64.powi(half) * 2.0_f64.powi(self.exponent - half)
    }
}

/// States in blocks, each a run of `order`.
struct Partition {
    order: Vec<u32>,
    /// Where each state is in the order.
    place: Vec<u32>,
    /// The block of each state.
    block: Vec<u32>,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Partition {
    fn by_value(reward: &[f64]) -> Self {
        let mut order: Vec<u32> = (0..reward.len() as u32).collect();
        order.sort_by(|&a, &b| reward[a as usize].total_cmp(&reward[b as usize]));
        let mut found = Self {
            place: vec![0; order.len()],
            block: vec![0; order.len()],
            order,
            starts: vec![],
            ends: vec![],
        };
        for at in 0..found.order.len() {
            let value = |at: usize| reward[found.order[at] as usize];
            if at == 0 || value(at) != value(at - 1) {
                found.starts.push(at as u32);
                found.ends.push(at as u32);
            }
            let state = found.order[at] as usize;
            found.place[state] = at as u32;
            found.block[state] = found.starts.len() as u32 - 1;
            *found.ends.last_mut().expect("a block was begun") += 1;
        }
        found
    }

    fn members(&self, block: usize) -> &[u32] {
        &self.order[self.starts[block] as usize..self.ends[block] as usize]
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.order.swap(a as usize, b as usize);
        for at in [a, b] {
            self.place[self.order[at as usize] as usize] = at;
        }
    }

    /// Makes the run `from..to` of a block, at its end, one of its own; its number.
    fn cut(&mut self, block: usize, from: u32, to: u32) -> usize {
        let new = self.starts.len();
        self.ends[block] = from.min(self.ends[block]);
        self.starts.push(from);
        self.ends.push(to);
        for at in from..to {
            self.block[self.order[at as usize] as usize] = new as u32;
        }
        new
    }
}

/// Splits until nothing splits.
struct Refinement {
    /// Who leads to each state, at which of `rates`; the state itself at minus its total rate.
    starts: Vec<usize>,
    items: Vec<(u32, u32)>,
    rates: Vec<i128>,
    /// Rates into the splitter, by state; and who has one.
    into: Vec<i128>,
    touched: Vec<u32>,
    waiting: Vec<usize>,
    is_waiting: Vec<bool>,
}

impl Refinement {
    fn new(chain: &Chain, units: &Units) -> Self {
        let states = chain.states();
        let mut starts = vec![0; states + 1];
        for state in 0..states {
            starts[state + 1] += 1;
            chain.row(state).for_each(|(to, _)| starts[to + 1] += 1);
        }
        (0..states).for_each(|state| starts[state + 1] += starts[state]);
        let mut next = starts.clone();
        let mut items = vec![(0, 0); starts[states]];
        // Few rates differ: they are kept once.
        let (mut rates, mut numbers) = (Vec::new(), HashMap::new());
        let mut put = |from: usize, to: usize, rate: i128| {
            let number = *numbers.entry(rate).or_insert_with(|| {
                rates.push(rate);
                rates.len() as u32 - 1
            });
            items[next[to]] = (from as u32, number);
            next[to] += 1;
        };
        for state in 0..states {
            let mut exit = 0;
            for (to, rate) in chain.row(state) {
                let rate = units.whole(rate);
                exit += rate;
                put(state, to, rate);
            }
            put(state, state, -exit);
        }
        let (touched, waiting, is_waiting) = Default::default();
        Self { starts, items, rates, into: vec![0; states], touched, waiting, is_waiting }
    }

    fn run(&mut self, partition: &mut Partition) -> Result<()> {
        budget::stage("lumping states");
        self.is_waiting = vec![false; partition.starts.len()];
        (0..partition.starts.len()).for_each(|block| self.wait(block));
        while let Some(splitter) = self.waiting.pop() {
            budget::check()?;
            self.is_waiting[splitter] = false;
            for &to in partition.members(splitter) {
                let entrants = &self.items[self.starts[to as usize]..self.starts[to as usize + 1]];
                for &(from, rate) in entrants {
                    let sum = &mut self.into[from as usize];
                    if *sum == 0 {
                        self.touched.push(from);
                    }
                    *sum += self.rates[rate as usize];
                }
            }
            self.split(partition);
        }
        Ok(())
    }

    fn wait(&mut self, block: usize) {
        if !std::mem::replace(&mut self.is_waiting[block], true) {
            self.waiting.push(block);
        }
    }

    /// Splits every block by the rates of its states into the splitter.
    fn split(&mut self, partition: &mut Partition) {
        // A sum may have come back to zero on its way, and a state been noted twice.
        self.touched.sort_unstable();
        self.touched.dedup();
        let mut touched = std::mem::take(&mut self.touched);
        touched.retain(|&state| self.into[state as usize] != 0);
        touched.sort_unstable_by_key(|&state| {
            (partition.block[state as usize], self.into[state as usize], state)
        });
        let together = |&a: &u32, &b: &u32| partition.block[a as usize] == partition.block[b as usize];
        let runs: Vec<usize> = touched.chunk_by(together).map(<[u32]>::len).collect();
        let mut start = 0;
        for length in runs {
            self.split_one(partition, &touched[start..start + length]);
            start += length;
        }
        touched.iter().for_each(|&state| self.into[state as usize] = 0);
        touched.clear();
        self.touched = touched;
    }

    /// Splits one block; `states` are those with a rate, by rate.
    fn split_one(&mut self, partition: &mut Partition, states: &[u32]) {
        let block = partition.block[states[0] as usize] as usize;
        let (start, end) = (partition.starts[block], partition.ends[block]);
        let alike = |a: u32, b: u32| self.into[a as usize] == self.into[b as usize];
        let all = states.len() as u32 == end - start;
        if all && alike(states[0], states[states.len() - 1]) {
            return;
        }
        // Those with a rate go to the end, in their order.
        for (at, &state) in (end - states.len() as u32..end).zip(states) {
            let now = partition.place[state as usize];
            partition.swap(now, at);
        }
        let mut parts = vec![block];
        let mut from = end - states.len() as u32;
        let runs: Vec<u32> = states.chunk_by(|&a, &b| alike(a, b)).map(|run| run.len() as u32).collect();
        for (number, length) in runs.into_iter().enumerate() {
            if !(all && number == 0) {
                parts.push(partition.cut(block, from, from + length));
            }
            from += length;
        }
        self.is_waiting.resize(partition.starts.len(), false);
        // Rates into the whole are known to agree: one part follows from the others.
        let size = |&part: &usize| partition.ends[part] - partition.starts[part];
        let spared = parts.iter().copied().max_by_key(size).filter(|_| !self.is_waiting[block]);
        parts.into_iter().filter(|part| Some(*part) != spared).for_each(|part| self.wait(part));
    }
}
