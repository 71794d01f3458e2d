//! Expressions with their names resolved and their types checked, ready to be evaluated in a state.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::lexer::Place;
use super::scope::{Meaning, Renaming, Scope, Slot};
use super::syntax::{Expression, Node, Type, Value};
use crate::error::Result;

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Code {
    step: Step,
    kind: Type,
}

/// What is done last to get the value.
#[derive(Debug, Clone)]
pub enum Step {
    /// Nothing.
    Value(Value),
    /// Looking it up.
    Variable(usize),
    /// `!a`
    Not(Box<Code>),
    /// `-a`
    Minus(Box<Code>),
    /// `a sign b`
    Binary(Operator, Box<Code>, Box<Code>),
    /// `a ? b : c`
    Choice(Box<[Code; 3]>),
    /// `f(a, b)`
    Call(Function, Vec<Code>),
}

/// Signs between two operands; `>` and `>=` are `Less` and `LessEqual` the other way round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operator {
    Implies,
    Equivalent,
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Functions, each called as the language calls it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    Min,
    Max,
    Floor,
    Ceil,
    Round,
    Pow,
    Mod,
    Log,
}

/// Formulas inside formulas, and anything else that would nest for ever.
const DEEPEST: usize = 4000;

/// Parts of one expression with its formulas read in place: forty formulas can double forty times.
const MOST_PARTS: usize = 1_000_000;

/// Parts of formulas in all expressions of a model together: each command that reads a large one has it again.
pub const MOST_IN_ALL: usize = 5_000_000;

/// What could go wrong while evaluating.
type Outcome = std::result::Result<Value, &'static str>;

/// Resolves names and checks types. Errors name the place.
pub fn compile(expression: &Expression, scope: &Scope<'_>, renaming: &Renaming<'_>) -> Result<Code> {
    let compiler = Compiler { scope, renaming, left: Cell::new(MOST_PARTS), within: Cell::new(0) };
    compiler.code(expression, 0)
}

struct Compiler<'a> {
    scope: &'a Scope<'a>,
    renaming: &'a Renaming<'a>,
    left: Cell<usize>,
    /// Formulas around the part that is read.
    within: Cell<usize>,
}

