//! Grassmann–Taksar–Heyman elimination on sparse rows: nothing is subtracted, so small numbers keep their
//! digits.
//!
//! To eliminate state k is to watch the chain only while it is elsewhere: a visit to k becomes a jump from
//! where it was entered to where it is left. A rate is a sum of products of rates, never a difference.
//!
//! # The error bound
//! Every number computed is the exact one of a chain whose rates out of k's predecessors differ by a factor 1
//! ± δ. By the matrix-tree theorem a stationary probability, or an expected reward until absorption, is a
//! ratio of sums of products that take at most one rate from each state. One elimination thus changes the
//! answer by at most ((1 + δ) / (1 − δ)) to the number of predecessors, and the factors multiply.
//!
//! Underflow is followed apart. What it took from all rates of a row together moves with the row: a visit
//! that becomes a jump brings its share of what the visited row has lost, and a lost way in is a lost way on.
//! Where that is not far below the rates themselves, nothing is claimed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::budget;
use crate::chain::Chain;
use crate::error::{Result, refuse};
use crate::rounding::{Loss, ROUNDING, share, sum};

/// Roundings in one rate of the smaller chain: the sum (3), a quotient, a product, a sum; and one to spare.
const DELTA: f64 = 7.0;

/// Smaller products may have lost digits: up to `TINIEST` each.
pub const FAINT: f64 = f64::MIN_POSITIVE / f64::EPSILON;
pub const TINIEST: f64 = f64::MIN_POSITIVE * f64::EPSILON;

/// What underflow may take of a number that is said to have lost nothing by it: far enough below a rounding
/// that the roundings of this account do not matter.
pub const NOTHING: f64 = ROUNDING / 1e6;

/// Rates among the states not yet eliminated, and from them to absorbing columns (numbers from `states` on).
pub struct Elimination {
    rows: Vec<Vec<(u32, f64)>>,
    /// Who may enter a state; some may have lost their transition again.
    entrants: Vec<Vec<u32>>,
    gone: Vec<bool>,
    /// Non-negative quantities earned per unit of time, `width` to a state.
    rewards: Vec<f64>,
    width: usize,
    /// `spread[j]` is where column j is in the row under construction, plus one.
    spread: Vec<u32>,
    /// All roundings, in numerator and denominator.
    roundings: f64,
    /// What underflow took of all rates of a row together, and of rewards; whether it was too much somewhere.
    lost: Vec<f64>,
    unearned: Vec<f64>,
    broken: bool,
    /// Numbers moved since somebody looked at the clock, and transitions made.
    work: usize,
    fill: usize,
}

/// Numbers moved between two looks at the clock, and bytes of a transition with its entrant, while vectors
/// grow.
const LOOK: usize = 1 << 20;
const BYTES: usize = 40;

/// What is needed to find an eliminated state's probability from the others'.
pub struct Eliminated {
    /// The state.
    pub state: usize,
    /// Total rate out of it when it was eliminated.
    pub exit: f64,
    /// Who entered it, at which rate.
    pub entrants: Vec<(u32, f64)>,
    /// What it led to, at which rate.
    pub row: Vec<(u32, f64)>,
    /// What underflow may have taken of any rate into it.
    pub lost: f64,
}

impl Elimination {
    /// All states of `chain` and `columns` more to be absorbed in, with `width` rewards a state.
    pub fn new(chain: &Chain, columns: usize, rewards: Vec<f64>, width: usize) -> Self {
        let states = chain.states();
        let rows: Vec<Vec<(u32, f64)>> =
            (0..states).map(|state| chain.row(state).map(|(to, rate)| (to as u32, rate)).collect()).collect();
        let mut entrants = vec![Vec::new(); states + columns];
        for (from, row) in rows.iter().enumerate() {
            for &(to, _) in row {
                entrants[to as usize].push(from as u32);
            }
        }
        let rewards_count = rewards.len();
        Self {
            rows,
            entrants,
            gone: vec![false; states],
            rewards,
            width,
            spread: vec![0; states + columns],
            roundings: 0.0,
            lost: vec![0.0; states],
            unearned: vec![0.0; rewards_count],
            broken: false,
            work: 0,
            fill: 0,
        }
    }

    /// Redirects what `state` sends to `from` into column `to`; used before anything is eliminated.
    pub fn redirect(&mut self, from: usize, to: usize) {
        for entrant in std::mem::take(&mut self.entrants[from]) {
            let row = &mut self.rows[entrant as usize];
            let at =
                row.iter().position(|each| each.0 as usize == from).expect("an entrant has a transition");
            let (_, rate) = row.swap_remove(at);
            match row.iter_mut().find(|each| each.0 as usize == to) {
                // Two parallel rates become one: a relative rounding on this row only.
                Some(each) => {
                    each.1 += rate;
                    self.roundings += 2.0 * DELTA;
                }
                None => {
                    row.push((to as u32, rate));
                    self.entrants[to].push(entrant);
                }
            }
        }
    }

    /// Eliminates `states`, those with the fewest ways through first; in that order.
    ///
    /// Errors: the budget is spent, the memory would not suffice.
    pub fn run(&mut self, states: &[usize]) -> Result<Vec<Eliminated>> {
        let mut done = Vec::with_capacity(states.len());
        self.run_while(states, |each| {
            done.push(each);
            true
        })?;
        Ok(done)
    }

