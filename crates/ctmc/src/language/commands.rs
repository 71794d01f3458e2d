//! Commands ready to run: what a state leads to, at which rate.

use std::collections::BTreeSet;

use super::code::Code;
use super::lexer::Place;
use super::scope::{Renaming, Scope, Slot, renaming};
use super::syntax::{Command, Model, Type, Value};
use crate::error::{Error, Result};
use crate::model::Variables;

/// A command with its names resolved.
#[derive(Clone)]
struct Ready {
    place: Place,
    guard: Code,
    alternatives: Vec<Alternative>,
}

/// A rate, 1 when absent, and what is set to which value.
type Alternative = (Option<Code>, Vec<(usize, Code)>);

/// Everything that can happen in a model.
pub struct Commands {
    alone: Vec<Ready>,
    /// By action: for each module that knows it, its commands; one of each must take part.
    together: Vec<Vec<Vec<Ready>>>,
}

/// A part of a combined transition: the rate so far and what is set.
type Partial = (f64, Vec<(usize, i32)>);

impl Commands {
    /// Resolves the commands of all modules. Errors name the place.
    pub fn new(model: &Model, scope: &Scope<'_>) -> Result<Self> {
        let mut alone = Vec::new();
        let mut actions: Vec<String> = Vec::new();
        let mut together: Vec<Vec<Vec<Ready>>> = Vec::new();
        for (number, module) in model.modules.iter().enumerate() {
            let renaming = renaming(module);
            let mut own: Vec<(usize, Vec<Ready>)> = Vec::new();
            for command in &module.commands {
                let ready = Ready::new(command, number, scope, &renaming)?;
                let Some(old) = command.action.as_deref() else {
                    alone.push(ready);
                    continue;
                };
                let action = *renaming.get(old).unwrap_or(&old);
                let at = actions.iter().position(|each| each == action).unwrap_or_else(|| {
                    actions.push(action.to_owned());
                    together.push(Vec::new());
                    actions.len() - 1
                });
                match own.iter_mut().find(|each| each.0 == at) {
                    Some(each) => each.1.push(ready),
                    None => own.push((at, vec![ready])),
                }
            }
            own.into_iter().for_each(|(at, commands)| together[at].push(commands));
        }
        Ok(Self { alone, together })
    }

    /// Of each thing that can happen, by itself or together: the variables it sets and those it asks.
    pub fn touched(&self) -> Vec<(BTreeSet<usize>, BTreeSet<usize>)> {
        let alone = self.alone.iter().map(|command| {
            let (mut set, mut asked) = Default::default();
            command.touch(&mut set, &mut asked);
            (set, asked)
        });
        let together = self.together.iter().map(|modules| {
            let (mut set, mut asked) = Default::default();
            modules.iter().flatten().for_each(|command| command.touch(&mut set, &mut asked));
            (set, asked)
        });
        alone.chain(together).collect()
    }

    /// Only what sets a variable of `kept`.
    pub fn touching(&self, kept: &[bool]) -> Self {
        let sets = |command: &Ready| {
            let (mut set, mut asked) = Default::default();
            command.touch(&mut set, &mut asked);
            set.iter().any(|&slot| kept[slot])
        };
        let alone = self.alone.iter().filter(|command| sets(command)).cloned().collect();
        let taken = |modules: &&Vec<Vec<Ready>>| modules.iter().flatten().any(sets);
        Self { alone, together: self.together.iter().filter(taken).cloned().collect() }
    }

    /// Calls `found` with each successor of `state` and its rate.
    pub fn run(&self, state: &[i32], slots: &[Slot], found: &mut impl FnMut(&[i32], f64)) -> Result<()> {
        let mut next = state.to_vec();
        let mut enabled = Vec::new();
        let mut emit = |(rate, set): &Partial| {
            next.copy_from_slice(state);
            set.iter().for_each(|&(slot, value)| next[slot] = value);
            found(&next, *rate);
        };
        for command in &self.alone {
            enabled.clear();
            command.enabled(state, slots, &mut enabled)?;
            enabled.iter().for_each(&mut emit);
        }
        for modules in &self.together {
            let mut combined: Vec<Partial> = vec![(1.0, Vec::new())];
            for commands in modules {
                enabled.clear();
                for command in commands {
                    command.enabled(state, slots, &mut enabled)?;
                }
                if enabled.is_empty() {
                    combined.clear();
                    break;
                }
                combined = combined
                    .iter()
                    .flat_map(|(rate, set)| {
                        enabled.iter().map(move |(more, also)| (rate * more, [&set[..], &also[..]].concat()))
                    })
                    .collect();
            }
            if let Some((rate, _)) = combined.iter().find(|each| !each.0.is_finite()) {
                return Err(modules[0][0].place.error(format!("the synchronised rate is {rate}")));
            }
            combined.iter().for_each(&mut emit);
        }
        Ok(())
    }
}

