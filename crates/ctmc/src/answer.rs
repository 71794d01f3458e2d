//! What a question is answered with.

use serde::{Deserialize, Serialize};

use crate::enclosure::{Enclosure, ROUNDING, sum};

/// How an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// A formula.
    Closed,
    /// Grassmann–Taksar–Heyman elimination.
    Elimination,
    /// Sweeps over all states towards a value whose bounds are read off.
    Sweeping,
    /// Repeated doubling of a short step, in twice the working precision where it counts.
    Doubling,
    /// Uniformization, step by step.
    Uniformization,
    /// Implicit steps that lengthen as the chain settles, with the error read off each.
    Implicit,
    /// The long run, and what the chain still remembers of its start or a walk until it has settled.
    Settled,
    /// Independent parts, each by one of the others, and a product of their probabilities.
    Product,
}

/// An enclosure, and how it was come by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Answer {
    /// The bounds.
    #[serde(flatten)]
    pub enclosure: Enclosure,
    /// How they were found.
    pub method: Method,
    /// States that were computed with; the others are in the bounds.
    pub states: usize,
}

impl Answer {
    /// An answer.
    pub fn new(enclosure: Enclosure, method: Method, states: usize) -> Self {
        Self { enclosure, method, states }
    }
}

/// A probability for each state with one error bound for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// By state.
    pub probabilities: Vec<f64>,
    /// Bound on the relative error of each.
    pub relative: f64,
    /// Probability, in total, that may be missing from them.
    pub missing: f64,
    /// How it was found.
    pub method: Method,
}

impl Distribution {
    /// Bounds on the probability of one state.
    pub fn enclosure(&self, state: usize) -> Enclosure {
        Enclosure::around(self.probabilities[state], self.relative, self.missing).at_most(1.0)
    }

    /// Bounds on the mean of a reward of at least 0 a state.
    pub fn mean(&self, reward: &[f64]) -> Enclosure {
        let most = reward.iter().copied().fold(0.0, f64::max);
        let value = sum(self.probabilities.iter().zip(reward).map(|(share, each)| share * each));
        let missing = (self.missing * most).next_up();
        let least = reward.iter().copied().fold(f64::INFINITY, f64::min);
        let around = Enclosure::around(value, self.relative + 8.0 * ROUNDING, missing);
        // A mean lies between the extremes: what everybody earns is known without error.
        Enclosure { low: around.low.max(least * (1.0 - 1e-12)), high: around.high.min(most * (1.0 + 1e-12)) }
    }
}
