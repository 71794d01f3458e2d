//! Uniformization: a Poisson number of jumps of a discrete chain, one sparse product a jump.
//!
//! Values are carried from the horizon backwards, v ← P·v. Then the largest value never rises and the
//! smallest never falls, so once they agree every later value lies between them: detection of the steady
//! state that cannot be fooled, whatever the chain.

use crate::budget;
use crate::chain::Chain;
use crate::double::Double;
use crate::doubling::Values;
use crate::error::{Result, refuse};
use crate::poisson::Poisson;
use crate::rounding::{Loss, upwards};
use crate::slices::Slices;

/// Jumps a unit of time over the fastest exit: each state stays now and then, so that values of a chain that
/// would only turn round agree in the end, too; for a sixty-fourth more products than jumps.
const MARGIN: f64 = 1.015625;

/// More jumps than this have no probabilities of small relative error.
const MOST_JUMPS: f64 = 1e12;

/// Errors: a horizon of more jumps than can be followed.
pub fn check(chain: &Chain, time: f64) -> Result<()> {
    let jumps = jumps(chain, time);
    if jumps > MOST_JUMPS {
        return refuse(format!("{jumps:.1e} jumps are expected until {time:e}: more than can be followed"));
    }
    Ok(())
}

/// How many jumps a horizon takes.
pub fn jumps(chain: &Chain, time: f64) -> f64 {
    chain.fastest() * MARGIN * time
}

/// Expected value of `reward` at `time`, by initial state; 0 of the others.
pub fn value(chain: &Chain, reward: &[f64], time: f64, precision: f64) -> Result<Values> {
    walk(chain, reward, time, precision, Weighing::At, initial(chain))
}

/// The mean of `reward` until `time`, by initial state; 0 of the others.
pub fn accumulated(chain: &Chain, reward: &[f64], time: f64, precision: f64) -> Result<Values> {
    walk(chain, reward, time, precision, Weighing::Until, initial(chain))
}

/// Expected value of `reward` at `time`, by starting state: each of them.
pub fn value_from_each(chain: &Chain, reward: &[f64], time: f64, precision: f64) -> Result<Values> {
    walk(chain, reward, time, precision, Weighing::At, (0..chain.states()).collect())
}

fn initial(chain: &Chain) -> Vec<usize> {
    chain.initial().iter().map(|each| each.0).collect()
}

/// What one jump loses, where a state has up to `widest` ways in or out, and one addition of what it is
/// worth.
///
/// A share is a quotient, staying one more (`stay`); then each has a product and up to `widest` additions.
fn jump_loss(widest: usize) -> Loss {
    Loss::roundings(widest as f64 + 6.0)
}

/// Jumps that can add no more than this share of the precision to the answer are not followed: so little,
/// because what they might add is weighed by the largest reward of all, which may be far from the kept
/// states.
const NEGLIGIBLE: f64 = 1e-6;

#[derive(Clone, Copy, PartialEq)]
enum Weighing {
    At,
    Until,
}

fn walk(
    chain: &Chain,
    reward: &[f64],
    time: f64,
    precision: f64,
    weighing: Weighing,
    asked: Vec<usize>,
) -> Result<Values> {
    let mean = jumps(chain, time);
    if mean == 0.0 {
        // Nothing ever moves, or so little that it is underflow.
        return Ok(Values { values: reward.to_vec(), loss: Loss::default(), missing: 0.0 });
    }
    let poisson = Poisson::new(mean);
    let ladder = Ladder::new(&poisson, weighing, mean);
    let backwards = Pace::new(chain).backwards()?;
    let mut values = backwards.arranged(reward);
    let mut next = values.clone();
    let mut result = vec![0.0; reward.len()];
    let most = reward.iter().copied().fold(0.0, f64::max);
    let (mut flat, mut missing) = (Loss::default(), poisson.missing);
    let mut done = 0;
    budget::stage("following jumps one by one");
    while done < ladder.end {
        budget::check()?;
        let weight = ladder.weight(done);
        if weight > 0.0 {
            asked.iter().for_each(|&state| result[state] += weight * values[backwards.place(state)]);
        }
        done += 1;
        let (low, high) = backwards.step(&values, &mut next);
        std::mem::swap(&mut values, &mut next);
        if low > 0.0 && high - low <= precision / 16.0 * low {
            let rest = ladder.after(done);
            asked.iter().for_each(|&state| result[state] += rest * low);
            flat = Loss::relative((high / low - 1.0).max(0.0).next_up() + f64::EPSILON);
            break;
        }
        // No later value is larger than `high`; twice that is more than rounding can have hidden.
        let rest = 2.0 * ladder.after(done) * high;
        let so_far = || chain.initial().iter().map(|&(state, share)| share * result[state]).sum::<f64>();
        if most > 0.0 && done as f64 > mean && rest <= NEGLIGIBLE * precision * so_far() {
            missing = upwards(missing + rest / most, 8.0);
            break;
        }
    }
    let steps = done as f64;
    // The sum over jumps has one addition in `jump_loss`; the sums of weights have two for each.
    let weights = Loss::roundings(2.0 * poisson.weights.len() as f64 + 8.0) + poisson.loss;
    let loss = jump_loss(chain.widest()) * steps + weights + flat;
    Ok(Values { values: result, loss, missing })
}

/// What each number of jumps counts for.
struct Ladder {
    first: usize,
    end: usize,
    /// Until `first` all count the same.
    before: f64,
    weights: Vec<f64>,
    /// Sum of all weights from a position on.
    after: Vec<f64>,
}

