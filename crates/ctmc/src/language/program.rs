//! A text made ready to run: variables, commands, and what its labels and rewards say of a state.

use super::Reading;
use super::code::Code;
use super::commands::{Commands, Runner, spell};
use super::lexer::Place;
use super::parser::{parse, parse_expression};
use super::resolve::Renaming;
use super::scope::Scope;
use super::slot::Slot;
use super::syntax::Type;
use crate::error::{Result, refuse};

/// A model before its states are known.
pub struct Program {
    /// Variables, in the order of a state's values.
    pub slots: Vec<Slot>,
    /// What can happen.
    pub commands: Commands,
    /// Whether some module is another one renamed.
    pub renamed: bool,
    labels: Vec<(String, Code)>,
    rewards: Vec<(String, Vec<Item>)>,
}

/// A line of a reward structure.
#[derive(Clone)]
pub struct Item {
    /// Where it is earned.
    pub guard: Code,
    /// How much, per unit of time.
    pub value: Code,
    place: Place,
}

/// What a question can be about.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    /// 1 where it is true.
    Label(&'a Code),
    /// The sum of its lines.
    Reward(&'a [Item]),
}

impl Program {
    /// Parses and resolves `text`. Errors name the place.
    pub fn read(text: &str, reading: &Reading) -> Result<Self> {
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
            let code =
                parse_expression(mark).and_then(|expression| scope.code(&expression, &none, Type::Bool));
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
                let guard = scope.code(guard, &none, Type::Bool)?;
                items.push(Item { guard, value: scope.code(value, &none, Type::Real)?, place });
            }
            rewards.push((structure.name.clone(), items));
        }
        let commands = Commands::new(&parsed, &scope)?;
        let renamed = parsed.modules.iter().any(|each| !each.renaming.is_empty());
        Ok(Self { slots: scope.slots, commands, renamed, labels, rewards })
    }

    /// What runs its commands.
    pub fn runner(&self) -> Runner<'_> {
        Runner::new(&self.commands, &self.slots)
    }

    /// The initial state.
    pub fn start(&self) -> Vec<i32> {
        self.slots.iter().map(|slot| slot.start).collect()
    }

    /// A state for people.
    pub fn spell(&self, state: &[i32]) -> String {
        spell(state, &self.slots)
    }

    /// The labels, marks included, with their names.
    pub fn labels(&self) -> impl Iterator<Item = (&str, Subject<'_>)> {
        self.labels.iter().map(|(name, code)| (name.as_str(), Subject::Label(code)))
    }

    /// The rewards with their names.
    pub fn rewards(&self) -> impl Iterator<Item = (&str, Subject<'_>)> {
        self.rewards.iter().map(|(name, items)| (name.as_str(), Subject::Reward(items)))
    }

    /// The reward, else the label, of a name.
    pub fn subject(&self, name: &str) -> Option<Subject<'_>> {
        self.rewards().chain(self.labels()).find(|each| each.0 == name).map(|each| each.1)
    }

    /// The same variables with those commands only that touch a variable of `kept`; labels and rewards as
    /// they are.
    pub(super) fn with(&self, kept: &[bool]) -> Self {
        Self {
            slots: self.slots.clone(),
            commands: self.commands.touching(kept),
            renamed: self.renamed,
            labels: self.labels.clone(),
            rewards: self.rewards.clone(),
        }
    }

    /// What a state is worth. Errors: a value that is no finite number of at least 0, with the state.
    pub fn value(&self, subject: Subject<'_>, state: &[i32]) -> Result<f64> {
        let items = match subject {
            Subject::Label(code) => {
                return match code.truth(state) {
                    Ok(truth) => Ok(f64::from(u8::from(truth))),
                    Err(fault) => refuse(format!("{fault}, in the state {}", self.spell(state))),
                };
            }
            Subject::Reward(items) => items,
        };
        let mut total = 0.0;
        for item in items {
            let fault =
                |message: &str| item.place.error(format!("{message}, in the state {}", self.spell(state)));
            if item.guard.truth(state).map_err(|each| fault(&each.to_string()))? {
                let value = item.value.run(state).map_err(|each| fault(&each.to_string()))?.real();
                if !(value >= 0.0 && value.is_finite()) {
                    return Err(fault(&format!("the reward is {value}, not a finite number of at least 0")));
                }
                total += value;
            }
        }
        Ok(total)
    }

    /// A bound on what any state is worth, if one is seen.
    pub fn most(&self, subject: Subject<'_>) -> Option<f64> {
        match subject {
            Subject::Label(_) => Some(1.0),
            Subject::Reward(items) => {
                let most = items
                    .iter()
                    .try_fold(0.0, |total, item| Some(total + item.value.range(&self.slots)?.1.max(0.0)))?;
                // Each sum may have been rounded down.
                Some(most * (1.0 + 1e-12))
            }
        }
    }
}