impl Ready {
    fn new(command: &Command, module: usize, scope: &Scope<'_>, renaming: &Renaming<'_>) -> Result<Self> {
        let mut alternatives = Vec::new();
        for (rate, assignments) in &command.alternatives {
            let rate = rate.as_ref().map(|rate| scope.code(rate, renaming, Type::Real)).transpose()?;
            let mut set: Vec<(usize, Code)> = Vec::new();
            for (name, value) in assignments {
                let number = scope.slot(name, renaming)?;
                let slot = &scope.slots[number];
                let shared = slot.owner.is_none() && command.action.is_none();
                if slot.owner != Some(module) && !shared {
                    let message = format!("`{}` is not this command's to set", slot.name);
                    return Err(name.place.error(message));
                }
                if set.iter().any(|each| each.0 == number) {
                    return Err(name.place.error(format!("`{}` is set twice", slot.name)));
                }
                let wanted = if slot.flag { Type::Bool } else { Type::Int };
                set.push((number, scope.code(value, renaming, wanted)?));
            }
            alternatives.push((rate, set));
        }
        Ok(Self {
            place: command.place,
            guard: scope.code(&command.guard, renaming, Type::Bool)?,
            alternatives,
        })
    }

    fn touch(&self, set: &mut BTreeSet<usize>, asked: &mut BTreeSet<usize>) {
        self.guard.variables(asked);
        for (rate, assignments) in &self.alternatives {
            rate.iter().for_each(|rate| rate.variables(asked));
            for (slot, value) in assignments {
                set.insert(*slot);
                value.variables(asked);
            }
        }
    }

    /// Adds the rates above zero and what is set, if the guard holds.
    fn enabled(&self, state: &[i32], slots: &[Slot], found: &mut Vec<Partial>) -> Result<()> {
        let fault = |message: &str| self.fault(message, state, slots);
        if !self.guard.truth(state).map_err(fault)? {
            return Ok(());
        }
        for (rate, assignments) in &self.alternatives {
            let rate = match rate {
                Some(code) => code.run(state).map_err(fault)?.real(),
                None => 1.0,
            };
            if !(rate >= 0.0 && rate.is_finite()) {
                return Err(fault(&format!("the rate is {rate}, not a finite number of at least 0")));
            }
            if rate == 0.0 {
                continue;
            }
            let mut set = Vec::with_capacity(assignments.len());
            for (number, code) in assignments {
                let slot = &slots[*number];
                let value = match code.run(state).map_err(fault)? {
                    Value::Bool(value) => i64::from(value),
                    Value::Int(value) => value,
                    Value::Real(_) => return Err(fault("a whole number is set to a real one")),
                };
                match i32::try_from(value) {
                    Ok(value) if slot.low <= value && value <= slot.high => set.push((*number, value)),
                    _ => {
                        let message =
                            format!("`{}` would be {value}, outside {}..{}", slot.name, slot.low, slot.high);
                        return Err(fault(&message));
                    }
                }
            }
            found.push((rate, set));
        }
        Ok(())
    }

    fn fault(&self, message: &str, state: &[i32], slots: &[Slot]) -> Error {
        self.place.error(format!("{message}, in the state {}", spell(state, slots)))
    }
}

/// A state for people: `(up=3,pool=0)`.
pub fn spell(state: &[i32], slots: &[Slot]) -> String {
    let names = slots.iter().map(|slot| (slot.name.clone(), slot.flag)).collect();
    Variables { names, values: Vec::new() }.spell(state)
}
