//! Stiff chains: the exponential over a short step, doubled until it spans the horizon.
//!
//! The step is short enough that at most a fraction of a jump is expected, so its exponential is a short sum of
//! products of non-negative numbers. Then P(2h) = P(h)², and what is earned over 2h is a(2h) = a(h) + P(h)·a(h).
//! Nothing is subtracted; every number keeps a relative error, which a squaring doubles. A year of 15-second
//! failovers takes some thirty doublings: what is lost in the first counts a billionfold. The first are therefore
//! done in twice the working precision, as many as it takes to meet the precision asked for.

use crate::budget;
use crate::chain::Chain;
use crate::dense::Square;
use crate::double::{self, Double};
use crate::enclosure::{ROUNDING, sum};
use crate::error::{Result, refuse};

/// Terms of the short step beyond the first; with a quarter of a jump expected the rest is below 10⁻³⁷.
const TERMS: usize = 24;
const SHORT: f64 = 0.25;

/// More doublings than this and the errors could meet the smallest numbers.
const MOST_DOUBLINGS: u32 = 62;

/// Values by starting state, with bounds that hold for all of them.
pub struct Values {
    /// One computed value a state.
    pub values: Vec<f64>,
    /// Bound on their relative error.
    pub relative: f64,
    /// What may be missing from each, in units of the largest reward (times the horizon, if accumulated).
    pub missing: f64,
}

/// The exponential over half the horizon, and what is earned until then.
pub struct Halfway {
    power: Square,
    power_error: f64,
    earned: Vec<Vec<f64>>,
    earned_error: f64,
    missing: f64,
}

/// How often the step is doubled for a horizon; one less is squared.
pub fn doublings(chain: &Chain, time: f64) -> u32 {
    let jumps = pace(chain) * time / SHORT;
    if jumps <= 2.0 { 1 } else { jumps.log2().ceil() as u32 }
}

/// A power of two at least twice the fastest exit: dividing by it is exact, and 1 − exit/pace is at least a half.
fn pace(chain: &Chain) -> f64 {
    2.0_f64.powi(chain.fastest().max(f64::MIN_POSITIVE * 1e20).log2().floor() as i32 + 2)
}

impl Halfway {
    /// Half of `time`; `earning` are the rewards whose accumulation is followed.
    ///
    /// Errors: a horizon of more jumps than can be followed.
    pub fn reach(
        chain: &Chain,
        time: f64,
        earning: &[&[f64]],
        precision: f64,
        threads: usize,
    ) -> Result<Self> {
        let doublings = doublings(chain, time);
        if doublings > MOST_DOUBLINGS {
            return refuse(format!(
                "2^{doublings} jumps are expected until {time}: more than can be followed"
            ));
        }
        let step = Step::new(chain, time / 2.0_f64.powi(doublings as i32));
        let states = chain.states() as f64;
        let mut earned = earning.iter().map(|reward| step.earned(reward)).collect::<Vec<_>>();
        let mut earned_error = (TERMS as f64 + 2.0) * (chain.widest() as f64 + 8.0) * ROUNDING;
        let mut power = step.exponential()?;
        let mut power_error = step.error();
        let mut wide = true;
        for done in 1..doublings {
            for values in &mut earned {
                let more = power.apply(values);
                values.iter_mut().zip(more).for_each(|(value, more)| *value += more);
            }
            earned_error += power_error + power.apply_error() + 2.0 * ROUNDING;
            // All that working precision would lose from here on, at most.
            let ahead = 2.0_f64.powi((doublings - done) as i32) * (states + 2.0) * ROUNDING;
            if wide && ahead <= precision / 8.0 {
                (power, wide) = (power.rounded(), false);
                power_error += ROUNDING;
            }
            power = power.product(&power, threads);
            budget::check()?;
            let rounding = if wide { 8.0 * double::ROUNDING } else { ROUNDING };
            power_error = 2.0 * power_error * (1.0 + power_error) + (states + 2.0) * rounding;
        }
        let missing = 2.0_f64.powi(doublings as i32) * step.tail();
        Ok(Self { power, power_error, earned, earned_error, missing })
    }

    /// Expected value of `reward` at the horizon, by starting state.
    pub fn value(&self, reward: &[f64]) -> Values {
        self.applied_twice(self.power.apply(&self.power.apply(reward)))
    }

    /// The distribution at the horizon from `initial`.
    pub fn distribution(&self, initial: &[f64]) -> Values {
        self.applied_twice(self.power.apply_left(&self.power.apply_left(initial)))
    }

