//! Whether what a user knows is as a step wants it: two texts compared, as `{left} > 3`.

use std::cmp::Ordering;

use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::names::Names;
use crate::state::State;
use crate::template::Template;

/// How two texts may be compared; the longer ones first, as they begin alike.
const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator(|is| is == Some(Ordering::Equal))),
    ("!=", Operator(|is| is != Some(Ordering::Equal))),
    ("<=", Operator(|is| matches!(is, Some(Ordering::Less | Ordering::Equal)))),
    (">=", Operator(|is| matches!(is, Some(Ordering::Greater | Ordering::Equal)))),
    ("<", Operator(|is| is == Some(Ordering::Less))),
    (">", Operator(|is| is == Some(Ordering::Greater))),
];

#[derive(Debug, Clone, Copy)]
struct Operator(fn(Option<Ordering>) -> bool);

/// Flags that must be set or unset, and comparisons that must hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    needs: u64,
    forbids: u64,
    compared: Box<[Comparison]>,
}

#[derive(Debug, Clone)]
struct Comparison {
    left: Template,
    operator: Operator,
    right: Template,
}

impl Conditions {
    /// Reads a flag, `!flag`, or `left OPERATOR right`, of each.
    pub(crate) fn compile(texts: &[String], names: &Names) -> Result<Self> {
        let mut all = Self::default();
        let mut compared = Vec::new();
        for text in texts {
            if let Some(comparison) = Comparison::parse(text, names)? {
                compared.push(comparison);
            } else if let Some(unset) = text.strip_prefix('!') {
                all.forbids |= names.flag(unset)?;
            } else {
                all.needs |= names.flag(text)?;
            }
        }
        if all.needs & all.forbids != 0 {
            return Err(Error::Conflict("a flag is wanted both set and unset".into()));
        }
        all.compared = compared.into();
        Ok(all)
    }

    /// Whether all hold for a user now.
    pub(crate) fn hold(&self, state: &State) -> bool {
        state.flags & self.needs == self.needs
            && state.flags & self.forbids == 0
            && self.compared.iter().all(|one| one.holds(state))
    }
}

impl Comparison {
    fn parse(text: &str, names: &Names) -> Result<Option<Self>> {
        let first = (0..text.len()).filter(|at| text.is_char_boundary(*at)).find_map(|at| {
            let (sign, operator) = OPERATORS.iter().find(|(sign, _)| text[at..].starts_with(sign))?;
            Some((&text[..at], *operator, &text[at + sign.len()..]))
        });
        let Some((left, operator, right)) = first else { return Ok(None) };
        let side = |text: &str| Template::parse(text.trim(), names, Encoding::Plain);
        Ok(Some(Self { left: side(left)?, operator, right: side(right)? }))
    }

    fn holds(&self, state: &State) -> bool {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.left.render(state, &mut left);
        self.right.render(state, &mut right);
        let order = match (number(&left), number(&right)) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            // Texts have no order, only that they are the same.
            _ => (left == right).then_some(Ordering::Equal),
        };
        (self.operator.0)(order)
    }
}

fn number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::{plan_extracting, program};

    #[test]
    fn numbers_have_an_order_and_texts_are_the_same_or_not() {
        let program = program(plan_extracting("x", json!({"kind": "hidden", "field": "x"})));
        let mut names = Names::default();
        names.define_value("x").unwrap();
        let mut state = State::new(&program, 0);
        let mut holds = |value: &str, text: &str| {
            state.set_value(0, value.as_bytes());
            state.status = 404;
            Conditions::compile(&[text.into()], &names).unwrap().hold(&state)
        };
        for (value, text, expected) in [
            ("10", "{x} > 9", true),
            ("10", "{x} < 9", false),
            ("10", "{x}>=10.0", true),
            ("10", "{x} <= 9", false),
            ("10", "{x} == 1e1", true),
            ("10", "{x} != 10", false),
            ("more", "{x} == more", true),
            ("more", "{x} != more", false),
            ("more", "{x} > 1", false),
            ("more", "{x} < 1", false),
            ("more", "{x} != 1", true),
            ("", "{x} ==", true),
            ("NaN", "{x} == NaN", true),
            ("", "{status} == 404", true),
            ("", "{status} < 400", false),
        ] {
            assert_eq!(holds(value, text), expected, "`{text}` for `{value}`");
        }
    }
}
