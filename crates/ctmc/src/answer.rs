//! What a question is answered with.

use serde::{Deserialize, Serialize};

use crate::enclosure::Enclosure;
use crate::rounding::{Loss, power_below, sum, upwards};

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

/// What initial probabilities may miss 1 by, and so the sum of all.
const TOTAL: f64 = 1.001e-12;

/// A probability for each state with one error bound for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// By state.
    pub probabilities: Vec<f64>,
    /// What rounding may have done to each.
    pub(crate) loss: Loss,
    /// Probability, in total, that may be missing from them.
    pub missing: f64,
    /// How it was found.
    pub method: Method,
}

impl Distribution {
    /// Bounds on the probability of one state.
    pub fn enclosure(&self, state: usize) -> Enclosure {
        Enclosure::around(self.probabilities[state], self.loss, self.missing).at_most(1.0)
    }

    /// Bounds on the mean of a reward of at least 0 a state.
    pub fn mean(&self, reward: &[f64]) -> Enclosure {
        let most = reward.iter().copied().fold(0.0, f64::max);
        let scale = power_below(most);
        let value = sum(self.probabilities.iter().zip(reward).map(|(share, each)| share * (each / scale)));
        let missing = upwards(self.missing * most / scale, 2.0);
        let least = reward.iter().copied().fold(f64::INFINITY, f64::min);
        // A product and a sum.
        let around = Enclosure::around(value, self.loss + Loss::roundings(3.0), missing);
        let found = around.times(Enclosure::exact(scale));
        // A mean lies between the extremes: what everybody earns is known without error.
        let total = Enclosure { low: 1.0 - TOTAL, high: 1.0 + TOTAL };
        let (least, most) = (Enclosure::exact(least).times(total), Enclosure::exact(most).times(total));
        Enclosure { low: found.low.max(least.low), high: found.high.min(most.high) }
    }
}