    /// As `run`, each handed to `next` until that says to stop.
    pub fn run_while(&mut self, states: &[usize], mut next: impl FnMut(Eliminated) -> bool) -> Result<()> {
        budget::stage("eliminating states");
        let mut queue: BinaryHeap<_> =
            states.iter().map(|&state| Reverse((self.cost(state), state))).collect();
        while let Some(Reverse((cost, state))) = queue.pop() {
            let now = self.cost(state);
            // Costs change as neighbours go; a stale entry goes back with what it costs now.
            if now > cost {
                queue.push(Reverse((now, state)));
                continue;
            }
            if !next(self.eliminate(state)?) {
                break;
            }
        }
        Ok(())
    }

    fn cost(&self, state: usize) -> usize {
        self.entrants[state].len() * self.rows[state].len()
    }

    /// Eliminates one state. Errors as `run`.
    pub fn eliminate(&mut self, state: usize) -> Result<Eliminated> {
        let row = std::mem::take(&mut self.rows[state]);
        let exit = sum(row.iter().map(|each| each.1));
        let mut entrants = Vec::new();
        self.broken |= self.lost[state] > exit * NOTHING;
        let mut lost = 0.0_f64;
        for from in std::mem::take(&mut self.entrants[state]) {
            if self.gone[from as usize] {
                continue;
            }
            let sources = &mut self.rows[from as usize];
            let Some(at) = sources.iter().position(|each| each.0 as usize == state) else { continue };
            let (_, rate) = sources.swap_remove(at);
            entrants.push((from, rate));
            self.work += 16 + row.len() + self.rows[from as usize].len();
            if self.work > LOOK {
                self.look()?;
            }
            let factor = rate / exit;
            let faint = self.bridge(from, factor, &row);
            lost = lost.max(self.lost[from as usize]);
            for each in 0..self.width {
                let (here, there) = (state * self.width + each, from as usize * self.width + each);
                self.rewards[there] += factor * self.rewards[here];
                let way = share(share(self.lost[from as usize], 1.0 / exit), self.rewards[here]);
                self.unearned[there] += share(self.unearned[here], factor) + way + faint;
            }
            let quotient = if factor < f64::MIN_POSITIVE { TINIEST * exit } else { 0.0 };
            self.lost[from as usize] += share(self.lost[state], factor) + faint + quotient;
        }
        self.gone[state] = true;
        // One more row for the reward column.
        self.roundings += 2.0 * DELTA * (entrants.len() + 1) as f64;
        Ok(Eliminated { state, exit, entrants, row, lost })
    }

    /// Whether to go on, asked every few milliseconds.
    fn look(&mut self) -> Result<()> {
        self.work = 0;
        budget::check()?;
        let bytes = self.fill * BYTES;
        if bytes <= budget::bytes() {
            return Ok(());
        }
        let gib = bytes as f64 / f64::from(1 << 30);
        refuse(format!("eliminating states fills more than the {gib:.2} GiB that may be used"))
    }

    /// Adds `factor` times `row` to the row of `from`, without the loop; what underflow may have taken.
    fn bridge(&mut self, from: u32, factor: f64, row: &[(u32, f64)]) -> f64 {
        let mut lost = 0.0;
        let target = &mut self.rows[from as usize];
        for (at, &(to, _)) in target.iter().enumerate() {
            self.spread[to as usize] = at as u32 + 1;
        }
        for &(to, rate) in row {
            if to == from {
                continue;
            }
            if factor * rate < FAINT {
                lost += TINIEST;
            }
            match self.spread[to as usize] {
                0 => {
                    self.fill += 1;
                    target.push((to, factor * rate));
                    self.entrants[to as usize].push(from);
                }
                at => target[at as usize - 1].1 += factor * rate,
            }
        }
        for &(to, _) in target.iter() {
            self.spread[to as usize] = 0;
        }
        lost
    }

    /// What is left of the transitions of a state that was not eliminated.
    pub fn row(&self, state: usize) -> &[(u32, f64)] {
        &self.rows[state]
    }

    /// A reward of a state that was not eliminated.
    pub fn reward(&self, state: usize, which: usize) -> f64 {
        self.rewards[state * self.width + which]
    }

    /// What is lost by whatever is a ratio of two such sums of products.
    pub fn loss(&self) -> Loss {
        if self.broken { Loss::TOTAL } else { Loss::roundings(self.roundings + 8.0) }
    }

    /// What underflow took of the rates of a state that was not eliminated.
    pub fn lost(&self, state: usize) -> f64 {
        self.lost[state]
    }

    /// Whether underflow left a state that was not eliminated its rewards and the sum of its rates.
    pub fn intact(&self, state: usize) -> bool {
        let rates = sum(self.rows[state].iter().map(|each| each.1));
        let own = state * self.width..(state + 1) * self.width;
        let kept = |(lost, reward): (&f64, &f64)| *lost <= reward * NOTHING;
        self.lost[state] <= rates * NOTHING
            && self.unearned[own.clone()].iter().zip(&self.rewards[own]).all(kept)
    }
}
