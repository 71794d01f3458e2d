//! Chains that have formulas: birth and death (M/M/c/K, machines under repair), and two states over time.
//!
//! They are known by their structure, not by how they were written: a birth–death chain is one whose states
//! form a path. No formula here subtracts what is nearly equal, so that errors are counted as everywhere.

use crate::answer::{Answer, Distribution, Method};
use crate::chain::Chain;
use crate::enclosure::Enclosure;
use crate::horizon::Kind;
use crate::rounding::{Loss, power_below, sum};

/// A chain whose states lie on a line: each leads to its neighbours only.
struct Path {
    /// The states along it.
    order: Vec<usize>,
    /// Rates to the next one and to the one before, by place; 0 at the ends.
    births: Vec<f64>,
    deaths: Vec<f64>,
}

impl Path {
    /// None when the states do not form one path, or are fewer than two.
    fn of(chain: &Chain) -> Option<Self> {
        let states = chain.states();
        if states < 2 || chain.widest() > 2 {
            return None;
        }
        // Neighbours in either direction; more than two are no path.
        let mut near = vec![[usize::MAX; 2]; states];
        for from in 0..states {
            for (to, _) in chain.row(from) {
                for (one, other) in [(from, to), (to, from)] {
                    if !near[one].contains(&other) {
                        *near[one].iter_mut().find(|each| **each == usize::MAX)? = other;
                    }
                }
            }
        }
        let end = (0..states).find(|&state| near[state][0] != usize::MAX && near[state][1] == usize::MAX)?;
        let (mut order, mut before) = (vec![end], usize::MAX);
        let mut here = end;
        while let Some(next) = near[here].into_iter().find(|each| *each != usize::MAX && *each != before) {
            (before, here) = (here, next);
            order.push(here);
        }
        let rate = |from: usize, to: Option<&usize>| {
            to.map_or(0.0, |to| chain.row(from).find(|each| each.0 == *to).map_or(0.0, |each| each.1))
        };
        let births = (0..order.len()).map(|at| rate(order[at], order.get(at + 1))).collect();
        let deaths =
            (0..order.len()).map(|at| rate(order[at], at.checked_sub(1).map(|at| &order[at]))).collect();
        (order.len() == states).then_some(Self { order, births, deaths })
    }

    /// The same, seen from its other end.
    fn reversed(mut self) -> Self {
        self.order.reverse();
        self.births.reverse();
        self.deaths.reverse();
        Self { order: self.order, births: self.deaths, deaths: self.births }
    }
}

/// The long-run mean in a birth–death chain that goes both ways everywhere: probabilities are products of
/// ratios.
pub fn long_run(chain: &Chain, reward: &[f64]) -> Option<Answer> {
    let path = Path::of(chain)?;
    let steps = path.order.len() - 1;
    let ratio = |at: usize| path.births[at] / path.deaths[at + 1];
    if (0..steps).any(|at| path.births[at] == 0.0 || path.deaths[at + 1] == 0.0) {
        return None;
    }
    // Outwards from the likeliest state, lest products overflow.
    let climb = |at: usize| path.births[at].ln() - path.deaths[at + 1].ln();
    let heights: Vec<f64> = (0..steps)
        .scan(0.0, |height, at| {
            *height += climb(at);
            Some(*height)
        })
        .collect();
    let heights: Vec<f64> = [0.0].into_iter().chain(heights).collect();
    let mode = (0..=steps).max_by(|&a, &b| heights[a].total_cmp(&heights[b]))?;
    if lost_in_a_valley(heights[mode..].iter()) || lost_in_a_valley(heights[..=mode].iter().rev()) {
        return None;
    }
    let mut weights = vec![1.0; steps + 1];
    (mode..steps).for_each(|at| weights[at + 1] = weights[at] * ratio(at));
    (0..mode).rev().for_each(|at| weights[at] = weights[at + 1] / ratio(at));
    let total = sum(weights.iter().copied());
    let mut probabilities = vec![0.0; steps + 1];
    path.order.iter().zip(weights).for_each(|(&state, weight)| probabilities[state] = weight / total);
    // A quotient and a product a step, in the numerator and in the sum; that has two more, the share one.
    let loss = Loss::roundings(4.0 * steps as f64 + 3.0);
    let found = Distribution { probabilities, loss, missing: 0.0, method: Method::Closed };
    Some(Answer::new(found.mean(reward), Method::Closed, steps + 1))
}