impl Ladder {
    fn new(poisson: &Poisson, weighing: Weighing, mean: f64) -> Self {
        // P[j + 1 jumps] / mean = P[j jumps] / (j + 1), which holds its digits where next to nothing is
        // expected.
        let share = |(at, weight): (usize, &f64)| weight / (poisson.first + at + 1) as f64;
        let mut tails: Vec<f64> = poisson.weights.iter().enumerate().map(share).collect();
        for at in (0..tails.len() - 1).rev() {
            tails[at] += tails[at + 1];
        }
        let (before, weights) = match weighing {
            Weighing::At => (0.0, poisson.weights.clone()),
            // A jump's value lasts one sojourn, of a share of 1/mean, if more jumps than that happen.
            Weighing::Until => (1.0 / mean, tails),
        };
        let mut after = weights.clone();
        for at in (0..after.len() - 1).rev() {
            after[at] += after[at + 1];
        }
        Self { first: poisson.first, end: poisson.first + weights.len(), before, weights, after }
    }

    fn weight(&self, jumps: usize) -> f64 {
        if jumps < self.first { self.before } else { self.weights[jumps - self.first] }
    }

    fn after(&self, jumps: usize) -> f64 {
        if jumps < self.first {
            return self.after[0] + self.before * (self.first - jumps) as f64;
        }
        self.after.get(jumps - self.first).copied().unwrap_or(0.0)
    }
}

/// The jump chain: each jump leads on or stays.
struct Pace<'a> {
    chain: &'a Chain,
    /// Jumps a unit of time.
    pace: f64,
}

impl<'a> Pace<'a> {
    fn new(chain: &'a Chain) -> Self {
        Self { chain, pace: chain.fastest() * MARGIN }
    }

    /// One jump of values: v ← P·v.
    fn backwards(&self) -> Result<Slices> {
        let row = |state: usize| self.chain.row(state).map(|(to, rate)| (to, rate / self.pace));
        Slices::new(self.chain.states(), |state| self.stay(state), row)
    }

    /// One jump of a distribution: p ← p·P; and how many ways lead into the state that has most.
    fn forwards(&self) -> Result<(Slices, usize)> {
        let mut entrants = vec![Vec::new(); self.chain.states()];
        for from in 0..self.chain.states() {
            self.chain.row(from).for_each(|(to, rate)| entrants[to].push((from, rate / self.pace)));
        }
        let widest = entrants.iter().map(Vec::len).max().unwrap_or(0);
        let row = |state: usize| entrants[state].iter().copied();
        Ok((Slices::new(self.chain.states(), |state| self.stay(state), row)?, widest))
    }

    /// Probability of staying, to within three roundings: the exit has two words, so that what is left of the
    /// pace keeps its digits.
    fn stay(&self, state: usize) -> f64 {
        let exit = self.chain.row(state).fold(Double::default(), |total, each| total + each.1.into());
        let rest = Double::exact_sum(self.pace, -exit.high);
        (rest.high + (rest.low - exit.low)) / self.pace
    }
}

/// The distribution at `time`, forwards.
pub fn distribution(chain: &Chain, time: f64) -> Result<Values> {
    let mut start = vec![0.0; chain.states()];
    chain.initial().iter().for_each(|&(state, share)| start[state] = share);
    let mean = jumps(chain, time);
    if mean == 0.0 {
        return Ok(Values { values: start, loss: Loss::default(), missing: 0.0 });
    }
    let poisson = Poisson::new(mean);
    let (forwards, widest) = Pace::new(chain).forwards()?;
    let mut shares = forwards.arranged(&start);
    let mut next = shares.clone();
    let mut result = vec![0.0; start.len()];
    budget::stage("following jumps one by one");
    for done in 0..poisson.first + poisson.weights.len() {
        budget::check()?;
        if done >= poisson.first {
            let weight = poisson.weights[done - poisson.first];
            let totals = result.iter_mut().enumerate();
            totals.for_each(|(state, total)| *total += weight * shares[forwards.place(state)]);
        }
        forwards.step(&shares, &mut next);
        std::mem::swap(&mut shares, &mut next);
    }
    let steps = (poisson.first + poisson.weights.len()) as f64;
    let loss = jump_loss(widest) * steps + poisson.loss + Loss::roundings(8.0);
    Ok(Values { values: result, loss, missing: poisson.missing })
}

#[cfg(test)]
mod tests {
    use super::{accumulated, value};
    use crate::chain::Chain;

    #[test]
    fn jumps_that_are_not_followed_are_in_the_bounds() {
        // A queue that is far from settled.
        let arrive = (0..30).map(|state| (state, state + 1, 1.0));
        let serve = (0..30).map(|state| (state + 1, state, 1.5));
        let chain = Chain::new(31, arrive.chain(serve).collect(), vec![(0, 1.0)]).unwrap();
        let full: Vec<f64> = (0..31).map(|state| f64::from(u8::from(state >= 8))).collect();
        for ask in [value, accumulated] {
            let fine = ask(&chain, &full, 20.0, 1e-12).unwrap();
            let coarse = ask(&chain, &full, 20.0, 1e-2).unwrap();
            let (low, truth) = (coarse.values[0], fine.values[0]);
            assert!(coarse.missing > fine.missing && coarse.missing < 1e-4 * truth, "{}", coarse.missing);
            assert!(low < truth && truth < low + coarse.missing, "{low} {truth} {}", coarse.missing);
        }
    }
}
