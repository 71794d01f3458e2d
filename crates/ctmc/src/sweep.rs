//! Long-run means of large chains: a potential from an iteration, and bounds that hold for any potential.
//!
//! For any vector h the stationary mean of Q·h is zero. So the long-run mean of a reward r is also that of
//! r + Q·h, and lies between the least and the greatest of its entries. The nearer h is to the potential of
//! the reward, the nearer these are. How h was found does not matter: the bounds are read off at the end,
//! with the rounding of that one product.
//!
//! h is found in working precision and corrected until it fits: what it still misses, r + Q·h less its mean,
//! is the right side of the next system. States from which the return takes days would drown a mean of a
//! millionth in rounding: hence h has two words a number.

use crate::chain::Chain;
use crate::double::{self, Double};
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::krylov::{Swept, largest};
use crate::ordering::{often_seen, outwards};
use crate::rounding::{gamma, upwards};

/// Corrections in all, and those that may pass without bringing anything.
const CORRECTIONS: usize = 30;
const FUTILE: usize = 4;

/// A potential, and what it says.
pub struct Potential {
    /// Bounds on every entry of r + Q·h, and so on the long-run mean.
    pub mean: Enclosure,
    /// h, in the order of the sweeps.
    pub values: Vec<Double>,
}

/// A potential of `reward` in the one bottom component `members`, with bounds as close as `precision` if it
/// can.
pub fn potential(chain: &Chain, members: &[usize], reward: &[f64], precision: f64) -> Result<Potential> {
    if let [only] = members {
        return Ok(Potential { mean: Enclosure::exact(reward[*only]), values: vec![Double::default()] });
    }
    Frame::new(chain, members).potential(reward, |mean| precision * mean)
}

/// The states of a component in an order that suits the sweeps: the first is often seen.
pub struct Frame {
    /// The states, numbered as in the chain.
    pub order: Vec<usize>,
    /// Their rates, numbered as in the order.
    pub swept: Swept,
}

impl Frame {
    /// Of a component that is never left, of more than one state.
    pub fn new(chain: &Chain, members: &[usize]) -> Self {
        let started =
            chain.initial().iter().map(|each| each.0).find(|state| members.binary_search(state).is_ok());
        let home = often_seen(chain, started.unwrap_or(members[0]));
        let mut order = outwards(chain, home);
        order.retain(|state| members.binary_search(state).is_ok());
        let swept = Swept::new(chain, &order);
        Self { order, swept }
    }

    /// A potential of `reward` (by state of the chain), with bounds as close as `width` of the mean if it
    /// can.
    pub fn potential(&self, reward: &[f64], width: impl Fn(f64) -> f64) -> Result<Potential> {
        let swept = &self.swept;
        let reward: Vec<f64> = self.order.iter().map(|&state| reward[state]).collect();
        let mut values = vec![Double::default(); reward.len()];
        let (mut mean, mut missed) = read_off(swept, &reward, &values);
        let (mut size, mut futile) = (largest(&missed), 0);
        for _ in 0..CORRECTIONS {
            if mean.high - mean.low <= width(mean.high) || futile == FUTILE {
                break;
            }
            let before = swept.sigma() * values[0].high;
            let more = swept.solve(&missed, futile, |more| width((before + more).abs()) / 8.0)?;
            let added = |(&before, &more): (&Double, &f64)| before + more.into();
            let tried: Vec<Double> = values.iter().zip(&more).map(added).collect();
            let (found, missing) = read_off(swept, &reward, &tried);
            let now = largest(&missing);
            futile = if now <= size / 2.0 { 0 } else { futile + 1 };
            if now < size {
                (values, mean, missed, size) = (tried, found, missing, now);
            }
        }
        Ok(Potential { mean, values })
    }
}

/// Least and greatest entry of r + Q·h, each moved outwards by all that rounding can have done to it; and all
/// entries, less σ·h₀.
fn read_off(swept: &Swept, reward: &[f64], potential: &[Double]) -> (Enclosure, Vec<f64>) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mean = potential[0].scaled(swept.sigma());
    let mut missing = Vec::with_capacity(reward.len());
    for (((earlier, later), &reward), &here) in swept.rows().zip(reward).zip(potential) {
        // An operation errs by a few units of the larger operand; `size` is that of all together.
        let operations = 16.0 * ((earlier.len() + later.len()) as f64 + 4.0);
        let (mut value, mut size) = (Double::from(reward), reward);
        for &(to, rate) in earlier.iter().chain(later) {
            let there = potential[to as usize];
            value = value + (there - here).scaled(rate);
            size += rate * (there.high.abs() + here.high.abs());
        }
        let error = size * double::gamma(operations) + value.high.abs() * gamma(2.0);
        let error = upwards(error, operations) + f64::MIN_POSITIVE;
        (low, high) = (low.min((value.high - error).next_down()), high.max((value.high + error).next_up()));
        missing.push((value - mean).high);
    }
    (Enclosure { low: low.max(0.0), high }, missing)
}
