//! What can be asked of a model, and the numbers that answer it.

use serde::{Deserialize, Serialize};

use crate::answer::Method;

/// One question; `of` names a reward or a label, or, for a text, is a truth-valued expression. Without it the
/// question is asked of every reward, or of every label where only a label makes sense.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "ask", deny_unknown_fields)]
pub enum Question {
    /// Expected value at a time.
    At { of: Option<String>, time: f64 },
    /// Expected integral up to a time.
    Until { of: Option<String>, time: f64 },
    /// Long-run mean.
    LongRun { of: Option<String> },
    /// Mean time to the first visit.
    FirstMean { of: Option<String> },
    /// Probability of a visit by a time.
    FirstBy { of: Option<String>, time: f64 },
    /// Frequency and mean lengths of the visits in the long run.
    Cycle { of: Option<String> },
    /// The likeliest states at a time, or in the long run.
    States { time: Option<f64>, most: usize },
}

impl Question {
    /// Its time.
    pub fn time(&self) -> Option<f64> {
        match self {
            Self::At { time, .. } | Self::Until { time, .. } | Self::FirstBy { time, .. } => Some(*time),
            Self::States { time, .. } => *time,
            Self::LongRun { .. } | Self::FirstMean { .. } | Self::Cycle { .. } => None,
        }
    }

    /// What it is about.
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::At { of, .. } | Self::Until { of, .. } | Self::LongRun { of } => of.as_deref(),
            Self::FirstMean { of } | Self::FirstBy { of, .. } | Self::Cycle { of } => of.as_deref(),
            Self::States { .. } => None,
        }
    }
}

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Expected value at a time.
    At,
    /// Expected integral up to a time.
    Until,
    /// Long-run mean.
    LongRun,
    /// Mean time to the first visit.
    FirstMean,
    /// Probability of a visit by a time.
    FirstBy,
    /// Share of time of the visits in the long run.
    CycleShare,
    /// How often they begin.
    CycleFrequency,
    /// Their mean length.
    CycleMean,
    /// Mean time between one and the next.
    CycleMeanBetween,
    /// Probability of one state.
    State,
}

/// One number.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The question's `ask`, or which part of a cycle.
    pub ask: Ask,
    /// What it is about.
    pub of: String,
    /// The time of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Lower bound.
    pub low: f64,
    /// Upper bound; null when the answer is infinite.
    pub high: Option<f64>,
    /// (high − low) / high.
    pub relative_width: f64,
    /// How it was found.
    pub method: Method,
    /// States that were computed with.
    pub states_used: usize,
    /// States that were left when those that cannot be told apart had become one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lumped_to: Option<usize>,
}
