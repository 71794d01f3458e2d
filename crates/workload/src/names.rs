//! The names of a scenario: every value, list and flag gets an index.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::{Extract, Operation, Plan, Source, Step, Value};

/// More flags than bits would make a user's flags a list; no scenario comes near.
const MAX_FLAGS: usize = 64;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Value(usize),
    List(usize),
    Flag(usize),
}

/// All names of a plan, or of one of its scenarios.
#[derive(Debug, Default)]
pub(crate) struct Names {
    slots: BTreeMap<String, Slot>,
    /// Whether value `i` is drawn anywhere. What is only ever extracted is forgotten with the session.
    pub drawn: Vec<bool>,
    pub lists: usize,
    pub flags: usize,
    /// The distinct values of which every user counts its draws: one sequence for each.
    pub serials: Vec<Value>,
    /// Seed of the plan.
    pub seed: u64,
    /// Names of counted steps in the order of the plan.
    pub counters: Vec<String>,
    /// How many functions the plan has.
    pub functions: usize,
    /// Names of the target's further hosts.
    hosts: Vec<String>,
}

/// What the values, lists and flags of a scenario are called, by index.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub values: Vec<String>,
    pub lists: Vec<String>,
    pub flags: Vec<String>,
}

impl Names {
    /// Finds every name that these operations of the plan define; `counters`: those that others count already.
    pub(crate) fn collect(plan: &Plan, operations: &[Operation], counters: Vec<String>) -> Result<Self> {
        let hosts = plan.target.hosts.keys().cloned().collect();
        let functions = plan.functions.len();
        let mut names = Self { seed: plan.seed, functions, hosts, counters, ..Self::default() };
        for operation in operations {
            for draw in &operation.draw {
                let slot = names.define(&draw.name, Slot::Value).map_err(|why| {
                    why.at(format!("operation `{}`, draw `{}`: ", operation.name, draw.name))
                })?;
                if let Slot::Value(index) = slot {
                    names.drawn[index] = true;
                }
                names.collect_serials(&draw.value);
            }
            for (number, step) in operation.steps.iter().enumerate() {
                names.collect_step(step).map_err(|why| {
                    why.at(format!("operation `{}`, step {}: ", operation.name, number + 1))
                })?;
            }
        }
        Ok(names)
    }

    /// The place of a host's name; the target's own without one.
    pub(crate) fn host(&self, name: Option<&str>) -> Result<usize> {
        let Some(name) = name else { return Ok(0) };
        let at = self.hosts.iter().position(|known| known == name);
        at.map(|at| at + 1).ok_or_else(|| Error::Name(format!("the target has no host `{name}`")))
    }

    fn collect_step(&mut self, step: &Step) -> Result<()> {
        for Extract { name, from, .. } in &step.extract {
            let kind: fn(usize) -> Slot = match from {
                Source::Links { .. }
                | Source::Json { all: true, .. }
                | Source::Css { all: true, .. }
                | Source::Regex { all: true, .. } => Slot::List,
                Source::Contains { .. } => Slot::Flag,
                _ => Slot::Value,
            };
            self.define(name, kind).map_err(|why| why.at(format!("extract `{name}`: ")))?;
        }
        for name in step.call.iter().flat_map(|call| &call.returns) {
            self.define(name, Slot::Value).map_err(|why| why.at(format!("returns `{name}`: ")))?;
        }
        for flag in &step.set {
            self.define(flag, Slot::Flag).map_err(|why| why.at(format!("set `{flag}`: ")))?;
        }
        if let Some(counter) = step.count.as_ref().filter(|name| !self.counters.contains(name)) {
            self.counters.push(counter.clone());
        }
        Ok(())
    }

    fn collect_serials(&mut self, value: &Value) {
        match value {
            Value::Serial { .. } | Value::Zipf { locality: Some(_), .. } if !self.serials.contains(value) => {
                self.serials.push(value.clone());
            }
            Value::Username { id: inner, .. } | Value::List { item: inner, .. } => {
                self.collect_serials(inner)
            }
            _ => {}
        }
    }

    /// For tests: a value without a plan.
    #[cfg(test)]
    pub(crate) fn define_value(&mut self, name: &str) -> Result<()> {
        self.define(name, Slot::Value).map(drop)
    }

    fn define(&mut self, name: &str, kind: fn(usize) -> Slot) -> Result<Slot> {
        if !is_name(name) {
            return Err(Error::Name(
                "a name is letters, digits, `_` and `-`, and begins with a letter".into(),
            ));
        }
        if name == "user" || name == "users" {
            return Err(Error::Name(
                "`user` and `users` are the user's number and how many there are".into(),
            ));
        }
        let next = match kind(0) {
            Slot::Value(_) => self.drawn.len(),
            Slot::List(_) => self.lists,
            Slot::Flag(_) => self.flags,
        };
        let slot = *self.slots.entry(name.into()).or_insert_with(|| kind(next));
        if std::mem::discriminant(&slot) != std::mem::discriminant(&kind(0)) {
            return Err(Error::Name(
                "the name already stands for something of another kind (value, list or flag)".into(),
            ));
        }
        match slot {
            Slot::Value(index) if index == self.drawn.len() => self.drawn.push(false),
            Slot::List(index) if index == self.lists => self.lists += 1,
            Slot::Flag(index) if index == self.flags => self.flags += 1,
            _ => {}
        }
        if self.flags > MAX_FLAGS {
            return Err(Error::Range(format!("more than {MAX_FLAGS} flags")));
        }
        Ok(slot)
    }

    /// The names by slot.
    pub(crate) fn told(&self) -> Told {
        let mut told = Told {
            values: vec![String::new(); self.drawn.len()],
            lists: vec![String::new(); self.lists],
            flags: vec![String::new(); self.flags],
        };
        for (name, slot) in &self.slots {
            let place = match slot {
                Slot::Value(index) => &mut told.values[*index],
                Slot::List(index) => &mut told.lists[*index],
                Slot::Flag(index) => &mut told.flags[*index],
            };
            place.clone_from(name);
        }
        told
    }

    /// Index of a value.
    pub(crate) fn value(&self, name: &str) -> Result<usize> {
        match self.slots.get(name) {
            Some(Slot::Value(index)) => Ok(*index),
            Some(Slot::List(_)) => {
                Err(Error::Name(format!("`{name}` is a list: draw a value from it with `choose`")))
            }
            Some(Slot::Flag(_)) => Err(Error::Name(format!("`{name}` is a flag, not a value"))),
            None => Err(Error::Name(format!("no operation draws or extracts `{name}`"))),
        }
    }

    /// Which of a user's sequences counts the draws of `value`.
    pub(crate) fn sequence(&self, value: &Value) -> usize {
        self.serials.iter().position(|known| known == value).unwrap_or_default()
    }

    /// Index of a list.
    pub(crate) fn list(&self, name: &str) -> Result<usize> {
        match self.slots.get(name) {
            Some(Slot::List(index)) => Ok(*index),
            _ => Err(Error::Name(format!("no step extracts a list `{name}`"))),
        }
    }

    /// Bit of a flag.
    pub(crate) fn flag(&self, name: &str) -> Result<u64> {
        match self.slots.get(name) {
            Some(Slot::Flag(index)) => Ok(1 << index),
            _ => Err(Error::Name(format!("no step sets or extracts a flag `{name}`"))),
        }
    }
}

/// Whether `text` can be a name.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
