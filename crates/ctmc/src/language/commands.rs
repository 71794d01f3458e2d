//! Commands ready to run: what a state leads to, at which rate.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::code::{Code, Fault};
use super::lexer::Place;
use super::linear::{Linear, Tests};
use super::resolve::Renaming;
use super::scope::{Scope, renaming};
use super::slot::Slot;
use super::syntax::{Command, Model, Type, Value};
use crate::error::{Error, Result, refuse};
use crate::model::Variables;

/// A command with its names resolved.
#[derive(Clone)]
struct Ready {
    place: Place,
    guard: Code,
    /// The guard again, where it is linear.
    tests: Option<Tests>,
    alternatives: Vec<Alternative>,
}

/// A rate, 1 when absent, and what is set.
type Alternative = (Option<Code>, Vec<Assignment>);

/// A variable and its new value; that again, where it is linear.
#[derive(Clone)]
struct Assignment {
    slot: usize,
    value: Code,
    linear: Option<Linear>,
}

/// Everything that can happen in a model.
pub struct Commands {
    alone: Vec<Ready>,
    /// By action: for each module that knows it, its commands; one of each must take part.
    together: Vec<Vec<Vec<Ready>>>,
}

/// Numbers that are listed of what may happen in one state: half a gigabyte at most, whatever the text says.
const MOST_NUMBERS: usize = 1 << 25;

/// What may happen, one after the other: a rate so far, and the end of what it sets in `set`.
#[derive(Default)]
struct Steps {
    rates: Vec<(f64, usize)>,
    set: Vec<(usize, i32)>,
}

impl Steps {
    fn clear(&mut self) {
        self.rates.clear();
        self.set.clear();
    }

    fn each(&self) -> impl Iterator<Item = (f64, &[(usize, i32)])> {
        let mut start = 0;
        self.rates.iter().map(move |&(rate, end)| (rate, &self.set[std::mem::replace(&mut start, end)..end]))
    }

    /// Numbers that are kept of `ways`, where each sets as much as the widest of these and of `others`
    /// together.
    fn numbers_with(&self, others: &Self) -> usize {
        let ways = self.rates.len().saturating_mul(others.rates.len());
        let widest = |steps: &Self| steps.each().map(|each| each.1.len()).max().unwrap_or(0);
        ways.saturating_mul(widest(self) + widest(others) + 1)
    }

    /// Every pair of one of these and one of `others`: rates multiply.
    fn combine(&self, others: &Self, both: &mut Self) {
        both.clear();
        for (rate, set) in self.each() {
            for (more, also) in others.each() {
                both.set.extend_from_slice(set);
                both.set.extend_from_slice(also);
                both.rates.push((rate * more, both.set.len()));
            }
        }
    }
}

/// Runs commands in one state after the other, with memory that is used again.
pub struct Runner<'a> {
    commands: &'a Commands,
    slots: &'a [Slot],
    next: Vec<i32>,
    steps: Steps,
    more: Steps,
    both: Steps,
}

impl<'a> Runner<'a> {
    /// A runner of all commands.
    pub fn new(commands: &'a Commands, slots: &'a [Slot]) -> Self {
        let (steps, more, both) = Default::default();
        Self { commands, slots, next: Vec::new(), steps, more, both }
    }

    /// Calls `found` with each successor of `state` and its rate. Errors: what a command does wrong, with its
    /// place.
    pub fn run(&mut self, state: &[i32], found: &mut impl FnMut(&[i32], f64)) -> Result<()> {
        self.next.clear();
        self.next.extend_from_slice(state);
        self.steps.clear();
        for command in &self.commands.alone {
            command.enabled(state, self.slots, &mut self.steps)?;
        }
        let mut listed = 0;
        self.list(state, &mut listed)?;
        emit(&self.steps, state, &mut self.next, found);
        for modules in &self.commands.together {
            if self.synchronise(modules, state)? {
                self.list(state, &mut listed)?;
                emit(&self.steps, state, &mut self.next, found);
            }
        }
        Ok(())
    }

    /// Adds the numbers of the successors in `steps` to those of the state so far. Errors: more than are
    /// listed.
    fn list(&self, state: &[i32], listed: &mut usize) -> Result<()> {
        *listed += self.steps.rates.len() * (state.len() + 1);
        if *listed <= MOST_NUMBERS {
            return Ok(());
        }
        refuse(format!("more can happen than can be listed, in the state {}", spell(state, self.slots)))
    }

    /// Leaves in `steps` what the modules can do together; whether that is anything.
    fn synchronise(&mut self, modules: &[Vec<Ready>], state: &[i32]) -> Result<bool> {
        for (number, commands) in modules.iter().enumerate() {
            let mine = if number == 0 { &mut self.steps } else { &mut self.more };
            mine.clear();
            for command in commands {
                command.enabled(state, self.slots, mine)?;
            }
            if mine.rates.is_empty() {
                return Ok(false);
            }
            if number > 0 {
                if self.steps.numbers_with(&self.more) > MOST_NUMBERS {
                    return Err(self.too_many(modules, number, state));
                }
                self.steps.combine(&self.more, &mut self.both);
                std::mem::swap(&mut self.steps, &mut self.both);
            }
        }
        match self.steps.rates.iter().find(|each| !each.0.is_finite()) {
            Some((rate, _)) => Err(modules[0][0].place.error(format!("the synchronised rate is {rate}"))),
            None => Ok(true),
        }
    }
}

