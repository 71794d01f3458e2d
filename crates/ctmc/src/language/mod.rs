//! Models in the PRISM language: the subset that `docs/reference/solve.md` states, and an error beyond it.

mod code;
mod commands;
mod explore;
mod expression;
mod lexer;
mod parser;
mod scope;
mod syntax;

use std::collections::BTreeMap;

use crate::chain::Chain;
use crate::error::{Result, refuse};
use crate::model::Model;
use commands::{Commands, spell};
use parser::{parse, parse_expression};
use scope::{Renaming, Scope};
use syntax::Type;

/// How a text becomes a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Values of the constants that the text leaves open, as text: `1/3600`.
    pub constants: BTreeMap<String, String>,
    /// Truth-valued expressions over the model's variables, to be marked like its labels; names of labels and
    /// rewards pass as they are.
    pub marks: Vec<String>,
    /// The most states that are explored.
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
    let parsed = parse(text)?;
    if parsed.modules.is_empty() {
        return refuse("the model has no module");
    }
    let scope = Scope::new(&parsed, &reading.constants)?;
    let none = Renaming::new();
    let mut labels = Vec::new();
    for label in &parsed.labels {
        labels.push((label.name.name.clone(), scope.code(&label.value, &none, Type::Bool)?));
    }
    let named = |mark: &String| {
        parsed.rewards.iter().any(|each| each.name == *mark)
            || parsed.labels.iter().any(|each| each.name.name == *mark)
    };
    for mark in reading.marks.iter().filter(|mark| !named(mark)) {
        let code = parse_expression(mark).and_then(|expression| scope.code(&expression, &none, Type::Bool));
        match code {
            Ok(code) => labels.push((mark.clone(), code)),
            Err(error) => return refuse(format!("`{mark}`: {error}")),
        }
    }
    let mut rewards = Vec::new();
    for structure in &parsed.rewards {
        let mut items = Vec::new();
        for (guard, value) in &structure.items {
            let place = value.place;
            items.push((scope.code(guard, &none, Type::Bool)?, scope.code(value, &none, Type::Real)?, place));
        }
        rewards.push((structure.name.clone(), items));
    }
    let commands = Commands::new(&parsed, &scope)?;
    let explored = explore::explore(&commands, &scope, reading.most_states, reading.threads)?;
    let width = scope.slots.len();
    let states = explored.states;
    let state = |number: usize| &explored.values[number * width..(number + 1) * width];
    let mut model = Model::new(Chain::new(states, explored.transitions, vec![(0, 1.0)])?);
    model.names = (0..states).map(|number| spell(state(number), &scope)).collect();
    for (name, code) in labels {
        let marks: std::result::Result<Vec<bool>, &str> =
            (0..states).map(|number| code.truth(state(number))).collect();
        match marks {
            Ok(marks) => model.labels.push((name, marks)),
            Err(message) => return refuse(format!("`{name}`: {message}")),
        }
    }
    for (name, items) in rewards {
        let mut values = vec![0.0; states];
        for (number, total) in values.iter_mut().enumerate() {
            for (guard, value, place) in &items {
                let here = state(number);
                let fault =
                    |message: &str| place.error(format!("{message}, in the state {}", spell(here, &scope)));
                if guard.truth(here).map_err(fault)? {
                    let value = value.run(here).map_err(fault)?.real();
                    if !(value >= 0.0 && value.is_finite()) {
                        return Err(fault(&format!(
                            "the reward is {value}, not a finite number of at least 0"
                        )));
                    }
                    *total += value;
                }
            }
        }
        model.rewards.push((name, values));
    }
    Ok(model)
}
