//! Models in the PRISM language: the subset that `docs/reference/solve.md` states, and an error beyond it.

mod code;
mod commands;
mod explore;
mod expression;
mod independence;
mod lexer;
mod linear;
mod numbers;
mod order;
mod parser;
mod program;
mod resolve;
mod scope;
mod slot;
mod space;
mod syntax;

use std::collections::BTreeMap;

use crate::budget;
use crate::error::Result;
use crate::model::{Model, Variables};

pub use explore::Limits;
pub use independence::Split;
pub use program::{Program, Subject};
pub use space::Space;

/// How a text becomes a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Values of the constants that the text leaves open, as text: `1/3600`.
    pub constants: BTreeMap<String, String>,
    /// Truth-valued expressions over the model's variables, to be marked like its labels; names of labels and
    /// rewards pass as they are.
    pub marks: Vec<String>,
    /// The most states that are explored; fewer when memory does not suffice.
    pub most_states: usize,
    /// Threads that may be used.
    pub threads: usize,
}

impl Default for Reading {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { constants: BTreeMap::new(), marks: Vec::new(), most_states: 5_000_000, threads }
    }
}

/// The chain that a text in the PRISM language describes, with its labels and rewards by state.
///
/// States are numbered in the order in which a breadth-first search from the start meets them. A mark of
/// `reading.marks` becomes a label named by its text.
///
/// ```
/// let text = "ctmc\n const int N;\n module m\n up:[0..N] init N;\n [] up>0 -> up*0.1:(up'=up-1);\n endmodule";
/// let mut reading = loadstone_ctmc::Reading::default();
/// reading.constants.insert("N".into(), "3".into());
/// assert_eq!(loadstone_ctmc::read_prism(text, &reading).unwrap().chain.states(), 4);
/// ```
pub fn read_prism(text: &str, reading: &Reading) -> Result<Model> {
    let limits = Limits { states: reading.most_states, bytes: budget::bytes() };
    Program::read(text, reading)?.explored(limits, reading.threads)
}

impl Program {
    /// The chain of all states that can be reached. Errors: what a command or reward can do wrong, with its
    /// place.
    pub fn explored(&self, limits: Limits, threads: usize) -> Result<Model> {
        let (chain, numbers) = explore::explore(self, limits, threads)?;
        let states = chain.states();
        let mut model = Model::new(chain);
        for (name, subject) in self.labels() {
            let marks: Result<Vec<bool>> =
                (0..states).map(|number| Ok(self.value(subject, numbers.state(number))? != 0.0)).collect();
            model.labels.push((name.to_owned(), marks?));
        }
        for (name, subject) in self.rewards() {
            let values: Result<Vec<f64>> =
                (0..states).map(|number| self.value(subject, numbers.state(number))).collect();
            model.rewards.push((name.to_owned(), values?));
        }
        model.variables = Variables {
            names: self.slots.iter().map(|slot| (slot.name.clone(), slot.flag)).collect(),
            values: numbers.into_values(),
        };
        Ok(model)
    }
}
