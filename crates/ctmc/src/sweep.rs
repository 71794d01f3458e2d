//! Long-run means of large chains: sweeps towards a potential, and bounds that hold for any potential.
//!
//! For any vector h the stationary mean of Q·h is zero. So the long-run mean of a reward r is also that of
//! r + Q·h, and lies between the least and the greatest of its entries. The nearer h is to the potential of the
//! reward, the nearer these are. How h was found does not matter: the bounds are read off at the end, with the
//! rounding of that one product.
//!
//! h is what is earned until the return to a state, less the mean times the time that takes; both by Gauss–Seidel
//! sweeps, which rise from zero.

use crate::chain::Chain;
use crate::enclosure::{Enclosure, ROUNDING};

/// Sweeps between two looks at the bounds, and looks in all.
const SWEEPS: usize = 6;
const LOOKS: usize = 60;

/// A look must narrow the bounds by this factor, or nothing more is expected.
const PROGRESS: f64 = 0.98;

/// Bounds on the long-run mean of `reward` in the one bottom component `members`.
pub fn sweep(chain: &Chain, members: &[usize], reward: &[f64], precision: f64) -> Enclosure {
    let started =
        chain.initial().iter().map(|each| each.0).find(|state| members.binary_search(state).is_ok());
    let home = started.unwrap_or(members[0]);
    let mut earned = vec![0.0; chain.states()];
    let mut lasted = vec![0.0; chain.states()];
    let mut best = Enclosure { low: 0.0, high: reward.iter().copied().fold(0.0, f64::max) };
    let mut width = f64::INFINITY;
    for _ in 0..LOOKS {
        for _ in 0..SWEEPS {
            for &state in members.iter().filter(|state| **state != home) {
                let (gain, time) = onward(chain, state, &earned, &lasted);
                earned[state] = (reward[state] + gain) / chain.exit(state);
                lasted[state] = (1.0 + time) / chain.exit(state);
            }
        }
        let (gain, time) = onward(chain, home, &earned, &lasted);
        let mean = (reward[home] + gain) / (1.0 + time);
        let potential: Vec<f64> =
            earned.iter().zip(&lasted).map(|(earned, lasted)| earned - mean * lasted).collect();
        let found = read_off(chain, members, reward, &potential);
        best = Enclosure { low: best.low.max(found.low), high: best.high.min(found.high) };
        let now = best.high - best.low;
        if best.relative_width() <= precision || now > PROGRESS * width {
            break;
        }
        width = now;
    }
    best
}

/// Rate-weighted sums of both quantities over what follows `state`.
fn onward(chain: &Chain, state: usize, earned: &[f64], lasted: &[f64]) -> (f64, f64) {
    chain
        .row(state)
        .fold((0.0, 0.0), |(gain, time), (to, rate)| (gain + rate * earned[to], time + rate * lasted[to]))
}

/// Least and greatest entry of r + Q·h, each moved outwards by all that rounding can have done to it.
fn read_off(chain: &Chain, members: &[usize], reward: &[f64], potential: &[f64]) -> Enclosure {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &state in members {
        let (mut value, mut size) = (reward[state], reward[state]);
        for (to, rate) in chain.row(state) {
            let term = rate * (potential[to] - potential[state]);
            value += term;
            size += term.abs();
        }
        let error = size * (chain.row(state).len() as f64 + 4.0) * 1.01 * ROUNDING;
        (low, high) = (low.min((value - error).next_down()), high.max((value + error).next_up()));
    }
    Enclosure { low: low.max(0.0), high }
}