/// Logarithm of a weight beside the largest one below which a number may have lost digits.
const FAINT: f64 = -640.0;

/// Whether weights that go down from the largest one may have lost digits and then rise again to something.
fn lost_in_a_valley<'a>(heights: impl Iterator<Item = &'a f64> + Clone) -> bool {
    let highest = heights.clone().next().copied().unwrap_or(0.0);
    let mut faint = heights.map(|height| height - highest).skip_while(|height| *height > FAINT);
    faint.any(|height| height > FAINT)
}

/// The mean time to a first visit along a birth–death chain, from one state to targets on one side of it.
pub fn passage_mean(chain: &Chain, target: &[bool]) -> Option<Answer> {
    let [(start, _)] = chain.initial() else { return None };
    let path = Path::of(chain)?;
    let place = path.order.iter().position(|state| state == start)?;
    let marked = |states: &[usize]| states.iter().any(|&state| target[state]);
    let sides = (marked(&path.order[..place]), marked(&path.order[place..]));
    let (path, place) = match sides {
        (false, true) => (path, place),
        (true, false) => {
            let behind = path.order.len() - 1 - place;
            (path.reversed(), behind)
        }
        _ => return None,
    };
    let goal = (place..path.order.len()).find(|&at| target[path.order[at]])?;
    // Where there is no way further back.
    let first = (0..=place).rev().find(|&at| path.deaths[at] == 0.0)?;
    if (first..goal).any(|at| path.births[at] == 0.0) {
        return None;
    }
    let (mut upwards, mut times) = (0.0, Vec::new());
    for at in first..goal {
        // What underflow takes from the product is nothing beside the 1.
        upwards = (1.0 + path.deaths[at] * upwards) / path.births[at];
        times.push(upwards);
    }
    // Three roundings a step, two of the sum.
    let loss = Loss::roundings(3.0 * (goal - first) as f64 + 2.0);
    let value = sum(times[place - first..].iter().copied());
    // An overflow on the way leaves no number.
    Some(Answer::new(Enclosure::near(value, loss), Method::Closed, path.order.len()))
}

/// Below e to the minus this there is nothing that a number can hold.
const NOTHING: f64 = 800.0;

/// A chain of two states at a time, or until then.
pub fn two_states(chain: &Chain, reward: &[f64], time: f64, kind: Kind) -> Option<Answer> {
    if chain.states() != 2 || chain.transitions() == 0 {
        return None;
    }
    let pace = chain.exit(0) + chain.exit(1);
    let jumps = pace * time;
    let settled = -(-jumps).exp_m1();
    // Of the time before the first jump: 1 where next to none is expected.
    let early = if jumps < f64::MIN_POSITIVE { 1.0 } else { settled / jumps };
    let scale = power_below(reward[0].max(reward[1]));
    // From a state that is left at `rate`: the chance of the other one, or the share of time there; and of
    // itself.
    let from = |state: usize| {
        let (rate, other) = (chain.exit(state), chain.exit(1 - state));
        // Shares first: a small rate times a small probability may be no number any more.
        let (away, home) = (rate / pace, other / pace);
        match kind {
            Kind::At => (away * settled, home + away * (-jumps).exp()),
            Kind::Until => (away * late(jumps), home + away * early),
        }
    };
    let earned = chain.initial().iter().map(|&(state, share)| {
        let (away, here) = from(state);
        share * (here * (reward[state] / scale) + away * (reward[1 - state] / scale))
    });
    // exp errs by a unit or two, and by its argument's relative error times the argument.
    let loss = Loss::roundings(64.0 + 8.0 * jumps.min(NOTHING));
    let value = Enclosure::around(sum(earned), loss, 0.0).times(Enclosure::exact(scale));
    let value = if kind == Kind::At { value } else { value.times(Enclosure::exact(time)) };
    Some(Answer::new(value, Method::Closed, 2))
}

/// 1 − (1 − exp(−x)) / x, the share of x that is left after a mean wait of 1, to within some roundings.
fn late(x: f64) -> f64 {
    if x >= 1.0 {
        return (x + (-x).exp_m1()) / x;
    }
    // x/2 − x²/6 + x³/24 − …: what is taken away is less than a third.
    let terms = (2..24).scan(-1.0, |term, number| {
        *term *= -x / f64::from(number);
        Some(*term)
    });
    terms.collect::<Vec<f64>>().into_iter().rev().sum()
}
