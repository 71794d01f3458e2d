//! In which order constants are settled: each after those that it uses, however they are written.

use std::borrow::Borrow;
use std::collections::HashMap;

use super::syntax::{Expression, Model, Node};

/// The numbers of the constants of `model`, those that others use first; `values` are their expressions.
///
/// Formulas and labels on the way are looked through. Each expression is walked once. Constants that need
/// each other come out in some order, and the first of them to be settled says what it misses.
pub fn order(model: &Model, values: &[impl Borrow<Expression>]) -> Vec<usize> {
    let named = |first: usize, names: Vec<&'_ str>| -> HashMap<String, usize> {
        names.into_iter().enumerate().map(|(at, name)| (name.to_owned(), first + at)).collect()
    };
    let (constants, formulas) = (model.constants.len(), model.formulas.len());
    let mut names = named(0, model.constants.iter().map(|each| each.name.name.as_str()).collect());
    // A formula hides a constant of its name.
    names.extend(named(constants, model.formulas.iter().map(|each| each.name.name.as_str()).collect()));
    let labels =
        named(constants + formulas, model.labels.iter().map(|each| each.name.name.as_str()).collect());
    let all: Vec<&Expression> = values
        .iter()
        .map(Borrow::borrow)
        .chain(model.formulas.iter().map(|each| &each.value))
        .chain(model.labels.iter().map(|each| &each.value))
        .collect();
    let uses = |number: usize| {
        let mut found = Vec::new();
        used(all[number], &names, &labels, &mut found);
        found.into_iter()
    };
    let mut seen = vec![false; all.len()];
    let mut settled = Vec::with_capacity(constants);
    for first in 0..constants {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut path = vec![(first, uses(first))];
        while let Some((number, next)) = path.last_mut() {
            match next.find(|&each| !seen[each]) {
                Some(each) => {
                    seen[each] = true;
                    path.push((each, uses(each)));
                }
                None => {
                    settled.extend(Some(*number).filter(|&each| each < constants));
                    path.pop();
                }
            }
        }
    }
    settled
}

/// Adds the numbers of what an expression names.
fn used(
    expression: &Expression,
    names: &HashMap<String, usize>,
    labels: &HashMap<String, usize>,
    found: &mut Vec<usize>,
) {
    let mut waiting = vec![expression];
    while let Some(expression) = waiting.pop() {
        match &expression.node {
            Node::Literal(_) => {}
            Node::Name(name) => found.extend(names.get(name)),
            Node::Label(name) => found.extend(labels.get(name)),
            Node::Unary(_, operand) => waiting.push(operand),
            Node::Binary(_, left, right) => waiting.extend([&**left, &**right]),
            Node::Choice(parts) => waiting.extend(parts.iter()),
            Node::Call(_, arguments) => waiting.extend(arguments),
        }
    }
}
