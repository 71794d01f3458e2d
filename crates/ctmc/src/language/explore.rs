//! All states that a model can reach, level by level; their numbers do not depend on the threads.

use std::collections::HashMap;

use super::commands::{Commands, spell};
use super::scope::Scope;
use crate::chain::Transition;
use crate::error::{Error, Result};

/// States and transitions between their numbers.
pub struct Explored {
    /// How many states.
    pub states: usize,
    /// The values of the variables, state after state in the order of discovery.
    pub values: Vec<i32>,
    /// All transitions.
    pub transitions: Vec<Transition>,
}

/// A level of fewer states is not worth a thread.
const WORTH_THREADS: usize = 256;

/// Successors of one run of states: (state, values, rate).
type Found = Vec<(usize, Box<[i32]>, f64)>;

/// Everything reachable from the start, at most `most` states.
///
/// Errors: what a command can do wrong, with its place; too many states.
pub fn explore(commands: &Commands, scope: &Scope<'_>, most: usize, threads: usize) -> Result<Explored> {
    let start: Box<[i32]> = scope.slots.iter().map(|slot| slot.start).collect();
    let mut numbers: HashMap<Box<[i32]>, usize> = HashMap::new();
    let mut explored = Explored { states: 1, values: start.to_vec(), transitions: Vec::new() };
    numbers.insert(start, 0);
    let mut level = 0..1;
    while !level.is_empty() {
        for found in successors(commands, scope, &explored.values, level.clone(), threads)? {
            for (from, values, rate) in found {
                let next = numbers.len();
                let to = match numbers.get(&values) {
                    Some(&to) => to,
                    None if next == most => {
                        let message = format!(
                            "more than {most} states are reachable, such as {}",
                            spell(&values, scope)
                        );
                        return Err(Error::TooLarge(message));
                    }
                    None => {
                        explored.values.extend_from_slice(&values);
                        numbers.insert(values, next);
                        next
                    }
                };
                explored.transitions.push((from, to, rate));
            }
        }
        level = level.end..numbers.len();
    }
    explored.states = numbers.len();
    Ok(explored)
}

fn successors(
    commands: &Commands,
    scope: &Scope<'_>,
    values: &[i32],
    level: std::ops::Range<usize>,
    threads: usize,
) -> Result<Vec<Found>> {
    let width = scope.slots.len();
    let part = |range: std::ops::Range<usize>| -> Result<Found> {
        let mut found = Vec::new();
        for from in range {
            let state = &values[from * width..(from + 1) * width];
            commands.run(state, scope, &mut |next, rate| found.push((from, next.into(), rate)))?;
        }
        Ok(found)
    };
    if level.len() < WORTH_THREADS || threads < 2 {
        return Ok(vec![part(level)?]);
    }
    let share = level.len().div_ceil(threads);
    let parts: Vec<_> =
        level.clone().step_by(share).map(|from| from..(from + share).min(level.end)).collect();
    std::thread::scope(|scope| {
        let part = &part;
        let running: Vec<_> = parts.into_iter().map(|range| scope.spawn(move || part(range))).collect();
        running.into_iter().map(|thread| thread.join().expect("exploring does not panic")).collect()
    })
}
