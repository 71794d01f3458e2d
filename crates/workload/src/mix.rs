//! The mix: a row-stochastic matrix over operations, how it is walked and where it settles.

use std::collections::BTreeMap;
use std::ops::Range;

use loadstone_stats::Rng;

use crate::error::{Error, Result};

/// Rows may miss 1 by this much: what is left of decimal fractions such as 0.11 + 0.52 + 0.37.
const ROW_TOLERANCE: f64 = 1e-6;
/// The column that ends a session.
const END: &str = "end";
/// The column that returns to the operation before.
const BACK: &str = "back";

/// What follows an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// This operation, in the same session.
    Operation(usize),
    /// The operation before, in the same session.
    Back,
    /// The first operation of a new session.
    NewSession,
}

/// The compiled mix.
#[derive(Debug, Clone, PartialEq)]
pub struct Mix {
    /// For each operation, what may follow it with cumulative probabilities, ascending; the last is 1.
    rows: Vec<Vec<(f64, Next)>>,
    /// For each operation, whether entering it adds to the history; entering others clears it.
    remembers: Vec<bool>,
}

impl Mix {
    /// Resolves the rows of a plan's mix.
    pub(crate) fn compile(names: &[&str], mix: &BTreeMap<String, BTreeMap<String, f64>>) -> Result<Self> {
        if let Some(stray) = mix.keys().find(|row| !names.contains(&row.as_str())) {
            return Err(Error::Name(format!("mix: the row `{stray}` is of no operation")));
        }
        let rows = names
            .iter()
            .map(|name| {
                let row = mix
                    .get(*name)
                    .ok_or_else(|| Error::Name(format!("mix: no row for operation `{name}`")))?;
                compile_row(names, row).map_err(|why| why.at(format!("mix, row `{name}`: ")))
            })
            .collect::<Result<_, _>>()?;
        let remembers = names.iter().map(|name| mix[*name].contains_key(BACK)).collect();
        Ok(Self { rows, remembers })
    }

    /// The operation that follows `operation`.
    pub fn next(&self, operation: usize, rng: &mut Rng) -> Next {
        let row = &self.rows[operation];
        if let [(_, only)] = row.as_slice() {
            return *only;
        }
        let u = rng.unit_open();
        row.iter().find(|(upto, _)| u <= *upto).unwrap_or(&row[row.len() - 1]).1
    }

    /// Whether entering an operation adds to the history.
    pub(crate) fn remembers(&self, operation: usize) -> bool {
        self.remembers[operation]
    }

    /// Whether what follows one of these operations depends on more than the operation.
    pub(crate) fn has_memory(&self, operations: Range<usize>) -> bool {
        self.remembers[operations].contains(&true)
    }

    /// The first of these operations that leads to one that is none of them.
    pub(crate) fn leaves(&self, operations: Range<usize>) -> Option<usize> {
        let leads_away = |next: &Next| matches!(next, Next::Operation(to) if !operations.contains(to));
        operations.clone().find(|from| self.rows[*from].iter().any(|(_, next)| leads_away(next)))
    }

