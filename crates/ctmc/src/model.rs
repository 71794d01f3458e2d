//! A chain with names: labels mark states, rewards value them.

use crate::chain::Chain;

/// What is read from a text or files, and written to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The chain.
    pub chain: Chain,
    /// What each state is called; empty when states have numbers only.
    pub names: Vec<String>,
    /// Name and marked states.
    pub labels: Vec<(String, Vec<bool>)>,
    /// Name and value a state, each at least 0.
    pub rewards: Vec<(String, Vec<f64>)>,
}

impl Model {
    /// A chain without names.
    pub fn new(chain: Chain) -> Self {
        Self { chain, names: Vec::new(), labels: Vec::new(), rewards: Vec::new() }
    }
}
