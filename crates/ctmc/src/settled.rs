//! Long horizons of chains that settle: what is accumulated until then, from the long run and a short walk.
//!
//! With a potential h of the reward r, Q·h = g − r, and u = h − min h >= 0,
//!
//! ```text
//! sum until T = g·T + E[u at the start] − E[u at T]
//! ```
//!
//! g is known from bounds on r + Q·h alone. E[u at T] is small beside g·T and needs few digits: it is the
//! mean of u in the long run, where the chain provably forgets its start (`forgetting.rs`), or comes of a
//! walk (`walking.rs`).

use crate::chain::Chain;
use crate::double;
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::forgetting::remembered;
use crate::rounding::{gamma, sum, upwards};
use crate::structure::bottoms;
use crate::sweep::Frame;
use crate::walking::Walk;

/// Fewer jumps than this until the horizon are as well followed one by one, all of them.
const FEW_JUMPS: f64 = 20_000.0;

/// How E[u at T] is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// As the mean of u in the long run, where the chain provably forgets its start.
    Forgetting,
    /// Jump by jump: of more chains, and slower.
    Walking,
}

/// What `reward` accumulates until `time`; none when the chain may end in several ways or settles too slowly.
///
/// Errors: the budget is spent.
pub fn accumulated(
    chain: &Chain,
    reward: &[f64],
    time: f64,
    precision: f64,
    way: Way,
) -> Result<Option<Enclosure>> {
    if chain.fastest() * time < FEW_JUMPS {
        return Ok(None);
    }
    let all = bottoms(chain);
    let [members] = &all[..] else { return Ok(None) };
    if chain.initial().iter().any(|each| members.binary_search(&each.0).is_err()) {
        return Ok(None);
    }
    if members.len() < 2 {
        return Ok(None);
    }
    let frame = Frame::new(chain, members);
    let found = frame.potential(reward, |mean| precision / 4.0 * mean)?;
    if found.mean.relative_width() > precision / 2.0 {
        return Ok(None);
    }
    let least = found.values.iter().copied().reduce(|a, b| if (b - a).high < 0.0 { b } else { a });
    let least = least.unwrap_or_default();
    let mut extra = vec![0.0; chain.states()];
    for (&state, &value) in frame.order.iter().zip(&found.values) {
        extra[state] = (value - least).high.max(0.0);
    }
    let tolerance = precision / 6.0 * found.mean.low * time;
    let later = match way {
        Way::Forgetting => forgotten(chain, &frame, &extra, time, tolerance)?,
        Way::Walking => {
            let most = (found.mean.high + blur(chain, &extra)).next_up();
            let mut walk = Walk::new(chain, extra.clone(), most, time, tolerance);
            walk.settle()?.then(|| walk.later())
        }
    };
    let Some(later) = later else { return Ok(None) };
    // Differences of potentials in two words, before they become `extra`.
    let largest = found.values.iter().fold(0.0_f64, |most, each| most.max(each.high.abs()));
    let rounded = upwards(double::gamma(4.0) * largest, 2.0);
    let found = answer(chain, &extra, found.mean, time, later).beside(2.0 * rounded);
    Ok(Some(Enclosure { low: found.low.max(0.0), ..found }))
}

/// What Q·u differs by at most when every number of u is off by two roundings.
fn blur(chain: &Chain, extra: &[f64]) -> f64 {
    let row = |state: usize| {
        chain.exit(state) * extra[state] + chain.row(state).map(|(to, rate)| rate * extra[to]).sum::<f64>()
    };
    let most = (0..chain.states()).map(row).fold(0.0, f64::max);
    upwards(most * gamma(2.0), chain.widest() as f64 + 4.0)
}

/// E[u at T] of a chain that has forgotten its start: the mean of u in the long run, within what it may
/// remember.
fn forgotten(
    chain: &Chain,
    frame: &Frame,
    extra: &[f64],
    time: f64,
    tolerance: f64,
) -> Result<Option<Enclosure>> {
    let Some(remembered) = remembered(chain, frame, extra, time, tolerance)? else { return Ok(None) };
    let mean = frame.potential(extra, |_| tolerance)?.mean;
    let close = mean.high - mean.low <= 2.0 * tolerance;
    Ok(close.then_some(mean.beside(remembered)))
}

/// What is accumulated, when the long-run mean is in `mean` and E[u at T] in `later`.
fn answer(chain: &Chain, extra: &[f64], mean: Enclosure, time: f64, later: Enclosure) -> Enclosure {
    let start = sum(chain.initial().iter().map(|&(state, share)| share * extra[state]));
    // Initial probabilities may sum to 1 but nearly; `extra` is rounded twice, then come sums and a product.
    let share = upwards((chain.total() - 1.0).abs() + gamma(16.0), 4.0);
    let slack = upwards(share * (start + later.high + mean.high * time), 8.0);
    Enclosure {
        low: (mean.low * time + start - later.high - slack).max(0.0),
        high: mean.high * time + start - later.low.max(0.0) + slack,
    }
}

#[cfg(test)]
mod tests {
    use super::{Way, accumulated};
    use crate::answer::Method;
    use crate::chain::Chain;
    use crate::horizon::Options;
    use crate::transient;

    /// A ring of `states` with shortcuts, its rates over `decades` powers of ten.
    fn ring(seed: u64, states: usize, decades: f64) -> Chain {
        let mut number = seed;
        let mut draw = move || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut transitions = Vec::new();
        for from in 0..states {
            transitions.push((from, (from + 1) % states, 10.0_f64.powf(-decades * draw())));
            transitions.push((from, (draw() * states as f64) as usize, 10.0_f64.powf(-decades * draw())));
        }
        Chain::new(states, transitions, vec![(0, 0.25), (states / 2, 0.75)]).unwrap()
    }

    /// How many of 300 random questions are answered; every answer is held against doubling.
    fn answered(way: Way) -> usize {
        let answers = (0..300).filter(|&seed| {
            let chain = ring(seed, 3 + seed as usize % 40, 1.0 + (seed % 3) as f64);
            let reward: Vec<f64> =
                (0..chain.states()).map(|state| f64::from(u8::from(state % 3 == 1))).collect();
            let time = 3e4 / chain.fastest();
            let precision = [1e-6, 1e-8][seed as usize % 2];
            let Some(settled) = accumulated(&chain, &reward, time, precision, way).unwrap() else {
                return false;
            };
            let options = Options { method: Some(Method::Doubling), precision: 1e-10, threads: 1 };
            let truth = transient::accumulated(&chain, &reward, time, &options).unwrap().enclosure;
            assert!(settled.low <= truth.high && truth.low <= settled.high, "{seed}: {settled:?} {truth:?}");
            assert!(settled.relative_width() <= precision, "{seed}: {settled:?}");
            true
        });
        answers.count()
    }

    #[test]
    fn what_settles_is_what_is_doubled() {
        let walked = answered(Way::Walking);
        assert!(walked > 250, "{walked}");
    }

    #[test]
    fn what_forgets_its_start_is_what_is_doubled() {
        let forgot = answered(Way::Forgetting);
        assert!(forgot > 20, "{forgot}");
    }

    #[test]
    fn what_may_end_in_two_ways_is_left_to_others() {
        let chain = Chain::new(3, vec![(0, 1, 1.0), (0, 2, 1.0)], vec![(0, 1.0)]).unwrap();
        assert!(accumulated(&chain, &[0.0, 1.0, 0.0], 1e6, 1e-6, Way::Walking).unwrap().is_none());
    }
}
