//! Stiff chains: the exponential over a short step, doubled until it spans the horizon.
//!
//! The step is short enough that at most a fraction of a jump is expected, so its exponential is a short sum
//! of products of non-negative numbers. Then P(2h) = P(h)², and the mean of what is earned over 2h is a(2h) =
//! (a(h) + P(h)·a(h))/2. Nothing is subtracted; every number keeps a relative error, which a squaring
//! doubles. A year of 15-second failovers takes some thirty doublings: what is lost in the first counts a
//! billionfold. The first are therefore done in twice the working precision, as many as it takes to meet the
//! precision asked for.

use crate::budget;
use crate::chain::Chain;
use crate::dense::Square;
use crate::double::{self, Double};
use crate::error::{Result, refuse};
use crate::rounding::{Loss, power_below, sum};

/// Terms of the short step beyond the first; with a quarter of a jump expected the rest is below 10⁻³⁷.
const TERMS: usize = 24;
const SHORT: f64 = 0.25;

/// More doublings than this and the errors could meet the smallest numbers.
const MOST_DOUBLINGS: u32 = 62;

/// Values by starting state, with bounds that hold for all of them. What is accumulated is given as its mean
/// over the horizon, and rewards are at most 2: then `UNDERFLOW` covers underflow, whatever the time and the
/// rates.
pub struct Values {
    /// One computed value a state.
    pub values: Vec<f64>,
    /// What rounding may have done to each.
    pub loss: Loss,
    /// What may be missing from each, in units of the largest reward.
    pub missing: f64,
}

/// The exponential over half the horizon, and what is earned until then.
pub struct Halfway {
    power: Square,
    power_loss: Loss,
    /// Means over that time.
    earned: Vec<Vec<f64>>,
    earned_loss: Loss,
    missing: f64,
}

/// How often the step is doubled for a horizon; one less is squared.
pub fn doublings(chain: &Chain, time: f64) -> u32 {
    let jumps = pace(chain) * time / SHORT;
    if jumps <= 2.0 { 1 } else { jumps.log2().ceil().min(ENDLESS) as u32 }
}

/// Stands for all numbers of doublings that nobody follows.
const ENDLESS: f64 = 1e4;

/// A power of two at least twice the fastest exit: dividing by it is exact, and 1 − exit/pace is at least a
/// half.
fn pace(chain: &Chain) -> f64 {
    4.0 * power_below(chain.fastest())
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
        let step = Step::new(chain, pace(chain) * time / 2.0_f64.powi(doublings as i32));
        let states = chain.states() as f64;
        let mut earned = earning.iter().map(|reward| step.earned(reward)).collect::<Vec<_>>();
        let mut earned_loss = step.loss() + step.earned_loss();
        let mut power = step.exponential()?;
        let mut power_loss = step.loss();
        let mut wide = true;
        for done in 1..doublings {
            for values in &mut earned {
                let more = power.apply(values);
                values.iter_mut().zip(more).for_each(|(value, more)| *value = (*value + more) / 2.0);
            }
            earned_loss = earned_loss + power_loss + power.apply_loss() + Loss::roundings(1.0);
            // All that working precision would lose from here on, at most.
            let ahead = Loss::roundings(states + 2.0) * 2.0_f64.powi((doublings - done) as i32);
            if wide && ahead.as_relative() <= precision / 8.0 {
                (power, wide) = (power.rounded(), false);
                power_loss = power_loss + Loss::roundings(1.0);
            }
            power = power.product(&power, threads);
            budget::check()?;
            let product =
                if wide { double::loss(8.0 * (states + 2.0)) } else { Loss::roundings(states + 2.0) };
            power_loss = power_loss * 2.0 + product;
        }
        let missing = 2.0_f64.powi(doublings as i32) * step.tail();
        Ok(Self { power, power_loss, earned, earned_loss, missing })
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
        let loss = (self.power_loss + self.power.apply_loss()) * 2.0;
        Values { values, loss, missing: self.missing }
    }

    /// The mean of reward number `which` of `earning` until the horizon, by starting state.
    pub fn accumulated(&self, which: usize) -> Values {
        let half = &self.earned[which];
        let values =
            self.power.apply(half).iter().zip(half).map(|(more, half)| (more + half) / 2.0).collect();
        let loss = self.earned_loss + self.power_loss + self.power.apply_loss() + Loss::roundings(1.0);
        Values { values, loss, missing: self.missing }
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
    fn new(chain: &'a Chain, expected: f64) -> Self {
        let pace = pace(chain);
        let stay = |state: usize| {
            let exit = chain.row(state).fold(Double::default(), |total, each| total + (each.1 / pace).into());
            let rest = Double::exact_sum(1.0, -exit.high);
            Double::exact_sum(rest.high, rest.low - exit.low)
        };
        Self { chain, pace, expected, stay: (0..chain.states()).map(stay).collect() }
    }

    /// Poisson probabilities of 0 ..= TERMS jumps, together 1: each too large by at most a share of the tail.
    fn weights(&self) -> Vec<Double> {
        let mut terms = vec![Double::from(1.0)];
        for jumps in 1..=TERMS {
            terms.push(terms[jumps - 1] * self.expected.into() * Double::from(jumps as f64).inverse());
        }
        let total = terms.iter().rev().fold(Double::default(), |total, &term| total + term).inverse();
        terms.into_iter().map(|term| term * total).collect()
    }

    /// Bound on the probability of TERMS jumps or more: on what is missing from the transitions of one step,
    /// and from the mean of what it earns.
    fn tail(&self) -> f64 {
        (1..=TERMS).map(|jumps| self.expected / jumps as f64).product::<f64>() * 2.0
    }

    /// Of `exponential`: every jump adds up a row, and so do the weights.
    fn loss(&self) -> Loss {
        let operations = (TERMS as f64 + 4.0) * (self.chain.widest() as f64 + 8.0);
        Loss::relative(self.tail()) + double::loss(16.0 * operations)
    }

    /// Of `earned` beyond that: a row and what is earned there with every jump; five of a weight.
    fn earned_loss(&self) -> Loss {
        Loss::roundings((TERMS as f64 + 2.0) * (self.chain.widest() as f64 + 8.0))
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

    /// The mean of `reward` in the step: Σ P[more than i jumps] / expected · jumpⁱ · reward.
    ///
    /// P[j + 1 jumps] / expected = P[j jumps] / (j + 1), which holds its digits where next to nothing is
    /// expected.
    fn earned(&self, reward: &[f64]) -> Vec<f64> {
        let shares: Vec<f64> = self
            .weights()
            .iter()
            .enumerate()
            .map(|(jumps, weight)| weight.high / (jumps + 1) as f64)
            .collect();
        let mut values = reward.to_vec();
        let mut result = vec![0.0; reward.len()];
        for jumps in 0..=TERMS {
            // From its small end: 1 minus the head would cancel. What lies beyond TERMS is in `tail`.
            let longer = sum(shares[jumps..].iter().copied());
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
