//! What every method for a finite horizon needs: the question, the unit it is computed in, and what ways
//! would cost.

use crate::answer::Method;
use crate::budget;
use crate::chain::Chain;
use crate::doubling::{self, Values};
use crate::enclosure::Enclosure;
use crate::rounding::{Loss, power_below, sum, upwards};
use crate::uniformization;

/// How exact an answer must be, and with what it may be found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Relative width of the enclosure that is asked for. What is returned states its own, which may be
    /// wider.
    pub precision: f64,
    /// Threads that may be used.
    pub threads: usize,
    /// Method for finite horizons; by cost when absent.
    pub method: Option<Method>,
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { precision: 1e-8, threads, method: None }
    }
}

/// Which question about a finite horizon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// The value at the horizon.
    At,
    /// What was accumulated until then.
    Until,
}

/// Multiplications of a second, as uniformization makes them: measured.
const MULTIPLICATIONS: f64 = 8e8;

/// Multiplications that are still worth it when nobody says how long an answer may take: about twenty
/// seconds.
pub const PATIENCE: f64 = 1.5e10;

/// The most states that dense matrices are made of.
pub const MANY: usize = 1600;

/// Numbers of a factor for each of the chain's own, beyond which an iteration is quicker.
const FILLED: usize = 8;

/// Of `states` states like those of `chain`. A term of a dense product costs a fraction of one of a sparse
/// product.
pub fn dense_work(chain: &Chain, states: usize, time: f64) -> f64 {
    let squarings = f64::from(doubling::doublings(chain, time)) + 20.0;
    squarings * (states as f64).powi(3) / 40.0
}

/// Of following every jump until `time`.
pub fn sparse_work(chain: &Chain, time: f64) -> f64 {
    uniformization::jumps(chain, time) * (chain.transitions() + chain.states()) as f64
}

/// Numbers that a factor for the states of `chain` may hold.
pub fn fill(chain: &Chain) -> usize {
    FILLED * (chain.transitions() + chain.states())
}

/// Multiplications that the time left allows, as far as a method may go without a limit at least.
pub fn affordable() -> f64 {
    budget::seconds().map_or(PATIENCE, |seconds| (seconds * MULTIPLICATIONS).max(PATIENCE))
}

/// What an answer is computed in, so that its numbers are of the size of 1: then underflow is far below its
/// digits.
pub struct Unit {
    /// A power of two, by which rewards are divided.
    scale: f64,
    /// The largest reward after that: below 2.
    pub most: f64,
    /// The horizon where a mean over it is computed, else 1.
    span: f64,
}

impl Unit {
    /// For rewards of up to `most`.
    pub fn new(most: f64, time: f64, kind: Kind) -> Self {
        let most = most.min(f64::MAX);
        let scale = power_below(most);
        Self { scale, most: most / scale, span: if kind == Kind::At { 1.0 } else { time } }
    }

    /// Rewards in this unit.
    pub fn scaled(&self, reward: &[f64]) -> Vec<f64> {
        reward.iter().map(|each| each / self.scale).collect()
    }

    /// A number in this unit.
    pub fn times(&self, value: Enclosure) -> Enclosure {
        value.times(Enclosure::exact(self.scale)).times(Enclosure::exact(self.span))
    }
}

/// An answer from the values by starting state, where a reward is `most` at most.
pub fn from_start(chain: &Chain, found: &Values, most: f64) -> Enclosure {
    let value = sum(chain.initial().iter().map(|&(state, share)| share * found.values[state]));
    let total = chain.total();
    let missing = upwards(found.missing * most * total, 2.0);
    Enclosure::around(value, found.loss + Loss::roundings(3.0), missing).at_most(upwards(most * total, 1.0))
}