    fn applied_twice(&self, values: Vec<f64>) -> Values {
        let relative = 2.0 * (self.power_error + self.power.apply_error()) * 1.01;
        Values { values, relative, missing: self.missing }
    }

    /// What reward number `which` of `earning` accumulates until the horizon, by starting state.
    pub fn accumulated(&self, which: usize) -> Values {
        let half = &self.earned[which];
        let values = self.power.apply(half).iter().zip(half).map(|(more, half)| more + half).collect();
        let relative = (self.earned_error + self.power_error + self.power.apply_error()) * 1.01;
        Values { values, relative, missing: self.missing }
    }
}

/// The jump chain of `pace` jumps a unit of time, and the number of jumps in one step.
struct Step<'a> {
    chain: &'a Chain,
    pace: f64,
    expected: f64,
    /// Probability of staying at a jump.
    stay: Vec<Double>,
}

impl<'a> Step<'a> {
    fn new(chain: &'a Chain, length: f64) -> Self {
        let pace = pace(chain);
        let stay = |state: usize| {
            let exit = chain.row(state).fold(Double::default(), |total, each| total + (each.1 / pace).into());
            let rest = Double::exact_sum(1.0, -exit.high);
            Double::exact_sum(rest.high, rest.low - exit.low)
        };
        Self { chain, pace, expected: pace * length, stay: (0..chain.states()).map(stay).collect() }
    }

    /// Poisson probabilities of 0 ..= TERMS jumps, together 1: each too large by at most the tail.
    fn weights(&self) -> Vec<Double> {
        let mut terms = vec![Double::from(1.0)];
        for jumps in 1..=TERMS {
            terms.push(terms[jumps - 1] * self.expected.into() * Double::from(jumps as f64).inverse());
        }
        let total = terms.iter().rev().fold(Double::default(), |total, &term| total + term).inverse();
        terms.into_iter().map(|term| term * total).collect()
    }

    /// Bound on the probability of TERMS jumps or more: on what is missing from the transitions of one step, and
    /// from what it earns as a share of its length.
    fn tail(&self) -> f64 {
        (1..=TERMS).map(|jumps| self.expected / jumps as f64).product::<f64>() * 2.0
    }

    /// Relative error of `exponential`.
    fn error(&self) -> f64 {
        let operations = (TERMS as f64 + 4.0) * (self.chain.widest() as f64 + 8.0);
        self.tail() + 16.0 * operations * double::ROUNDING
    }

    /// Σ weight · jumpⁱ by Horner's rule, in two words a number.
    fn exponential(&self) -> Result<Square> {
        budget::stage("doubling a short step");
        let states = self.chain.states();
        let mut jump = Square::zero(states);
        for state in 0..states {
            jump.add(state, state, self.stay[state]);
            self.chain.row(state).for_each(|(to, rate)| jump.add(state, to, (rate / self.pace).into()));
        }
        let weights = self.weights();
        let diagonal = |weight: Double| {
            let mut matrix = Square::zero(states);
            (0..states).for_each(|state| matrix.add(state, state, weight));
            matrix
        };
        let mut result = diagonal(weights[TERMS]);
        for &weight in weights[..TERMS].iter().rev() {
            result = jump.product(&result, 1);
            budget::check()?;
            (0..states).for_each(|state| result.add(state, state, weight));
        }
        Ok(result)
    }

    /// What `reward` earns in the step: Σ P[more than i jumps] / pace · jumpⁱ · reward.
    fn earned(&self, reward: &[f64]) -> Vec<f64> {
        let weights: Vec<f64> = self.weights().iter().map(|weight| weight.high).collect();
        let mut values = reward.to_vec();
        let mut result = vec![0.0; reward.len()];
        for jumps in 0..=TERMS {
            // From its small end: 1 minus the head would cancel. What lies beyond TERMS is in `tail`.
            let longer = sum(weights[jumps + 1..].iter().copied()) / self.pace;
            result.iter_mut().zip(&values).for_each(|(total, value)| *total += longer * value);
            values = self.jump(&values);
        }
        result
    }

    fn jump(&self, values: &[f64]) -> Vec<f64> {
        let one = |state: usize| {
            let moved: f64 = self.chain.row(state).map(|(to, rate)| rate / self.pace * values[to]).sum();
            self.stay[state].high * values[state] + moved
        };
        (0..values.len()).map(one).collect()
    }
}
