//! How much of its start a chain still remembers after a long time: a bound from few states.
//!
//! Let V > 0 with Q·V <= −c·V everywhere but in one often seen state, home, where b is added. Then no state
//! keeps the chain away from home for long, and over a time s, with γ = exp(−cs) and K = (1 − γ)·b/c,
//!
//! ```text
//! exp(Qs)·V <= γ·V + K
//! ```
//!
//! If besides from every state with V <= R the chain is at home after s with probability α or more, then two
//! chains started anywhere draw nearer by a factor each s (Hairer and Mattingly, 2011): for 0 < α' < α, β =
//! α'/K, γ' = γ + 2K/R
//!
//! ```text
//! ρ = max(1 − α + α', (2 + Rβγ')/(2 + Rβ)),   |E[u at n·s] − mean of u| <= ρⁿ · max u/(1 + βV) · (2 + βV(start) + β·b/c)
//! ```
//!
//! V is near E[exp(c · time until home)], from one linear system; c and b are read off it, row by row. α is
//! found on the states with V <= R alone: a path that leaves them counts as lost.

use crate::chain::Chain;
use crate::error::Result;
use crate::rounding::{Loss, UNDERFLOW, gamma, upwards};
use crate::sweep::Frame;
use crate::uniformization;

/// c times the horizon, as tried.
const RATES: [f64; 3] = [800.0, 400.0, 200.0];

/// R in units of b/c: more than two.
const LEVEL: f64 = 3.0;

/// c·s.
const STEP: f64 = 2.0;

/// Multiplications that a bound on α is worth.
const PATIENCE: f64 = 2e8;

/// Roundings of a formula, where the exponential of up to `STEP` errs by a few units.
const FORMULA: f64 = 64.0;

