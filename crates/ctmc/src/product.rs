//! Models that fall apart into independent groups: each is solved alone, and probabilities multiply.
//!
//! A reward depends on a group through a few expressions only ("web < n"). The states of a group that agree
//! on these are one class; an answer is a sum over one class of each group, of the reward there times the
//! product of the classes' probabilities. No term is negative, so nothing is lost.

use std::collections::BTreeMap;

use crate::answer::{Answer, Method};
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::horizon::Options;
use crate::language::{Limits, Program, Split, Subject};
use crate::stationary::long_run;
use crate::transient::reward_at;

/// More combinations than this are not summed.
const MOST_COMBINATIONS: usize = 100_000;

/// Nor are more classes of one group solved, one after the other.
const MOST_CLASSES: usize = 1000;

/// The probability of each class of one group, with one of its states.
struct Factor {
    group: usize,
    classes: Vec<(Vec<i32>, Enclosure)>,
    states: usize,
}

/// Expected reward at a time, or in the long run without one; none when there would be too many classes.
pub fn product(
    program: &Program,
    subject: Subject<'_>,
    split: &Split<'_>,
    time: Option<f64>,
    limits: Limits,
    options: &Options,
) -> Result<Option<Answer>> {
    // The relative widths of factors add up.
    let precision = (options.precision / (2.0 * split.parts.len() as f64)).max(1e-13);
    let options = Options { precision, ..*options };
    let mut factors = Vec::new();
    let mut combinations = 1;
    for (group, _) in &split.parts {
        let factor = classes(program, split, *group, time, limits, &options)?;
        combinations *= factor.as_ref().map_or(MOST_COMBINATIONS, |factor| factor.classes.len());
        match factor {
            Some(factor) if combinations < MOST_COMBINATIONS => factors.push(factor),
            _ => return Ok(None),
        }
    }
    let mut total = Enclosure::exact(0.0);
    let mut state = program.start();
    for number in 0..combinations {
        let mut rest = number;
        let mut probability = Enclosure::exact(1.0);
        for factor in &factors {
            let (values, share) = &factor.classes[rest % factor.classes.len()];
            rest /= factor.classes.len();
            split.transfer(factor.group, values, &mut state);
            probability = probability.times(*share);
        }
        let value = program.value(subject, &state)?;
        if value > 0.0 {
            total = total.plus(probability.times(Enclosure::exact(value)));
        }
    }
    let states = factors.iter().map(|factor| factor.states).sum();
    Ok(Some(Answer::new(total, Method::Product, states)))
}

/// The classes of one group and how likely they are; none if there are too many.
fn classes(
    program: &Program,
    split: &Split<'_>,
    group: usize,
    time: Option<f64>,
    limits: Limits,
    options: &Options,
) -> Result<Option<Factor>> {
    let alone = program.alone(split, group);
    let model = alone.explored(limits, options.threads)?;
    let chain = &model.chain;
    let mut found: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
    for state in 0..chain.states() {
        let key = split.class(program, group, model.values(state))?;
        found.entry(key).or_default().push(state);
    }
    if found.len() > MOST_CLASSES {
        return Ok(None);
    }
    let mut classes = Vec::new();
    for members in found.into_values() {
        let mut reward = vec![0.0; chain.states()];
        members.iter().for_each(|&state| reward[state] = 1.0);
        let answer = match time {
            Some(time) => reward_at(chain, &reward, time, options)?,
            None => long_run(chain, &reward, options)?,
        };
        classes.push((model.values(members[0]).to_vec(), answer.enclosure.at_most(1.0)));
    }
    Ok(Some(Factor { group, classes, states: chain.states() }))
}
