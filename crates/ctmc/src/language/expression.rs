//! Tokens to expressions.

use super::lexer::{Kind, Place};
use super::parser::{KEYWORDS, Parser};
use super::syntax::{Expression, Node, Value};
use crate::error::Result;

/// Brackets, choices and signs that may be nested in one expression.
const DEEPEST: usize = 100;

impl Parser {
    /// The next expression.
    pub(super) fn expression(&mut self) -> Result<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.place().error("expressions are nested too deeply"));
        }
        let test = self.binary(0)?;
        let place = self.place();
        let found = if self.eat("?") {
            let yes = self.expression()?;
            self.need(":")?;
            let no = self.expression()?;
            Expression { node: Node::Choice(Box::new([test, yes, no])), place }
        } else {
            test
        };
        self.depth -= 1;
        Ok(found)
    }

    /// Binary operators, the loosest level first; `!` binds looser than comparisons.
    fn binary(&mut self, level: usize) -> Result<Expression> {
        const LEVELS: [&[&str]; 8] = [
            &["=>"],
            &["<=>"],
            &["|"],
            &["&"],
            &["=", "!="],
            &["<", "<=", ">=", ">"],
            &["+", "-"],
            &["*", "/"],
        ];
        const NEGATION: usize = 4;
        if level == LEVELS.len() {
            return self.operand();
        }
        if level == NEGATION && self.is("!") {
            let place = self.place();
            let mut count = 0;
            while self.eat("!") {
                count += 1;
            }
            let inner = self.binary(level)?;
            let negated = |inner| Expression { node: Node::Unary("!", Box::new(inner)), place };
            return Ok(if count % 2 == 1 { negated(inner) } else { negated(negated(inner)) });
        }
        let mut left = self.binary(level + 1)?;
        // A long chain such as a + b + … nests to the left; it is walked as deep as it is long.
        let mut length = 0;
        while let Some(sign) = LEVELS[level].iter().copied().find(|sign| self.is(sign)) {
            length += 1;
            if length > 20 * DEEPEST {
                return Err(self.place().error("this expression has too many terms"));
            }
            let place = self.place();
            self.advance();
            let right = self.binary(level + 1)?;
            left = Expression { node: Node::Binary(sign, Box::new(left), Box::new(right)), place };
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression> {
        let place = self.place();
        let literal = |value| Expression { node: Node::Literal(value), place };
        match self.peek().clone() {
            Kind::Int(value) => {
                self.advance();
                Ok(literal(Value::Int(value)))
            }
            Kind::Real(value) => {
                self.advance();
                Ok(literal(Value::Real(value)))
            }
            Kind::Text(name) => {
                self.advance();
                Ok(Expression { node: Node::Label(name), place })
            }
            Kind::Sign("-") => {
                self.advance();
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(place.error("expressions are nested too deeply"));
                }
                let inner = self.operand()?;
                self.depth -= 1;
                Ok(Expression { node: Node::Unary("-", Box::new(inner)), place })
            }
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.need(")")?;
                Ok(inner)
            }
            Kind::Name(word) if word == "true" || word == "false" => {
                self.advance();
                Ok(literal(Value::Bool(word == "true")))
            }
            Kind::Name(word) if word == "min" || word == "max" || !KEYWORDS.contains(&word.as_str()) => {
                self.advance();
                self.named(word, place)
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn named(&mut self, word: String, place: Place) -> Result<Expression> {
        if !self.eat("(") {
            return Ok(Expression { node: Node::Name(word), place });
        }
        let mut arguments = vec![self.expression()?];
        while self.eat(",") {
            arguments.push(self.expression()?);
        }
        self.need(")")?;
        Ok(Expression { node: Node::Call(word, arguments), place })
    }
}