/// A bound on |E[u at `time`] − long-run mean of u|, for u = `extra` >= 0 by state of the chain; none where
/// it is not known to be `tolerance` or less.
///
/// Errors: the budget is spent.
pub fn remembered(
    chain: &Chain,
    frame: &Frame,
    extra: &[f64],
    time: f64,
    tolerance: f64,
) -> Result<Option<f64>> {
    for rate in RATES {
        let Some(drift) = Drift::new(frame, rate / time)? else { continue };
        let steps = (drift.rate * time / STEP).floor();
        let level = LEVEL * drift.mean;
        let Some(likely) = drift.home_again(chain, frame, level, time / steps)? else { continue };
        let kept = Kept { steps, step: time / steps, level, likely };
        let found = drift.after(&kept, chain, frame, extra);
        if found <= tolerance {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// V in the order of the sweeps, with what is certain of it.
struct Drift {
    weights: Vec<f64>,
    /// c.
    rate: f64,
    /// b/c, which bounds the long-run mean of V.
    mean: f64,
}

/// What `likely` (α) is: the least probability of home after a step, where V is up to `level` (R).
struct Kept {
    steps: f64,
    step: f64,
    level: f64,
    likely: f64,
}

impl Drift {
    /// With a rate of nearly `rate`; none where the chain comes home too slowly.
    fn new(frame: &Frame, rate: f64) -> Result<Option<Self>> {
        let Some(swept) = frame.swept.growing(rate) else { return Ok(None) };
        let mut away = vec![1.0; frame.order.len()];
        away[0] = 0.0;
        let found = swept.solve(&away, 0, |_| 1e-3)?;
        let (sigma, home) = (swept.sigma(), found[0]);
        let scale = rate / (1.0 - sigma * home + rate * home);
        let weights: Vec<f64> = found.iter().map(|each| 1.0 + scale * (each - home)).collect();
        if !weights.iter().all(|weight| weight.is_finite() && *weight >= 0.5) {
            return Ok(None);
        }
        // Upper bounds on Q·V.
        let mut flows = frame.swept.rows().zip(&weights).map(|((earlier, later), &here)| {
            let operations = 4.0 * ((earlier.len() + later.len()) as f64 + 4.0);
            let (mut flow, mut size) = (0.0, 0.0);
            for &(to, rate) in earlier.iter().chain(later) {
                let there = weights[to as usize];
                flow += rate * (there - here);
                size += rate * (there + here);
            }
            (flow + upwards(size * gamma(operations), operations)).next_up()
        });
        let at_home = flows.next().unwrap_or_default();
        // An overflow on the way leaves no number, of which nothing is known.
        let least = |least: f64, each: f64| if each.is_nan() { 0.0 } else { least.min(each) };
        let slowest = flows.zip(&weights[1..]).map(|(flow, weight)| -flow / weight).fold(rate, least);
        if !at_home.is_finite() {
            return Ok(None);
        }
        let certain = slowest * Loss::roundings(2.0).least();
        let mean = upwards((at_home / certain + weights[0]).max(weights[0]), FORMULA);
        Ok((certain > rate / 2.0).then_some(Self { weights, rate: certain, mean }))
    }

    /// The least probability of being at home after `step`, from any state with a weight of `level` or less.
    fn home_again(&self, chain: &Chain, frame: &Frame, level: f64, step: f64) -> Result<Option<f64>> {
        let mut number = vec![u32::MAX; chain.states()];
        let near: Vec<usize> = (0..self.weights.len())
            .filter(|&at| self.weights[at] <= level)
            .map(|at| frame.order[at])
            .collect();
        near.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
        let mut small = Chain::empty(near.len() + 1, 0);
        for &state in &near {
            let to = |to: usize| number[to].min(near.len() as u32);
            let mut row = chain.row(state).map(|each| (to(each.0), each.1)).collect();
            small.append_ending(&mut row, near.len() as u32);
        }
        small.append(&mut Vec::new());
        let small = small.started(vec![(0, 1.0)])?;
        let work = uniformization::jumps(&small, step) * (small.transitions() + small.states()) as f64;
        if work > PATIENCE {
            return Ok(None);
        }
        let mut home = vec![0.0; small.states()];
        home[0] = 1.0;
        let found = uniformization::value_from_each(&small, &home, step, 1e-3)?;
        let least = found.values[..near.len()].iter().copied().fold(1.0, f64::min);
        Ok(Some(((least * found.loss.least()).next_down() - UNDERFLOW).next_down().max(0.0)))
    }

    /// The bound after so many steps; the best of some α'.
    fn after(&self, kept: &Kept, chain: &Chain, frame: &Frame, extra: &[f64]) -> f64 {
        let &Kept { steps, step, level, likely } = kept;
        let left = upwards((-self.rate * step).exp(), FORMULA);
        let bound = upwards(self.mean * (1.0 - (-self.rate * step).exp()), FORMULA);
        let slower = upwards(left + 2.0 * bound / level, FORMULA);
        let candidates = (1..32).map(|part| likely * f64::from(part) / 32.0);
        let rated = candidates.map(|used| {
            let beta = used / bound;
            let weight = level * beta;
            let ratio = (1.0 - likely + used).max((2.0 + weight * slower) / (2.0 + weight));
            let ratio = upwards(ratio, FORMULA);
            (ratio, beta)
        });
        let (ratio, beta) = rated.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((1.0, 0.0));
        let by_weight = frame.order.iter().zip(&self.weights);
        let size = by_weight.map(|(&state, weight)| extra[state] / (1.0 + beta * weight)).fold(0.0, f64::max);
        let mut weights = vec![0.0; chain.states()];
        frame.order.iter().zip(&self.weights).for_each(|(&state, &weight)| weights[state] = weight);
        let start: f64 = chain.initial().iter().map(|&(state, share)| share * weights[state]).sum();
        // Of the start: a product for each state, one after the other.
        let roundings = FORMULA + chain.states() as f64;
        upwards(ratio.powf(steps) * size * (2.0 + beta * (start + self.mean)), roundings)
    }
}

#[cfg(test)]
mod tests {
    use super::{Drift, Kept, remembered};
    use crate::chain::Chain;
    use crate::sweep::Frame;

    /// A queue of up to `last` customers that starts full; u is the number of customers.
    fn queue(last: usize, arrive: f64, serve: f64) -> (Chain, Vec<f64>) {
        let up = (0..last).map(|state| (state, state + 1, arrive));
        let down = (0..last).map(|state| (state + 1, state, serve));
        let chain = Chain::new(last + 1, up.chain(down).collect(), vec![(last, 1.0)]).unwrap();
        (chain, (0..=last).map(|state| state as f64).collect())
    }

    #[test]
    fn a_queue_forgets_that_it_was_full_and_not_too_soon() {
        let (chain, customers) = queue(6, 0.5, 1.0);
        let members: Vec<usize> = (0..chain.states()).collect();
        let frame = Frame::new(&chain, &members);
        let mean = crate::long_run(&chain, &customers, &crate::Options::default()).unwrap().enclosure.mid();
        let mut close = 0;
        for (steps, step) in [(1.0, 1.0), (1.0, 5.0), (2.0, 5.0), (3.0, 10.0), (20.0, 10.0), (40.0, 40.0)] {
            let drift = Drift::new(&frame, 0.06).unwrap().unwrap();
            let level = 4.0 * drift.mean;
            let likely = drift.home_again(&chain, &frame, level, step).unwrap().unwrap();
            let bound = drift.after(&Kept { steps, step, level, likely }, &chain, &frame, &customers);
            let options = crate::Options::default();
            let now = crate::reward_at(&chain, &customers, steps * step, &options).unwrap().enclosure;
            let parted = (now.low - mean).max(mean - now.high);
            assert!(bound >= parted, "{steps} of {step}: {bound} {parted}");
            close += usize::from(bound < 1e-2);
        }
        assert!(close >= 1, "{close}");
        assert!(remembered(&chain, &frame, &customers, 1e4, 1e-6).unwrap().is_some());
        assert!(remembered(&chain, &frame, &customers, 1.0, 1e-6).unwrap().is_none());
    }
}
