//! Long-run means of large chains: sweeps towards a potential, and bounds that hold for any potential.
//!
//! For any vector h the stationary mean of Q·h is zero. So the long-run mean of a reward r is also that of
//! r + Q·h, and lies between the least and the greatest of its entries. The nearer h is to the potential of the
//! reward, the nearer these are. How h was found does not matter: the bounds are read off at the end, with the
//! rounding of that one product.
//!
//! h is what is earned until the return to a state, less the mean times the time that takes; both by Gauss–Seidel
//! sweeps. They go outwards along the quickest ways home, so that a state comes after those it mostly leads to.
//! States from which the return takes days would drown a mean of a millionth in rounding: hence two words a number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::chain::Chain;
use crate::double::{self, Double};
use crate::enclosure::{Enclosure, ROUNDING};

/// Sweeps between two looks at the bounds, and looks in all.
const SWEEPS: usize = 4;
const LOOKS: usize = 100;

/// Looks that may pass without narrowing the bounds before nothing more is expected.
const FUTILE: usize = 12;

/// Bounds on the long-run mean of `reward` in the one bottom component `members`.
pub fn sweep(chain: &Chain, members: &[usize], reward: &[f64], precision: f64) -> Enclosure {
    let started =
        chain.initial().iter().map(|each| each.0).find(|state| members.binary_search(state).is_ok());
    let home = started.unwrap_or(members[0]);
    let mut cycle = Cycle::new(chain, reward);
    let away = outwards(chain, members, home);
    let mut best = Enclosure { low: 0.0, high: reward.iter().copied().fold(0.0, f64::max) };
    let mut futile = 0;
    for _ in 0..LOOKS {
        for _ in 0..SWEEPS {
            away.iter().for_each(|&state| cycle.update(state));
        }
        let found = read_off(chain, members, reward, &cycle.potential(home));
        let both = Enclosure { low: best.low.max(found.low), high: best.high.min(found.high) };
        futile = if both == best { futile + 1 } else { 0 };
        best = both;
        if best.relative_width() <= precision || futile == FUTILE {
            break;
        }
    }
    best
}

/// The other members by the time of the quickest way from them to `home`, a jump taking one over its rate.
fn outwards(chain: &Chain, members: &[usize], home: usize) -> Vec<usize> {
    let mut into: Vec<Vec<(u32, f64)>> = vec![Vec::new(); chain.states()];
    for &from in members {
        chain.row(from).for_each(|(to, rate)| into[to].push((from as u32, rate)));
    }
    let mut order = Vec::with_capacity(members.len());
    let mut seen = vec![false; chain.states()];
    // Non-negative numbers are in the order of their bits.
    let mut queue = BinaryHeap::from([Reverse((0, home))]);
    while let Some(Reverse((bits, state))) = queue.pop() {
        if !std::mem::replace(&mut seen[state], true) {
            order.push(state);
            let later = |&(from, rate): &(u32, f64)| {
                Reverse(((f64::from_bits(bits) + 1.0 / rate).to_bits(), from as usize))
            };
            queue.extend(into[state].iter().filter(|each| !seen[each.0 as usize]).map(later));
        }
    }
    order.split_off(1)
}

/// What is earned from each state until the return home, and how long that takes; so far.
struct Cycle<'a> {
    chain: &'a Chain,
    reward: &'a [f64],
    /// Mean stay in each state.
    stay: Vec<Double>,
    earned: Vec<Double>,
    lasted: Vec<Double>,
}

impl<'a> Cycle<'a> {
    fn new(chain: &'a Chain, reward: &'a [f64]) -> Self {
        let stay = |state: usize| {
            let exit = chain.row(state).fold(Double::default(), |total, each| total + each.1.into());
            if exit.high > 0.0 { exit.inverse() } else { Double::default() }
        };
        let zero = vec![Double::default(); chain.states()];
        Self {
            chain,
            reward,
            stay: (0..chain.states()).map(stay).collect(),
            earned: zero.clone(),
            lasted: zero,
        }
    }

    /// What follows a unit of time in `state`: earnings and time.
    fn onward(&self, state: usize) -> (Double, Double) {
        let now = (Double::from(self.reward[state]), Double::from(1.0));
        self.chain.row(state).fold(now, |(gain, time), (to, rate)| {
            (gain + self.earned[to].scaled(rate), time + self.lasted[to].scaled(rate))
        })
    }

    fn update(&mut self, state: usize) {
        let (gain, time) = self.onward(state);
        self.earned[state] = gain * self.stay[state];
        self.lasted[state] = time * self.stay[state];
    }

    fn potential(&self, home: usize) -> Vec<Double> {
        let (gain, time) = self.onward(home);
        let mean = gain * time.inverse();
        self.earned.iter().zip(&self.lasted).map(|(&earned, &lasted)| earned - lasted * mean).collect()
    }
}

/// Least and greatest entry of r + Q·h, each moved outwards by all that rounding can have done to it.
fn read_off(chain: &Chain, members: &[usize], reward: &[f64], potential: &[Double]) -> Enclosure {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &state in members {
        let here = potential[state];
        let (mut value, mut size) = (Double::from(reward[state]), reward[state]);
        for (to, rate) in chain.row(state) {
            value = value + (potential[to] - here).scaled(rate);
            size += rate * (potential[to].high.abs() + here.high.abs());
        }
        // An operation errs by a few units of the larger operand; `size` is that of all together.
        let operations = 16.0 * (chain.row(state).len() as f64 + 4.0);
        let error = size * operations * double::ROUNDING + value.high.abs() * 2.0 * ROUNDING;
        (low, high) = (low.min((value.high - error).next_down()), high.max((value.high + error).next_up()));
    }
    Enclosure { low: low.max(0.0), high }
}
