//! Long-run shares of walks that remember where they came from, or end after a number of operations: what
//! follows does not depend on the operation alone, so they are walked, seeded, and the scatter of the shares
//! says how far they can be off.

use crate::{Next, Program, State};

/// Parts of the walk whose shares are compared. Each is many times as long as a session, so they are as good
/// as independent.
const BATCHES: usize = 32;
/// Operations in each. The standard errors of RUBiS are then at most 0.23 points (browsing) and 0.05 points
/// (bidding).
const LENGTH: usize = 1 << 16;

/// Shares of the operations in a long walk by a scenario, and their standard errors by batch means. No server is
/// asked: rules on answers and failures have no part in it.
pub(crate) fn shares(program: &Program, scenario: usize) -> (Vec<f64>, Vec<f64>) {
    // The walk of a user that no plan has.
    let mut state = State::of(program, u32::MAX, scenario);
    let own = &program.scenarios[scenario];
    let (mut at, mut done) = (own.first, 0);
    let batches: Vec<Vec<f64>> = (0..BATCHES)
        .map(|_| {
            let mut seen = vec![0.0; program.operations.len()];
            for _ in 0..LENGTH {
                seen[at] += 1.0 / LENGTH as f64;
                done += 1;
                let next =
                    if done >= own.max_operations { Next::NewSession } else { program.next(at, &mut state) };
                if next == Next::NewSession {
                    done = 0;
                }
                let entered = program.target_of(next, &state);
                program.leave(at, next, &mut state);
                at = entered;
            }
            seen
        })
        .collect();
    let count = BATCHES as f64;
    let mean = |i: usize| batches.iter().map(|batch| batch[i]).sum::<f64>() / count;
    let error = |i: usize| {
        let squares: f64 = batches.iter().map(|batch| (batch[i] - mean(i)).powi(2)).sum();
        (squares / (count - 1.0) / count).sqrt()
    };
    (0..program.operations.len()).map(|i| (mean(i), error(i))).unzip()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::tests::{base, program};

    /// Operations a, b, c with this mix.
    fn walked(mix: Json, max_operations: Option<u32>) -> Program {
        let mut plan = base();
        plan["operations"] = ["a", "b", "c"]
            .map(|name| json!({"name": name, "limit_s": 1, "steps": [{"method": "GET", "path": "/"}]}))
            .into();
        plan["session"]["max_operations"] = json!(max_operations);
        plan["mix"] = mix;
        program(serde_json::from_value(plan).unwrap())
    }

    fn agrees(program: &Program, exact: &[f64]) {
        let (shares, errors) = shares(program, 0);
        for ((share, error), exact) in shares.iter().zip(&errors).zip(exact) {
            assert!(
                *error < 0.002 && (share - exact).abs() <= 5.0 * error + 1e-12,
                "{shares:?} {errors:?} {exact}"
            );
        }
    }

    #[test]
    fn back_leads_to_where_the_user_came_from() {
        // a leads to b, b to c or back to a or the end, c always back to b. From b: visits to b until it is
        // left for good are geometric, 1 / (1 - 0.5) = 2, half of them followed by a c. It is left to a by
        // 0.3, else the session ends.
        let program =
            walked(json!({"a": {"b": 1}, "b": {"c": 0.5, "back": 0.3, "end": 0.2}, "c": {"back": 1}}), None);
        // For each a two b and one c.
        agrees(&program, &[0.25, 0.5, 0.25]);
    }

    #[test]
    fn an_operation_without_back_clears_the_history() {
        let program = walked(json!({"a": {"b": 1}, "b": {"c": 0.5, "back": 0.5}, "c": {"a": 1}}), None);
        let mut state = State::new(&program, 0);
        let came_from = |state: &State| state.came_from();
        program.leave(0, Next::Operation(1), &mut state);
        assert_eq!(came_from(&state), Some(0));
        program.leave(1, Next::Operation(1), &mut state);
        assert_eq!((came_from(&state), program.target_of(Next::Back, &state)), (Some(1), 1));
        program.leave(1, Next::Back, &mut state);
        assert_eq!(came_from(&state), Some(0));
        program.leave(1, Next::Operation(2), &mut state);
        assert_eq!(
            (came_from(&state), program.target_of(Next::Back, &state)),
            (None, program.scenarios[0].first)
        );
        agrees(&program, &[0.4, 0.4, 0.2]);
    }

    #[test]
    fn sessions_of_a_bounded_number_of_operations() {
        // a b a b a | a b a b a: three of five.
        agrees(&walked(json!({"a": {"b": 1}, "b": {"a": 1}, "c": {"a": 1}}), Some(5)), &[0.6, 0.4, 0.0]);
    }
}
