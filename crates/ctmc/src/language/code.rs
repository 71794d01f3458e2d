//! Expressions ready to be evaluated in a state: names resolved, types checked (`resolve.rs`).

use std::collections::BTreeSet;
use std::fmt;

use super::slot::Slot;
use super::syntax::{Type, Value};

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Code {
    pub(super) step: Step,
    pub(super) kind: Type,
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

/// What could go wrong while evaluating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A whole number leaves 64 bits.
    Overflow,
    /// A number cannot be made whole.
    TooLarge,
    /// A whole number to a negative power.
    NegativePower,
    /// `mod` by nothing or less.
    Modulus,
    /// A whole variable is set to a real number.
    Real,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Overflow => "a whole number leaves 64 bits",
            Self::TooLarge => "a number is too large to be made whole",
            Self::NegativePower => "a whole number to a negative power",
            Self::Modulus => "`mod` by a number that is not above zero",
            Self::Real => "a whole number is set to a real one",
        })
    }
}

type Outcome = Result<Value, Fault>;

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
    pub(super) fn folded(self) -> Self {
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

    /// Adds its largest parts that ask variables of one group only, with the group; `group` is by variable,
    /// none for one that never changes.
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
                Value::Int(value) => Value::Int(value.checked_neg().ok_or(Fault::Overflow)?),
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
    pub fn truth(&self, state: &[i32]) -> Result<bool, Fault> {
        Ok(self.run(state)?.real() != 0.0)
    }
}

fn apply(operator: Operator, left: &Code, right: &Code, state: &[i32]) -> Outcome {
    match operator {
        Operator::Implies => return Ok(Value::Bool(!left.truth(state)? || right.truth(state)?)),
        Operator::Or => return Ok(Value::Bool(left.truth(state)? || right.truth(state)?)),
        Operator::And => return Ok(Value::Bool(left.truth(state)? && right.truth(state)?)),
        _ => {}
    }
    let (a, b) = (left.run(state)?, right.run(state)?);
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let number = |value: Option<i64>| value.map(Value::Int).ok_or(Fault::Overflow);
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
        if fits { Ok(Value::Int(value as i64)) } else { Err(Fault::TooLarge) }
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
                let exponent = u32::try_from(exponent).map_err(|_| Fault::NegativePower)?;
                base.checked_pow(exponent).map(Value::Int).ok_or(Fault::Overflow)
            }
            (base, exponent) => Ok(Value::Real(base.real().powf(exponent.real()))),
        },
        Function::Mod => match (first, arguments[1].run(state)?) {
            (Value::Int(value), Value::Int(by)) if by > 0 => Ok(Value::Int(value.rem_euclid(by))),
            _ => Err(Fault::Modulus),
        },
        Function::Log => Ok(Value::Real(first.real().ln() / arguments[1].run(state)?.real().ln())),
    }
}
