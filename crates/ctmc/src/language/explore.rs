//! All states that a model can reach, level by level; their numbers do not depend on the threads.

use super::numbers::Numbers;
use super::program::Program;
use crate::budget;
use crate::chain::Chain;
use crate::error::{Error, Result};

/// A level of fewer states is not worth a thread.
const WORTH_THREADS: usize = 256;

/// States of a level that are run before what they lead to is numbered: bounds the memory in between.
const BATCH: usize = 16_384;

/// Numbers of what a run of states leads to, after which it ends early: states with many ways on make short
/// batches.
const MOST_NUMBERS: usize = 1 << 24;

/// How much may be explored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// States.
    pub states: usize,
    /// Bytes.
    pub bytes: usize,
}

/// What a run of states leads to.
#[derive(Default)]
struct Found {
    /// How many successors each state has.
    counts: Vec<u32>,
    /// The state after the last one that was to be run.
    end: usize,
    values: Vec<i32>,
    rates: Vec<f64>,
}

/// Everything reachable from the start.
///
/// Errors: what a command can do wrong, with its place; more states or memory than allowed.
pub fn explore(program: &Program, limits: Limits, threads: usize) -> Result<(Chain, Numbers)> {
    budget::stage("exploring the states");
    let width = program.slots.len();
    let mut numbers = Numbers::new(width);
    numbers.number(&program.start());
    let mut chain = Chain::empty(0, 0);
    let mut row = Vec::new();
    while chain.states() < numbers.states() {
        budget::check().map_err(|_| {
            Error::Stopped(format!("exploring the states, {} found so far,", numbers.states()))
        })?;
        let batch = chain.states()..numbers.states().min(chain.states() + BATCH);
        for found in successors(program, &numbers, batch, threads)? {
            let mut next = 0;
            let complete = chain.states() + found.counts.len() == found.end;
            for count in found.counts {
                row.clear();
                for each in next..next + count as usize {
                    let to = numbers.number(&found.values[each * width..(each + 1) * width]);
                    if numbers.states() > limits.states {
                        return Err(too_many(program, &numbers, limits.states));
                    }
                    row.push((to as u32, found.rates[each]));
                }
                next += count as usize;
                chain.append(&mut row);
            }
            // What comes after a run that ended early is numbered after the rest of that run.
            if !complete {
                break;
            }
        }
        let bytes = bytes(numbers.states(), chain.transitions(), chain.states(), width);
        if bytes > limits.bytes {
            return Err(too_much(program, numbers.states(), bytes, limits.bytes));
        }
    }
    Ok((chain.started(vec![(0, 1.0)])?, numbers))
}

/// What can be done about too many states.
const ADVICE: &str = "ask about a finite time, which needs the likely states only, count identical nodes in one variable, \
                      or allow more states";

fn too_many(program: &Program, numbers: &Numbers, most: usize) -> Error {
    let last = program.spell(numbers.state(numbers.states() - 1));
    Error::TooLarge(format!("more than {most} states are reachable, such as {last}: {ADVICE}"))
}

/// What the states found so far will take at least, once each is explored: vectors double as they grow, and
/// solving keeps a few numbers a state.
fn bytes(states: usize, transitions: usize, explored: usize, width: usize) -> usize {
    let transitions = transitions as f64 / explored as f64 * states as f64;
    let state = 4.0 * width as f64 + 8.0 + 64.0;
    (2.0 * (12.0 * transitions + state * states as f64)) as usize
}

fn too_much(program: &Program, states: usize, bytes: usize, free: usize) -> Error {
    let ranges = program.slots.iter().map(|slot| f64::from(slot.high) - f64::from(slot.low) + 1.0);
    let gib = |bytes: usize| bytes as f64 / f64::from(1 << 30);
    Error::TooLarge(format!(
        "{states} of at most {:.3e} states were found and need {:.2} GiB, of {:.2} GiB that may be used: {ADVICE}",
        ranges.product::<f64>(),
        gib(bytes),
        gib(free)
    ))
}

fn successors(
    program: &Program,
    numbers: &Numbers,
    batch: std::ops::Range<usize>,
    threads: usize,
) -> Result<Vec<Found>> {
    let budget = budget::current();
    let part = |range: std::ops::Range<usize>| -> Result<Found> {
        let mut found = Found { end: range.end, ..Found::default() };
        let mut runner = program.runner();
        for from in range {
            if budget.is_spent() {
                break;
            }
            if found.values.len() + found.rates.len() > MOST_NUMBERS {
                break;
            }
            let before = found.rates.len();
            runner.run(numbers.state(from), &mut |next, rate| {
                found.values.extend_from_slice(next);
                found.rates.push(rate);
            })?;
            found.counts.push((found.rates.len() - before) as u32);
        }
        Ok(found)
    };
    if batch.len() < WORTH_THREADS || threads < 2 {
        return Ok(vec![part(batch)?]);
    }
    let share = batch.len().div_ceil(threads);
    let parts: Vec<_> =
        batch.clone().step_by(share).map(|from| from..(from + share).min(batch.end)).collect();
    std::thread::scope(|scope| {
        let part = &part;
        let running: Vec<_> = parts.into_iter().map(|range| scope.spawn(move || part(range))).collect();
        running.into_iter().map(|thread| thread.join().expect("exploring does not panic")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{Limits, explore};
    use crate::error::Error;
    use crate::language::{Program, Reading};

    #[test]
    fn what_would_not_fit_the_memory_is_refused_while_it_grows() {
        let text = "ctmc module m x:[0..30000]; y:[0..30000]; \
            [] x<30000 -> 1:(x'=x+1); [] y<30000 -> 1:(y'=y+1); endmodule";
        let program = Program::read(text, &Reading::default()).unwrap();
        let limits = Limits { states: usize::MAX, bytes: 8 << 20 };
        let Err(Error::TooLarge(message)) = explore(&program, limits, 1) else { panic!("it fits") };
        assert!(message.contains("9.001e8 states") && message.contains("of 0.01 GiB"), "{message}");
        assert!(message.contains("ask about a finite time"), "{message}");
    }
}
