//! Uniformization: a Poisson number of jumps of a discrete chain, one sparse product a jump.
//!
//! Values are carried from the horizon backwards, v ← P·v. Then the largest value never rises and the smallest
//! never falls, so once they agree every later value lies between them: detection of the steady state that
//! cannot be fooled, whatever the chain.

use crate::budget;
use crate::chain::Chain;
use crate::doubling::Values;
use crate::enclosure::ROUNDING;
use crate::error::Result;
use crate::poisson::Poisson;

/// Jumps a unit of time over the fastest exit: leaves 1 − exit/pace at a fifth or more, away from cancellation.
const MARGIN: f64 = 1.25;

/// How many jumps a horizon takes.
pub fn jumps(chain: &Chain, time: f64) -> f64 {
    chain.fastest() * MARGIN * time
}

/// Expected value of `reward` at `time`, by starting state.
pub fn value(chain: &Chain, reward: &[f64], time: f64, precision: f64) -> Result<Values> {
    walk(chain, reward, time, precision, Weighing::At)
}

/// What `reward` accumulates until `time`, by starting state.
pub fn accumulated(chain: &Chain, reward: &[f64], time: f64, precision: f64) -> Result<Values> {
    walk(chain, reward, time, precision, Weighing::Until)
}

#[derive(Clone, Copy, PartialEq)]
enum Weighing {
    At,
    Until,
}

fn walk(chain: &Chain, reward: &[f64], time: f64, precision: f64, weighing: Weighing) -> Result<Values> {
    let mean = jumps(chain, time);
    if mean == 0.0 {
        // Nothing ever moves.
        let factor = if weighing == Weighing::At { 1.0 } else { time };
        return Ok(Values {
            values: reward.iter().map(|each| each * factor).collect(),
            relative: ROUNDING,
            missing: 0.0,
        });
    }
    let poisson = Poisson::new(mean);
    let ladder = Ladder::new(&poisson, weighing, time / mean);
    let stepper = Stepper::new(chain);
    let mut values = reward.to_vec();
    let mut next = values.clone();
    let mut result = vec![0.0; reward.len()];
    let mut flat = 0.0;
    let mut done = 0;
    budget::stage("following jumps one by one");
    while done < ladder.end {
        budget::check()?;
        let weight = ladder.weight(done);
        if weight > 0.0 {
            result.iter_mut().zip(&values).for_each(|(total, value)| *total += weight * value);
        }
        done += 1;
        let (low, high) = stepper.step(&values, &mut next);
        std::mem::swap(&mut values, &mut next);
        if high - low <= precision / 16.0 * low {
            let rest = ladder.after(done);
            result.iter_mut().for_each(|total| *total += rest * low);
            flat = (high - low) / low.max(f64::MIN_POSITIVE);
            break;
        }
    }
    let steps = done as f64;
    // A jump rounds once a transition and in staying; then the sum over jumps and the sums of weights.
    let roundings = steps * (chain.widest() as f64 + 25.0) + 2.0 * poisson.weights.len() as f64 + 8.0;
    let relative = roundings * ROUNDING + poisson.relative + flat;
    Ok(Values { values: result, relative: relative * 1.01, missing: poisson.missing })
}

/// What each number of jumps counts for.
struct Ladder {
    first: usize,
    end: usize,
    /// Until `first` all count the same.
    before: f64,
    weights: Vec<f64>,
    /// Sum of all weights from a position on.
    after: Vec<f64>,
}

impl Ladder {
    fn new(poisson: &Poisson, weighing: Weighing, sojourn: f64) -> Self {
        let mut tails = poisson.weights.clone();
        for at in (0..tails.len() - 1).rev() {
            tails[at] += tails[at + 1];
        }
        let (before, weights) = match weighing {
            Weighing::At => (0.0, poisson.weights.clone()),
            // A jump's value lasts one sojourn if more jumps than that happen.
            Weighing::Until => (sojourn, tails[1..].iter().map(|tail| tail * sojourn).chain([0.0]).collect()),
        };
        let mut after = weights.clone();
        for at in (0..after.len() - 1).rev() {
            after[at] += after[at + 1];
        }
        Self { first: poisson.first, end: poisson.first + weights.len(), before, weights, after }
    }

    fn weight(&self, jumps: usize) -> f64 {
        if jumps < self.first { self.before } else { self.weights[jumps - self.first] }
    }

    fn after(&self, jumps: usize) -> f64 {
        if jumps < self.first {
            return self.after[0] + self.before * (self.first - jumps) as f64;
        }
        self.after.get(jumps - self.first).copied().unwrap_or(0.0)
    }
}

/// One jump: v ← P·v.
struct Stepper<'a> {
    chain: &'a Chain,
    pace: f64,
    stay: Vec<f64>,
}

impl<'a> Stepper<'a> {
    fn new(chain: &'a Chain) -> Self {
        let pace = chain.fastest() * MARGIN;
        let stay = (0..chain.states()).map(|state| (pace - chain.exit(state)) / pace).collect();
        Self { chain, pace, stay }
    }

    /// Moves the values on into `next`; returns the least and the greatest.
    fn step(&self, values: &[f64], next: &mut [f64]) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (state, next) in next.iter_mut().enumerate() {
            let moved: f64 = self.chain.row(state).map(|(to, rate)| rate * values[to]).sum();
            *next = self.stay[state] * values[state] + moved / self.pace;
            (low, high) = (low.min(*next), high.max(*next));
        }
        (low, high)
    }
}

/// The distribution at `time`, forwards.
pub fn distribution(chain: &Chain, time: f64) -> Result<Values> {
    let mut shares = vec![0.0; chain.states()];
    chain.initial().iter().for_each(|&(state, share)| shares[state] = share);
    let mean = jumps(chain, time);
    if mean == 0.0 {
        return Ok(Values { values: shares, relative: 0.0, missing: 0.0 });
    }
    let poisson = Poisson::new(mean);
    let stepper = Stepper::new(chain);
    let mut result = vec![0.0; shares.len()];
    let mut most_entrants = vec![0_usize; shares.len()];
    (0..shares.len()).for_each(|from| chain.row(from).for_each(|(to, _)| most_entrants[to] += 1));
    budget::stage("following jumps one by one");
    for done in 0..poisson.first + poisson.weights.len() {
        budget::check()?;
        if done >= poisson.first {
            let weight = poisson.weights[done - poisson.first];
            result.iter_mut().zip(&shares).for_each(|(total, share)| *total += weight * share);
        }
        let mut next: Vec<f64> = shares.iter().zip(&stepper.stay).map(|(share, stay)| share * stay).collect();
        for (from, share) in shares.iter().enumerate().filter(|each| *each.1 > 0.0) {
            let leaving = share / stepper.pace;
            chain.row(from).for_each(|(to, rate)| next[to] += leaving * rate);
        }
        shares = next;
    }
    let steps = (poisson.first + poisson.weights.len()) as f64;
    let widest = most_entrants.into_iter().max().unwrap_or(0) as f64;
    let relative = steps * (widest + 25.0) * ROUNDING + poisson.relative + 8.0 * ROUNDING;
    Ok(Values { values: result, relative: relative * 1.01, missing: poisson.missing })
}
