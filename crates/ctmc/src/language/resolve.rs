//! Expressions of a text, with their names resolved and their types checked.

use std::cell::Cell;
use std::collections::HashMap;

use super::code::{Code, Function, Operator, Step};
use super::lexer::Place;
use super::syntax::{Expression, Node, Type, Value};
use crate::error::Result;

/// Formulas inside formulas, and anything else that would nest for ever.
const DEEPEST: usize = 4000;

/// Parts of one expression with its formulas read in place: forty formulas can double forty times.
const MOST_PARTS: usize = 1_000_000;

/// Parts of formulas in all expressions of a model together: each command that reads a large one has it
/// again.
pub const MOST_IN_ALL: usize = 5_000_000;

/// New names for old ones inside a renamed module.
pub type Renaming<'a> = HashMap<&'a str, &'a str>;

/// What a name stands for.
pub enum Meaning<'a> {
    /// A constant's value.
    Constant(Value),
    /// A variable: its number, and whether it is a truth value.
    Variable(usize, bool),
    /// A formula to be read in place.
    Formula(&'a Expression),
}

/// What knows the names of a model.
pub trait Names {
    /// What `name` means. Errors: a name that is not declared, with one that is like it.
    fn meaning(&self, name: &str, renaming: &Renaming<'_>, place: Place) -> Result<Meaning<'_>>;

    /// What a label stands for. Errors: as `meaning`.
    fn label(&self, name: &str, place: Place) -> Result<&Expression>;

    /// Counts parts that a formula brought; whether there may be so many.
    fn affords(&self, parts: usize) -> bool;
}

/// Resolves names and checks types. Errors name the place.
pub fn compile(expression: &Expression, names: &impl Names, renaming: &Renaming<'_>) -> Result<Code> {
    let compiler = Compiler { names, renaming, left: Cell::new(MOST_PARTS), within: Cell::new(0) };
    compiler.code(expression, 0)
}

struct Compiler<'a, N> {
    names: &'a N,
    renaming: &'a Renaming<'a>,
    left: Cell<usize>,
    /// Formulas around the part that is read.
    within: Cell<usize>,
}

impl<N: Names> Compiler<'_, N> {
    fn code(&self, expression: &Expression, depth: usize) -> Result<Code> {
        let place = expression.place;
        if depth > DEEPEST || self.left.get() == 0 {
            return Err(place.error("formulas refer to each other without end, or grow too large"));
        }
        self.left.set(self.left.get() - 1);
        let inner = |each: &Expression| self.code(each, depth + 1);
        let code = match &expression.node {
            Node::Literal(value) => constant(*value),
            Node::Name(name) => match self.names.meaning(name, self.renaming, place)? {
                Meaning::Constant(value) => constant(value),
                Meaning::Variable(number, flag) => {
                    Code { step: Step::Variable(number), kind: if flag { Type::Bool } else { Type::Int } }
                }
                // A formula costs a hundred levels: chains of them end long before the stack does.
                Meaning::Formula(formula) => self.in_place(formula, depth + 100)?,
            },
            Node::Label(name) => self.in_place(self.names.label(name, place)?, depth + 100)?,
            Node::Unary(sign, operand) => unary(sign, inner(operand)?, place)?,
            Node::Binary(sign, left, right) => binary(sign, inner(left)?, inner(right)?, place)?,
            Node::Choice(parts) => {
                let [test, yes, no] = &**parts;
                choice(inner(test)?, inner(yes)?, inner(no)?, place)?
            }
            Node::Call(name, arguments) => {
                call(name, arguments.iter().map(inner).collect::<Result<Vec<_>>>()?, place)?
            }
        };
        Ok(code.folded())
    }

    /// A formula where it is used. What the outermost one brings is counted for the whole model.
    fn in_place(&self, formula: &Expression, depth: usize) -> Result<Code> {
        let before = self.left.get();
        self.within.set(self.within.get() + 1);
        let code = self.code(formula, depth)?;
        self.within.set(self.within.get() - 1);
        if self.within.get() == 0 && !self.names.affords(before - self.left.get()) {
            return Err(formula.place.error(format!(
                "formulas are used so often that they grow to more than {MOST_IN_ALL} parts"
            )));
        }
        Ok(code)
    }
}