impl Runner<'_> {
    fn too_many(&self, modules: &[Vec<Ready>], number: usize, state: &[i32]) -> Error {
        let ways = self.steps.rates.len() as f64 * self.more.rates.len() as f64;
        let message = format!(
            "the first {} of {} modules can take this action together in {ways:.3e} ways, more than can be listed",
            number + 1,
            modules.len()
        );
        modules[0][0].fault(&message, state, self.slots)
    }
}

fn emit(steps: &Steps, state: &[i32], next: &mut [i32], found: &mut impl FnMut(&[i32], f64)) {
    for (rate, set) in steps.each() {
        set.iter().for_each(|&(slot, value)| next[slot] = value);
        found(next, rate);
        set.iter().for_each(|&(slot, _)| next[slot] = state[slot]);
    }
}

impl Commands {
    /// Resolves the commands of all modules. Errors name the place.
    pub fn new(model: &Model, scope: &Scope<'_>) -> Result<Self> {
        let mut alone = Vec::new();
        let mut actions: HashMap<String, usize> = HashMap::new();
        let mut together: Vec<Vec<Vec<Ready>>> = Vec::new();
        for (number, module) in model.modules.iter().enumerate() {
            let renaming = renaming(module);
            let mut own: BTreeMap<usize, Vec<Ready>> = BTreeMap::new();
            for command in &module.commands {
                let ready = Ready::new(command, number, scope, &renaming)?;
                let Some(old) = command.action.as_deref() else {
                    alone.push(ready);
                    continue;
                };
                let action = *renaming.get(old).unwrap_or(&old);
                let next = actions.len();
                let at = *actions.entry(action.to_owned()).or_insert(next);
                own.entry(at).or_default().push(ready);
            }
            together.resize_with(actions.len(), Vec::new);
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
}

impl Ready {
    fn new(command: &Command, module: usize, scope: &Scope<'_>, renaming: &Renaming<'_>) -> Result<Self> {
        let mut alternatives = Vec::new();
        for (rate, assignments) in &command.alternatives {
            let rate = rate.as_ref().map(|rate| scope.code(rate, renaming, Type::Real)).transpose()?;
            let mut set: Vec<Assignment> = Vec::new();
            for (name, value) in assignments {
                let number = scope.slot(name, renaming)?;
                let slot = &scope.slots[number];
                let shared = slot.owner.is_none() && command.action.is_none();
                if slot.owner != Some(module) && !shared {
                    let message = format!("`{}` is not this command's to set", slot.name);
                    return Err(name.place.error(message));
                }
                if set.iter().any(|each| each.slot == number) {
                    return Err(name.place.error(format!("`{}` is set twice", slot.name)));
                }
                let wanted = if slot.flag { Type::Bool } else { Type::Int };
                let value = scope.code(value, renaming, wanted)?;
                set.push(Assignment { slot: number, linear: Linear::of(&value), value });
            }
            alternatives.push((rate, set));
        }
        let guard = scope.code(&command.guard, renaming, Type::Bool)?;
        Ok(Self { place: command.place, tests: Tests::of(&guard), guard, alternatives })
    }

    fn touch(&self, set: &mut BTreeSet<usize>, asked: &mut BTreeSet<usize>) {
        self.guard.variables(asked);
        for (rate, assignments) in &self.alternatives {
            rate.iter().for_each(|rate| rate.variables(asked));
            for each in assignments {
                set.insert(each.slot);
                each.value.variables(asked);
            }
        }
    }

    /// Adds the rates above zero and what is set, if the guard holds.
    fn enabled(&self, state: &[i32], slots: &[Slot], found: &mut Steps) -> Result<()> {
        let fault = |message: &str| self.fault(message, state, slots);
        let holds = match &self.tests {
            Some(tests) => tests.hold(state),
            None => self.guard.truth(state).map_err(|each| fault(&each.to_string()))?,
        };
        if !holds {
            return Ok(());
        }
        for (rate, assignments) in &self.alternatives {
            let rate = match rate {
                Some(code) => code.run(state).map_err(|each| fault(&each.to_string()))?.real(),
                None => 1.0,
            };
            if !(rate >= 0.0 && rate.is_finite()) {
                return Err(fault(&format!("the rate is {rate}, not a finite number of at least 0")));
            }
            if rate == 0.0 {
                continue;
            }
            for each in assignments {
                let value = each.run(state).map_err(|each| fault(&each.to_string()))?;
                let slot = &slots[each.slot];
                match i32::try_from(value) {
                    Ok(value) if slot.low <= value && value <= slot.high => {
                        found.set.push((each.slot, value))
                    }
                    _ => {
                        let message =
                            format!("`{}` would be {value}, outside {}..{}", slot.name, slot.low, slot.high);
                        return Err(fault(&message));
                    }
                }
            }
            found.rates.push((rate, found.set.len()));
        }
        Ok(())
    }

    fn fault(&self, message: &str, state: &[i32], slots: &[Slot]) -> Error {
        self.place.error(format!("{message}, in the state {}", spell(state, slots)))
    }
}

impl Assignment {
    fn run(&self, state: &[i32]) -> Result<i64, Fault> {
        if let Some(linear) = &self.linear {
            return Ok(linear.run(state));
        }
        match self.value.run(state)? {
            Value::Bool(value) => Ok(i64::from(value)),
            Value::Int(value) => Ok(value),
            Value::Real(_) => Err(Fault::Real),
        }
    }
}

/// A state for people: `(up=3,pool=0)`.
pub fn spell(state: &[i32], slots: &[Slot]) -> String {
    let names = slots.iter().map(|slot| (slot.name.clone(), slot.flag)).collect();
    Variables { names, values: Vec::new() }.spell(state)
}