    /// Long-run shares of the operations in walks from `first`, by solving the stationary equations; periodic
    /// chains have them too.
    ///
    /// # Errors
    /// When the long run depends on chance: the chain can be caught in one of several sets of operations.
    pub(crate) fn stationary(&self, names: &[&str], first: usize) -> Result<Vec<f64>> {
        let size = self.rows.len();
        let mut matrix = vec![vec![0.0; size]; size];
        for (from, row) in self.rows.iter().enumerate() {
            let mut before = 0.0;
            for (upto, next) in row {
                // A walk with `back` is no chain of operations; its shares come from `walk`.
                let to = if let Next::Operation(to) = next { *to } else { first };
                matrix[from][to] += upto - before;
                before = *upto;
            }
        }
        // What no walk from here reaches is asked about nowhere.
        let walked = reachable(&matrix, first);
        let reach: Vec<Vec<bool>> =
            (0..size).map(|from| if walked[from] { reachable(&matrix, from) } else { Vec::new() }).collect();
        // States that can be come back to from wherever they lead form the closed classes.
        let recurrent: Vec<usize> = (0..size)
            .filter(|&s| reach[first][s] && (0..size).all(|t| !reach[s][t] || reach[t][s]))
            .collect();
        if let Some(other) = recurrent.iter().find(|s| !reach[recurrent[0]][**s]) {
            return Err(Error::Conflict(format!(
                "mix: a session that reaches `{}` never leads to `{}` again and the other way round, so the mix has no \
                 long-run shares",
                names[recurrent[0]], names[*other]
            )));
        }
        let mut shares = vec![0.0; size];
        for (share, state) in solve(&matrix, &recurrent).into_iter().zip(&recurrent) {
            shares[*state] = share;
        }
        Ok(shares)
    }
}

fn compile_row(names: &[&str], row: &BTreeMap<String, f64>) -> Result<Vec<(f64, Next)>> {
    let sum: f64 = row.values().sum();
    if let Some((column, p)) = row.iter().find(|(_, p)| !(0.0..=1.0 + ROW_TOLERANCE).contains(*p)) {
        return Err(Error::Range(format!("`{column}` has the probability {p}")));
    }
    if (sum - 1.0).abs() > ROW_TOLERANCE {
        return Err(Error::Range(format!("sums to {sum}, expected 1")));
    }
    let mut upto = 0.0;
    let mut compiled = Vec::new();
    for (column, p) in row.iter().filter(|(_, p)| **p > 0.0) {
        let next = next_of(names, column)
            .ok_or_else(|| Error::Name(format!("the column `{column}` is of no operation")))?;
        upto += p / sum;
        compiled.push((upto, next));
    }
    if let Some(last) = compiled.last_mut() {
        last.0 = 1.0;
    }
    Ok(compiled)
}

/// What a column, or a rule, leads to.
pub(crate) fn next_of(names: &[&str], column: &str) -> Option<Next> {
    match names.iter().position(|name| *name == column) {
        Some(operation) => Some(Next::Operation(operation)),
        None if column == END => Some(Next::NewSession),
        None if column == BACK => Some(Next::Back),
        None => None,
    }
}

/// States that `from` leads to in one step or more.
fn reachable(matrix: &[Vec<f64>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; matrix.len()];
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for (next, p) in matrix[state].iter().enumerate() {
            if *p > 0.0 && !seen[next] {
                seen[next] = true;
                open.push(next);
            }
        }
    }
    // The start itself belongs to what is reached: the first operation is always run.
    seen[from] = true;
    seen
}

/// Stationary law of the closed class `class` by the elimination of Grassmann, Taksar and Heyman (1985),
/// which subtracts nothing and therefore loses no digits.
fn solve(matrix: &[Vec<f64>], class: &[usize]) -> Vec<f64> {
    let size = class.len();
    let mut p: Vec<Vec<f64>> = class.iter().map(|i| class.iter().map(|j| matrix[*i][*j]).collect()).collect();
    for n in (1..size).rev() {
        let leave: f64 = p[n][..n].iter().sum();
        let row = p[n].clone();
        for above in &mut p[..n] {
            above[n] /= leave;
            let via = above[n];
            for (to, step) in above[..n].iter_mut().zip(&row) {
                *to += via * step;
            }
        }
    }
    let mut shares = vec![1.0; size];
    for n in 1..size {
        shares[n] = (0..n).map(|i| shares[i] * p[i][n]).sum();
    }
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| share / total).collect()
}

#[cfg(test)]
mod tests {
    use loadstone_stats::wilson;

    use super::*;

    fn mix(names: &[&str], rows: &[&[f64]]) -> Result<Mix> {
        let columns: Vec<&str> = names.iter().copied().chain([END]).collect();
        let rows = names.iter().zip(rows).map(|(name, row)| {
            (name.to_string(), columns.iter().map(|c| c.to_string()).zip(row.iter().copied()).collect())
        });
        Mix::compile(names, &rows.collect())
    }

