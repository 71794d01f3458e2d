//! A model explored only where somebody asks: each state is run when its row is wanted.

use super::commands::Runner;
use super::numbers::Numbers;
use super::program::{Program, Subject};
use crate::error::{Error, Result};
use crate::projection::Landscape;

/// Bytes that a known transition takes, with its place in the queue of those that may be looked at.
const ROW: usize = 48;

/// The states of a text, as far as they are known, and what they are worth.
pub struct Space<'a> {
    program: &'a Program,
    runner: Runner<'a>,
    numbers: Numbers,
    subject: Subject<'a>,
    most: f64,
    /// Whether the chain stays where the subject is true.
    ends: bool,
    /// Memory that may be used.
    bytes: usize,
    /// Transitions of all rows that were asked for.
    pub transitions: usize,
}

impl<'a> Space<'a> {
    /// The start only; none when no bound on what a state is worth is seen.
    pub fn new(program: &'a Program, subject: Subject<'a>, ends: bool, bytes: usize) -> Option<Self> {
        let mut numbers = Numbers::new(program.slots.len());
        numbers.number(&program.start());
        let most = program.most(subject)?;
        Some(Self { program, runner: program.runner(), numbers, subject, most, ends, bytes, transitions: 0 })
    }

    /// How many states are known.
    pub fn states(&self) -> usize {
        self.numbers.states()
    }
}

impl Landscape for Space<'_> {
    fn initial(&self) -> Vec<(usize, f64)> {
        vec![(0, 1.0)]
    }

    fn row(&mut self, state: usize) -> Result<Vec<(usize, f64)>> {
        if self.ends && self.reward(state)? > 0.0 {
            return Ok(Vec::new());
        }
        if self.numbers.bytes() + ROW * self.transitions > self.bytes {
            let states = self.states();
            return Err(Error::TooLarge(format!("the {states} states that were met do not fit the memory")));
        }
        let here = self.numbers.state(state).to_vec();
        let (mut row, numbers) = (Vec::new(), &mut self.numbers);
        self.runner.run(&here, &mut |next, rate| {
            row.push((numbers.number(next), rate));
        })?;
        row.retain(|each| each.0 != state);
        self.transitions += row.len();
        Ok(row)
    }

    fn reward(&self, state: usize) -> Result<f64> {
        self.program.value(self.subject, self.numbers.state(state))
    }

    fn most(&self) -> f64 {
        self.most
    }

    fn arrange(&self, states: &mut [usize]) {
        states.sort_unstable_by(|&a, &b| self.numbers.state(a).cmp(self.numbers.state(b)));
    }
}