fn constant(value: Value) -> Code {
    Code { step: Step::Value(value), kind: value.kind() }
}

fn expect(code: &Code, bool_wanted: bool, place: Place) -> Result<()> {
    if (code.kind == Type::Bool) == bool_wanted {
        return Ok(());
    }
    let wanted = if bool_wanted { "a bool" } else { "a number" };
    Err(place.error(format!("expected {wanted} here, found a {}", code.kind.name())))
}

fn unary(sign: &str, operand: Code, place: Place) -> Result<Code> {
    expect(&operand, sign == "!", place)?;
    let kind = operand.kind;
    let operand = Box::new(operand);
    Ok(Code { step: if sign == "!" { Step::Not(operand) } else { Step::Minus(operand) }, kind })
}

fn binary(sign: &str, left: Code, right: Code, place: Place) -> Result<Code> {
    let (operator, swap) = match sign {
        "=>" => (Operator::Implies, false),
        "<=>" => (Operator::Equivalent, false),
        "|" => (Operator::Or, false),
        "&" => (Operator::And, false),
        "=" => (Operator::Equal, false),
        "!=" => (Operator::Unequal, false),
        "<" => (Operator::Less, false),
        ">" => (Operator::Less, true),
        "<=" => (Operator::LessEqual, false),
        ">=" => (Operator::LessEqual, true),
        "+" => (Operator::Add, false),
        "-" => (Operator::Subtract, false),
        "*" => (Operator::Multiply, false),
        _ => (Operator::Divide, false),
    };
    let logical = matches!(operator, Operator::Implies | Operator::Equivalent | Operator::Or | Operator::And);
    let equality = matches!(operator, Operator::Equal | Operator::Unequal);
    let truths = logical || (equality && left.kind == Type::Bool);
    expect(&left, truths, place)?;
    expect(&right, truths, place)?;
    let kind = match operator {
        Operator::Divide => Type::Real,
        Operator::Add | Operator::Subtract | Operator::Multiply => wider(left.kind, right.kind),
        _ => Type::Bool,
    };
    let (left, right) = if swap { (right, left) } else { (left, right) };
    Ok(Code { step: Step::Binary(operator, Box::new(left), Box::new(right)), kind })
}

fn wider(left: Type, right: Type) -> Type {
    if left == right { left } else { Type::Real }
}

fn choice(test: Code, yes: Code, no: Code, place: Place) -> Result<Code> {
    expect(&test, true, place)?;
    expect(&no, yes.kind == Type::Bool, place)?;
    let kind = wider(yes.kind, no.kind);
    Ok(Code { step: Step::Choice(Box::new([test, yes, no])), kind })
}

fn call(name: &str, arguments: Vec<Code>, place: Place) -> Result<Code> {
    let (function, count) = match name {
        "min" => (Function::Min, None),
        "max" => (Function::Max, None),
        "floor" => (Function::Floor, Some(1)),
        "ceil" => (Function::Ceil, Some(1)),
        "round" => (Function::Round, Some(1)),
        "pow" => (Function::Pow, Some(2)),
        "mod" => (Function::Mod, Some(2)),
        "log" => (Function::Log, Some(2)),
        _ => return Err(place.error(format!("there is no function `{name}`"))),
    };
    if count.is_some_and(|count| count != arguments.len()) {
        return Err(place.error(format!("`{name}` takes {} values", count.unwrap_or(0))));
    }
    for argument in &arguments {
        expect(argument, false, place)?;
    }
    let all = arguments.iter().map(|each| each.kind).fold(Type::Int, wider);
    if function == Function::Mod && all != Type::Int {
        return Err(place.error("`mod` takes ints"));
    }
    let kind = match function {
        Function::Min | Function::Max | Function::Pow => all,
        Function::Log => Type::Real,
        _ => Type::Int,
    };
    Ok(Code { step: Step::Call(function, arguments), kind })
}