impl Compiler<'_> {
    fn code(&self, expression: &Expression, depth: usize) -> Result<Code> {
        let place = expression.place;
        if depth > DEEPEST || self.left.get() == 0 {
            return Err(place.error("formulas refer to each other without end, or grow too large"));
        }
        self.left.set(self.left.get() - 1);
        let inner = |each: &Expression| self.code(each, depth + 1);
        let code = match &expression.node {
            Node::Literal(value) => constant(*value),
            Node::Name(name) => match self.scope.meaning(name, self.renaming, place)? {
                Meaning::Constant(value) => constant(value),
                Meaning::Variable(number, flag) => {
                    Code { step: Step::Variable(number), kind: if flag { Type::Bool } else { Type::Int } }
                }
                // A formula costs a hundred levels: chains of them end long before the stack does.
                Meaning::Formula(formula) => self.in_place(formula, depth + 100)?,
            },
            Node::Label(name) => self.in_place(self.scope.label(name, place)?, depth + 100)?,
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
        if self.within.get() == 0 && !self.scope.affords(before - self.left.get()) {
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

impl Code {
    /// The type of its values.
    pub fn kind(&self) -> Type {
        self.kind
    }

    /// How its value comes about.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// Itself, or its value when that is the same in every state.
    fn folded(self) -> Self {
        let value = |code: &Self| matches!(code.step, Step::Value(_));
        let fixed = match &self.step {
            Step::Value(_) | Step::Variable(_) => false,
            Step::Not(operand) | Step::Minus(operand) => value(operand),
            Step::Binary(_, left, right) => value(left) && value(right),
            Step::Choice(parts) => parts.iter().all(value),
            Step::Call(_, arguments) => arguments.iter().all(value),
        };
        match if fixed { self.run(&[]).ok() } else { None } {
            Some(value) => Self { step: Step::Value(value), ..self },
            None => self,
        }
    }

    fn parts(&self) -> Vec<&Self> {
        match &self.step {
            Step::Value(_) | Step::Variable(_) => Vec::new(),
            Step::Not(operand) | Step::Minus(operand) => vec![operand],
            Step::Binary(_, left, right) => vec![left, right],
            Step::Choice(parts) => parts.iter().collect(),
            Step::Call(_, arguments) => arguments.iter().collect(),
        }
    }

    /// Adds the variables that it asks.
    pub fn variables(&self, asked: &mut BTreeSet<usize>) {
        if let Step::Variable(number) = self.step {
            asked.insert(number);
        }
        self.parts().into_iter().for_each(|part| part.variables(asked));
    }

    /// Adds its largest parts that ask variables of one group only, with the group; `group` is by variable, none
    /// for one that never changes.
    pub fn atoms<'a>(&'a self, group: &[Option<usize>], found: &mut Vec<(usize, &'a Self)>) {
        let mut asked = BTreeSet::new();
        self.variables(&mut asked);
        let groups: BTreeSet<usize> = asked.into_iter().filter_map(|each| group[each]).collect();
        match groups.len() {
            0 => {}
            1 => found.extend(groups.into_iter().map(|group| (group, self))),
            _ => self.parts().into_iter().for_each(|part| part.atoms(group, found)),
        }
    }

    /// Bounds on its value in any state, within some roundings; none where the arithmetic is not followed.
    pub fn range(&self, slots: &[Slot]) -> Option<(f64, f64)> {
        let of = |code: &Self| code.range(slots);
        match &self.step {
            Step::Value(value) => Some((value.real(), value.real())),
            Step::Variable(number) => Some((f64::from(slots[*number].low), f64::from(slots[*number].high))),
            Step::Minus(operand) => of(operand).map(|(low, high)| (-high, -low)),
            Step::Choice(parts) => {
                let (yes, no) = (of(&parts[1])?, of(&parts[2])?);
                Some((yes.0.min(no.0), yes.1.max(no.1)))
            }
            Step::Binary(operator, left, right) => {
                let ((a, b), (c, d)) = (of(left)?, of(right)?);
                let hull = |ends: [f64; 4]| {
                    let all = |pick: fn(f64, f64) -> f64| ends.into_iter().reduce(pick).unwrap_or(0.0);
                    (all(f64::min), all(f64::max))
                };
                match operator {
                    Operator::Add => Some((a + c, b + d)),
                    Operator::Subtract => Some((a - d, b - c)),
                    Operator::Multiply => Some(hull([a * c, a * d, b * c, b * d])),
                    Operator::Divide if c > 0.0 || d < 0.0 => Some(hull([a / c, a / d, b / c, b / d])),
                    _ => None,
                }
            }
            Step::Call(function @ (Function::Min | Function::Max), arguments) => {
                let pick = if *function == Function::Min { f64::min } else { f64::max };
                let ranges: Option<Vec<_>> = arguments.iter().map(of).collect();
                ranges?.into_iter().reduce(|a, b| (pick(a.0, b.0), pick(a.1, b.1)))
            }
            Step::Not(_) | Step::Call(..) => None,
        }
        .filter(|(low, high)| low.is_finite() && high.is_finite())
    }

    /// The value in a state. Errors: a whole number out of range.
    pub fn run(&self, state: &[i32]) -> Outcome {
        let value = match &self.step {
            Step::Value(value) => *value,
            Step::Variable(number) if self.kind == Type::Bool => Value::Bool(state[*number] != 0),
            Step::Variable(number) => Value::Int(i64::from(state[*number])),
            Step::Not(operand) => Value::Bool(!operand.truth(state)?),
            Step::Minus(operand) => match operand.run(state)? {
                Value::Int(value) => Value::Int(value.checked_neg().ok_or(OVERFLOW)?),
                other => Value::Real(-other.real()),
            },
            Step::Binary(operator, left, right) => return apply(*operator, left, right, state),
            Step::Choice(parts) => {
                let [test, yes, no] = &**parts;
                if test.truth(state)? { yes.run(state)? } else { no.run(state)? }
            }
            Step::Call(function, arguments) => evaluate(*function, arguments, state)?,
        };
        Ok(if self.kind == Type::Real { Value::Real(value.real()) } else { value })
    }

    /// A truth value in a state.
    pub fn truth(&self, state: &[i32]) -> std::result::Result<bool, &'static str> {
        Ok(self.run(state)?.real() != 0.0)
    }
}

const OVERFLOW: &str = "a whole number leaves 64 bits";

fn apply(operator: Operator, left: &Code, right: &Code, state: &[i32]) -> Outcome {
    match operator {
        Operator::Implies => return Ok(Value::Bool(!left.truth(state)? || right.truth(state)?)),
        Operator::Or => return Ok(Value::Bool(left.truth(state)? || right.truth(state)?)),
        Operator::And => return Ok(Value::Bool(left.truth(state)? && right.truth(state)?)),
        _ => {}
    }
    let (a, b) = (left.run(state)?, right.run(state)?);
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let number = |value: Option<i64>| value.map(Value::Int).ok_or(OVERFLOW);
        return match operator {
            Operator::Add => number(a.checked_add(b)),
            Operator::Subtract => number(a.checked_sub(b)),
            Operator::Multiply => number(a.checked_mul(b)),
            Operator::Divide => Ok(Value::Real(a as f64 / b as f64)),
            Operator::Less => Ok(Value::Bool(a < b)),
            Operator::LessEqual => Ok(Value::Bool(a <= b)),
            Operator::Unequal => Ok(Value::Bool(a != b)),
            _ => Ok(Value::Bool(a == b)),
        };
    }
    let (a, b) = (a.real(), b.real());
    Ok(match operator {
        Operator::Add => Value::Real(a + b),
        Operator::Subtract => Value::Real(a - b),
        Operator::Multiply => Value::Real(a * b),
        Operator::Divide => Value::Real(a / b),
        Operator::Less => Value::Bool(a < b),
        Operator::LessEqual => Value::Bool(a <= b),
        Operator::Unequal => Value::Bool(a != b),
        _ => Value::Bool(a == b),
    })
}

fn evaluate(function: Function, arguments: &[Code], state: &[i32]) -> Outcome {
    let first = arguments[0].run(state)?;
    let whole = |value: f64| {
        let fits = value.abs() <= (1_u64 << 53) as f64;
        if fits { Ok(Value::Int(value as i64)) } else { Err("a number is too large to be made whole") }
    };
    match function {
        Function::Min | Function::Max => arguments[1..].iter().try_fold(first, |best, each| {
            let value = each.run(state)?;
            let less = match (value, best) {
                (Value::Int(value), Value::Int(best)) => value < best,
                (value, best) => value.real() < best.real(),
            };
            Ok(if less == (function == Function::Min) { value } else { best })
        }),
        Function::Floor => whole(first.real().floor()),
        Function::Ceil => whole(first.real().ceil()),
        Function::Round => whole((first.real() + 0.5).floor()),
        Function::Pow => match (first, arguments[1].run(state)?) {
            (Value::Int(base), Value::Int(exponent)) => {
                let exponent = u32::try_from(exponent).map_err(|_| "a whole number to a negative power")?;
                base.checked_pow(exponent).map(Value::Int).ok_or(OVERFLOW)
            }
            (base, exponent) => Ok(Value::Real(base.real().powf(exponent.real()))),
        },
        Function::Mod => match (first, arguments[1].run(state)?) {
            (Value::Int(value), Value::Int(by)) if by > 0 => Ok(Value::Int(value.rem_euclid(by))),
            _ => Err("`mod` by a number that is not above zero"),
        },
        Function::Log => Ok(Value::Real(first.real().ln() / arguments[1].run(state)?.real().ln())),
    }
}
