//! Guards and whole numbers that are linear in the variables: evaluated without walking a tree.
//!
//! Nearly every guard of a model says that some sums of variables lie between bounds (`up > 0 & !busy`), and
//! nearly every assignment adds a number. Coefficients are kept so small that no sum can leave 64 bits: then
//! the tree that is replaced could not have failed either.

use super::code::{Code, Operator, Step};
use super::syntax::{Type, Value};

/// Bounds on coefficients, on the number of terms and on the constant: 2²⁴ · 2³¹ · 2⁶ < 2⁶².
const MOST_COEFFICIENT: i64 = 1 << 24;
const MOST_TERMS: usize = 64;
const MOST_CONSTANT: i64 = 1 << 60;

/// constant + Σ coefficient · variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    terms: Vec<(u32, i64)>,
    constant: i64,
}

/// Truths that must all hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Tests(Vec<Test>);

/// Whether a sum lies between two bounds, or (not `inside`) does not.
#[derive(Debug, Clone, PartialEq)]
struct Test {
    sum: Linear,
    low: i64,
    high: i64,
    inside: bool,
}

impl Linear {
    /// The same as `code`, a whole number or a truth value as 0 or 1; none when it is not linear.
    pub fn of(code: &Code) -> Option<Self> {
        let found = match code.step() {
            Step::Value(Value::Int(value)) => Self { terms: Vec::new(), constant: *value },
            Step::Value(Value::Bool(value)) => Self { terms: Vec::new(), constant: i64::from(*value) },
            Step::Variable(number) => Self { terms: vec![(*number as u32, 1)], constant: 0 },
            Step::Minus(operand) => Self::of(operand)?.times(-1)?,
            Step::Binary(operator, left, right) if code.kind() == Type::Int => {
                let (left, right) = (Self::of(left)?, Self::of(right)?);
                match operator {
                    Operator::Add => left.plus(&right),
                    Operator::Subtract => left.plus(&right.times(-1)?),
                    Operator::Multiply if left.terms.is_empty() => right.times(left.constant)?,
                    Operator::Multiply if right.terms.is_empty() => left.times(right.constant)?,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let small = found.terms.iter().all(|each| each.1.abs() <= MOST_COEFFICIENT);
        let few = found.terms.len() <= MOST_TERMS && found.constant.abs() <= MOST_CONSTANT;
        (small && few).then_some(found)
    }

    fn times(mut self, factor: i64) -> Option<Self> {
        for (_, coefficient) in &mut self.terms {
            *coefficient = coefficient.checked_mul(factor)?;
        }
        self.constant = self.constant.checked_mul(factor)?;
        Some(self)
    }

    fn plus(mut self, other: &Self) -> Self {
        self.constant += other.constant;
        for &(number, coefficient) in &other.terms {
            match self.terms.iter_mut().find(|each| each.0 == number) {
                Some(each) => each.1 += coefficient,
                None => self.terms.push((number, coefficient)),
            }
        }
        self
    }

    /// Its value in a state.
    #[inline]
    pub fn run(&self, state: &[i32]) -> i64 {
        let term = |&(number, coefficient): &(u32, i64)| coefficient * i64::from(state[number as usize]);
        self.constant + self.terms.iter().map(term).sum::<i64>()
    }
}

impl Tests {
    /// The same as the truth value `code`; none when some part of it is not linear.
    pub fn of(code: &Code) -> Option<Self> {
        let difference =
            |left: &Code, right: &Code| Some(Linear::of(left)?.plus(&Linear::of(right)?.times(-1)?));
        let one = |sum, low, high, inside| Some(Self(vec![Test { sum, low, high, inside }]));
        match code.step() {
            Step::Value(Value::Bool(true)) => Some(Self(Vec::new())),
            Step::Value(_) | Step::Variable(_) => one(Linear::of(code)?, 1, 1, true),
            Step::Not(operand) => match &mut Self::of(operand)?.0[..] {
                [test] => one(test.sum.clone(), test.low, test.high, !test.inside),
                _ => None,
            },
            Step::Binary(operator, left, right) => match operator {
                Operator::And => {
                    let (mut tests, more) = (Self::of(left)?, Self::of(right)?);
                    tests.0.extend(more.0);
                    Some(tests)
                }
                Operator::Equal => one(difference(left, right)?, 0, 0, true),
                Operator::Unequal => one(difference(left, right)?, 0, 0, false),
                Operator::Less => one(difference(left, right)?, i64::MIN, -1, true),
                Operator::LessEqual => one(difference(left, right)?, i64::MIN, 0, true),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether all hold in a state.
    #[inline]
    pub fn hold(&self, state: &[i32]) -> bool {
        self.0.iter().all(|test| {
            let sum = test.sum.run(state);
            (test.low <= sum && sum <= test.high) == test.inside
        })
    }
}
