//! A chain with names: labels mark states, rewards value them.

use crate::chain::Chain;

/// What is read from a text or files, and written to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The chain.
    pub chain: Chain,
    /// The variables whose values states are made of; empty when states have numbers only.
    pub variables: Variables,
    /// Name and marked states.
    pub labels: Vec<(String, Vec<bool>)>,
    /// Name and value a state, each at least 0.
    pub rewards: Vec<(String, Vec<f64>)>,
}

/// What each state is called: the values of its variables, written out when somebody asks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variables {
    /// Name, and whether 0 and 1 stand for false and true.
    pub names: Vec<(String, bool)>,
    /// Their values, state after state.
    pub values: Vec<i32>,
}

impl Model {
    /// A chain without names.
    pub fn new(chain: Chain) -> Self {
        Self { chain, variables: Variables::default(), labels: Vec::new(), rewards: Vec::new() }
    }

    /// The values of a state's variables.
    pub(crate) fn values(&self, state: usize) -> &[i32] {
        let width = self.variables.names.len();
        &self.variables.values[state * width..(state + 1) * width]
    }

    /// What a state is called: `(up=3,pool=0)`, or its number.
    pub fn name(&self, state: usize) -> String {
        let width = self.variables.names.len();
        match self.variables.values.get(state * width..(state + 1) * width) {
            Some(values) if width > 0 => self.variables.spell(values),
            _ => state.to_string(),
        }
    }
}

impl Variables {
    /// A state for people: `(up=3,pool=0)`.
    pub fn spell(&self, values: &[i32]) -> String {
        let parts = self.names.iter().zip(values).map(|((name, flag), value)| {
            if *flag { format!("{name}={}", *value != 0) } else { format!("{name}={value}") }
        });
        format!("({})", parts.collect::<Vec<_>>().join(","))
    }
}
