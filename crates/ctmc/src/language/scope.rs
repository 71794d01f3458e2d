//! What the names of a model mean: constants with their values, variables, formulas, labels.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use super::code::Code;
use super::lexer::Place;
use super::order::order;
use super::parser::parse_expression;
use super::resolve::{MOST_IN_ALL, Meaning, Names, Renaming, compile};
use super::slot::Slot;
use super::syntax::{Constant, Expression, Model, Module, Named, Type, Value, Variable};
use crate::error::{Error, Result, refuse};

/// All names of a model.
pub struct Scope<'a> {
    /// Variables.
    pub slots: Vec<Slot>,
    numbers: HashMap<String, usize>,
    constants: HashMap<String, Value>,
    formulas: HashMap<&'a str, &'a Expression>,
    labels: HashMap<&'a str, &'a Expression>,
    /// Parts that formulas may still bring into expressions.
    parts: Cell<usize>,
}

impl<'a> Scope<'a> {
    /// Resolves the declarations of `model`; `given` are values of constants, as text.
    ///
    /// Errors name the place: a name declared twice, a constant without a value, a range the wrong way round.
    pub fn new(model: &'a Model, given: &BTreeMap<String, String>) -> Result<Self> {
        let definitions = |each: &'a [super::syntax::Definition]| {
            each.iter().map(|definition| (definition.name.name.as_str(), &definition.value)).collect()
        };
        let mut scope = Self {
            slots: Vec::new(),
            numbers: HashMap::new(),
            constants: HashMap::new(),
            formulas: definitions(&model.formulas),
            labels: definitions(&model.labels),
            parts: Cell::new(MOST_IN_ALL),
        };
        unique(model)?;
        scope.constants(model, given)?;
        for variable in &model.globals {
            scope.variable(variable, None, &Renaming::new())?;
        }
        for (number, module) in model.modules.iter().enumerate() {
            let renaming = renaming(module);
            for variable in &module.variables {
                if !module.renaming.is_empty() && !renaming.contains_key(variable.name.name.as_str()) {
                    let message = format!("`{}` needs a new name in this module", variable.name.name);
                    return Err(module.name.place.error(message));
                }
                scope.variable(variable, Some(number), &renaming)?;
            }
        }
        Ok(scope)
    }

    fn constants(&mut self, model: &'a Model, given: &BTreeMap<String, String>) -> Result<()> {
        if let Some(name) =
            given.keys().find(|name| !model.constants.iter().any(|each| each.name.name == **name))
        {
            return refuse(format!("the model has no constant `{name}`"));
        }
        let mut values = Vec::new();
        for constant in &model.constants {
            let name = &constant.name;
            values.push(match (&constant.value, given.get(&name.name)) {
                (Some(_), Some(_)) => {
                    return refuse(format!("the model itself gives the constant `{}`", name.name));
                }
                (None, None) => {
                    return Err(name.place.error(format!("`{}` needs a value from outside", name.name)));
                }
                (Some(value), None) => Cow::Borrowed(value),
                (None, Some(text)) => {
                    Cow::Owned(parse_expression(text).map_err(|error| outside(&name.name, &error))?)
                }
            });
        }
        // Constants may use later ones: each is settled after those that it uses.
        for number in order(model, &values) {
            let Constant { name, kind, .. } = &model.constants[number];
            let value = self.constant(&values[number], *kind)?;
            self.constants.insert(name.name.clone(), value);
        }
        Ok(())
    }

    fn constant(&self, expression: &Expression, kind: Type) -> Result<Value> {
        let value = self.fixed(expression, &Renaming::new())?;
        match (kind, value) {
            (Type::Real, Value::Int(_)) => Ok(Value::Real(value.real())),
            _ if value.kind() == kind => Ok(value),
            _ => {
                let message =
                    format!("a constant of type {} cannot be a {}", kind.name(), value.kind().name());
                Err(expression.place.error(message))
            }
        }
    }

    /// The value of an expression of constants only.
    fn fixed(&self, expression: &Expression, renaming: &Renaming<'_>) -> Result<Value> {
        compile(expression, self, renaming)?
            .run(&[])
            .map_err(|fault| expression.place.error(fault.to_string()))
    }

    fn variable(&mut self, variable: &Variable, owner: Option<usize>, renaming: &Renaming<'_>) -> Result<()> {
        let old = variable.name.name.as_str();
        let name = (*renaming.get(old).unwrap_or(&old)).to_owned();
        let place = variable.name.place;
        let taken = self.numbers.contains_key(&name) || self.constants.contains_key(&name);
        if taken || self.formulas.contains_key(name.as_str()) {
            return Err(place.error(format!("`{name}` is already declared")));
        }
        let whole = |expression: &Expression| match self.fixed(expression, renaming)? {
            Value::Int(value) => {
                i32::try_from(value).map_err(|_| expression.place.error(format!("{value} is too large")))
            }
            other => Err(expression.place.error(format!("expected an int, found a {}", other.kind().name()))),
        };
        let (low, high) = match &variable.range {
            Some((low, high)) => (whole(low)?, whole(high)?),
            None => (0, 1),
        };
        if low > high {
            return Err(place.error(format!("the range {low}..{high} of `{name}` is empty")));
        }
        let start = match (&variable.start, &variable.range) {
            (None, _) => low,
            (Some(start), Some(_)) => whole(start)?,
            (Some(start), None) => match self.fixed(start, renaming)? {
                Value::Bool(value) => i32::from(value),
                other => {
                    return Err(start
                        .place
                        .error(format!("expected a bool, found a {}", other.kind().name())));
                }
            },
        };
        if start < low || start > high {
            return Err(place.error(format!("`{name}` starts at {start}, outside {low}..{high}")));
        }
        self.numbers.insert(name.clone(), self.slots.len());
        self.slots.push(Slot { name, low, high, start, flag: variable.range.is_none(), owner });
        Ok(())
    }

    /// The number of a variable that is set.
    pub fn slot(&self, name: &Named, renaming: &Renaming<'_>) -> Result<usize> {
        let new = *renaming.get(name.name.as_str()).unwrap_or(&name.name.as_str());
        self.numbers.get(new).copied().ok_or_else(|| {
            let similar = similar(new, self.numbers.keys().map(String::as_str));
            name.place.error(format!("`{new}` is not a variable{similar}"))
        })
    }

    /// An expression that must be of one type; whole numbers pass as real ones.
    pub fn code(&self, expression: &Expression, renaming: &Renaming<'_>, wanted: Type) -> Result<Code> {
        let code = compile(expression, self, renaming)?;
        let found = code.kind();
        if found == wanted || (wanted, found) == (Type::Real, Type::Int) {
            return Ok(code);
        }
        Err(expression.place.error(format!("expected a {}, found a {}", wanted.name(), found.name())))
    }
}