    fn shares(names: &[&str], rows: &[&[f64]]) -> Vec<f64> {
        mix(names, rows).unwrap().stationary(names, 0).unwrap()
    }

    #[test]
    fn olio_settles_at_the_published_shares() {
        let names = ["Home", "Login", "Tag", "Event", "Person", "AddPerson", "AddEvent"];
        let rows: [&[f64]; 7] = [
            &[0.0, 0.11, 0.52, 0.36, 0.0, 0.01, 0.0],
            &[0.0, 0.0, 0.6, 0.2, 0.0, 0.0, 0.2],
            &[0.21, 0.06, 0.41, 0.31, 0.0, 0.01, 0.0],
            &[0.72, 0.21, 0.0, 0.0, 0.06, 0.01, 0.0],
            &[0.52, 0.06, 0.0, 0.31, 0.11, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        ];
        let published = [26.15, 10.22, 33.45, 24.68, 2.61, 0.84, 2.04];
        for (share, percent) in shares(&names, &rows).iter().zip(published) {
            assert!((share * 100.0 - percent).abs() < 0.006, "{share} {percent}");
        }
    }

    #[test]
    fn periodic_chains_transient_starts_and_ends_of_sessions() {
        assert_eq!(shares(&["a", "b"], &[&[0.0, 1.0], &[1.0, 0.0]]), [0.5, 0.5]);
        assert_eq!(shares(&["login", "read"], &[&[0.0, 1.0], &[0.0, 1.0]]), [0.0, 1.0]);
        // A session is one a and a geometric number of b, mean 1 / 0.25.
        let [a, b] = shares(&["a", "b"], &[&[0.0, 1.0, 0.0], &[0.0, 0.75, 0.25]])[..] else { panic!() };
        assert!((a - 0.2).abs() < 1e-12 && (b - 0.8).abs() < 1e-12);
    }

    #[test]
    fn shares_of_a_walk_match_the_stationary_ones() {
        let names = ["a", "b", "c"];
        let rows: [&[f64]; 3] = [&[0.1, 0.5, 0.3, 0.1], &[0.6, 0.0, 0.4, 0.0], &[0.2, 0.2, 0.5, 0.1]];
        let walked = mix(&names, &rows).unwrap();
        let mut rng = Rng::new(9);
        let (mut at, mut seen) = (0, [0u64; 3]);
        for _ in 0..300_000 {
            seen[at] += 1;
            at = if let Next::Operation(next) = walked.next(at, &mut rng) { next } else { 0 };
        }
        for (count, share) in seen.iter().zip(shares(&names, &rows)) {
            // Steps are correlated; five standard deviations of independent ones are wide enough here.
            let around = wilson(*count, 300_000, 0.999_999_4);
            assert!((around.low..=around.high).contains(&share), "{share} {around:?}");
        }
    }

    #[test]
    fn refusals() {
        let said = |rows: &[&[f64]], part: &str| {
            let names = ["a", "b"];
            let why = mix(&names, rows).and_then(|m| m.stationary(&names, 0)).unwrap_err().to_string();
            assert!(why.contains(part), "{why}");
        };
        said(&[&[0.5, 0.4], &[1.0, 0.0]], "row `a`: sums to 0.9");
        said(&[&[1.5, -0.5], &[1.0, 0.0]], "`a` has the probability 1.5");
        said(&[&[1.0, 0.0]], "no row for operation `b`");
        let caught: [&[f64]; 3] = [&[0.0, 0.5, 0.5], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
        let names = ["a", "b", "c"];
        assert!(
            mix(&names, &caught)
                .unwrap()
                .stationary(&names, 0)
                .unwrap_err()
                .to_string()
                .contains("no long-run shares")
        );
    }
}