impl Names for Scope<'_> {
    fn meaning(&self, name: &str, renaming: &Renaming<'_>, place: Place) -> Result<Meaning<'_>> {
        if let Some(formula) = self.formulas.get(name) {
            return Ok(Meaning::Formula(formula));
        }
        let name = *renaming.get(name).unwrap_or(&name);
        if let Some(&number) = self.numbers.get(name) {
            return Ok(Meaning::Variable(number, self.slots[number].flag));
        }
        match (self.constants.get(name), self.formulas.get(name)) {
            (Some(&value), _) => Ok(Meaning::Constant(value)),
            (None, Some(formula)) => Ok(Meaning::Formula(formula)),
            (None, None) => {
                let known = self.numbers.keys().chain(self.constants.keys()).map(String::as_str);
                let similar = similar(name, known.chain(self.formulas.keys().copied()));
                Err(place.error(format!("`{name}` is not declared{similar}")))
            }
        }
    }

    fn label(&self, name: &str, place: Place) -> Result<&Expression> {
        self.labels.get(name).copied().ok_or_else(|| {
            let similar = similar(name, self.labels.keys().copied());
            place.error(format!("no label \"{name}\" is declared{similar}"))
        })
    }

    fn affords(&self, parts: usize) -> bool {
        let left = self.parts.get();
        self.parts.set(left.saturating_sub(parts));
        parts <= left
    }
}

/// ": did you mean `up`?" when a name is at most two letters from another, or one for short ones; else
/// nothing.
fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let limit = if name.chars().count() < 5 { 1 } else { 2 };
    let near = known.map(|each| (distance(name, each), each)).filter(|each| each.0 <= limit).min();
    near.map_or_else(String::new, |(_, each)| format!(": did you mean `{each}`?"))
}

/// Letters put in, left out or changed to make one name of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, each) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *each);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// The renaming of a module, empty for one of its own.
pub fn renaming(module: &Module) -> Renaming<'_> {
    module.renaming.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect()
}

fn outside(name: &str, error: &Error) -> Error {
    let message = match error {
        Error::Text { message, .. } => message.clone(),
        other => other.to_string(),
    };
    Error::Input(format!("the value of the constant `{name}`: {message}"))
}

/// No two constants, formulas, labels or modules of one name.
fn unique(model: &Model) -> Result<()> {
    let mut names: Vec<(&str, &Named)> = Vec::new();
    names.extend(model.constants.iter().map(|each| ("name", &each.name)));
    names.extend(model.formulas.iter().map(|each| ("name", &each.name)));
    names.extend(model.labels.iter().map(|each| ("label", &each.name)));
    names.extend(model.modules.iter().map(|each| ("module", &each.name)));
    let mut seen = HashMap::new();
    for (kind, named) in names {
        if seen.insert((kind, named.name.as_str()), ()).is_some() {
            return Err(named.place.error(format!("`{}` is already declared", named.name)));
        }
    }
    Ok(())
}
