//! Mean times to a first visit in large chains: an iteration, and bounds read off what it misses.
//!
//! With A = −Q among the states before the target, the mean times m solve A·m = 1, and no entry of A's
//! inverse is negative. So if every entry of A·x lies between 1 − ε and 1 + ε, then x/(1 + ε) <= m <= x/(1 −
//! ε), however x was found. ε is computed in two words a number, with all that its rounding can have done.

use crate::chain::Chain;
use crate::double::{self, Double};
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::factor::Lists;
use crate::incomplete::{Incomplete, Leaving};
use crate::krylov::largest;
use crate::rounding::{Loss, sum, upwards};

/// Corrections of the solution, and what one may miss of its right side.
const CORRECTIONS: usize = 12;
const ENOUGH: f64 = 1e-6;

/// The mean time from the start until a state outside of `passing` is seen, as close as `precision` if it
/// can; none if nothing is known. All of `passing` must lead out of it.
///
/// Errors: the budget is spent.
pub fn mean(chain: &Chain, passing: &[usize], precision: f64) -> Result<Option<Enclosure>> {
    let mut place = vec![OUTSIDE; chain.states()];
    passing.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
    let (mut rows, mut leaving) = (Lists::default(), Vec::with_capacity(passing.len()));
    for &state in passing {
        let among = |wanted: bool| {
            let place = &place;
            chain.row(state).filter(move |each| (place[each.0] != OUTSIDE) == wanted)
        };
        rows.push(among(true).map(|(to, rate)| (place[to], rate)));
        leaving.push(sum(among(false).map(|each| each.1)));
    }
    let incomplete = Incomplete::new(Leaving { rows, leaving })?;
    let mut times = vec![Double::default(); passing.len()];
    let (mut missed, mut error) = missing(chain, passing, &place, &times);
    for _ in 0..CORRECTIONS {
        if error <= precision / 4.0 {
            break;
        }
        let more = incomplete.solve(&missed, ENOUGH)?;
        let tried: Vec<Double> = times.iter().zip(&more).map(|(&time, &more)| time + more.into()).collect();
        let (left, now) = missing(chain, passing, &place, &tried);
        // Halving it is the least that is worth another.
        if now.is_nan() || now > error / 2.0 {
            break;
        }
        (times, missed, error) = (tried, left, now);
    }
    if error >= 0.5 {
        return Ok(None);
    }
    let share = |&(state, share): &(usize, f64)| match place[state] {
        OUTSIDE => 0.0,
        place => share * times[place as usize].high,
    };
    let total = sum(chain.initial().iter().map(|each| each.1));
    let value = sum(chain.initial().iter().map(share)) / total;
    // ε below 1 makes every entry of A·x positive, and so of x: sums and products of numbers that are not
    // negative. The second words are left out; then a product, the sum, that of the shares (two each) and the
    // quotient.
    let near = Enclosure::near(value, Loss::roundings(7.0)).beside(f64::MIN_POSITIVE);
    // Underflow takes 2⁻¹⁰⁷⁵ of each product at most: all of them together less than the smallest normal
    // number.
    let near = Enclosure { low: near.low.max(0.0), ..near };
    let ends = Enclosure { low: (1.0 - error).next_down(), high: (1.0 + error).next_up() };
    Ok(Some(near.over(ends)))
}

const OUTSIDE: u32 = u32::MAX;

/// 1 − A·x, and a bound on its largest entry with all that rounding can have done.
fn missing(chain: &Chain, passing: &[usize], place: &[u32], times: &[Double]) -> (Vec<f64>, f64) {
    let mut worst = 0.0_f64;
    let of = |(&state, &here): (&usize, &Double)| {
        let operations = 16.0 * (chain.row(state).len() as f64 + 4.0);
        let (mut rest, mut size) = (Double::from(1.0), 1.0);
        for (to, rate) in chain.row(state) {
            let there = match place[to] {
                OUTSIDE => Double::default(),
                place => times[place as usize],
            };
            rest = rest + (there - here).scaled(rate);
            size += rate * (there.high.abs() + here.high.abs());
        }
        // An operation errs by a few units of the larger operand; `size` is that of all together and not
        // below 1, so that underflow is nothing beside it. It is rounded itself, and the second word is left
        // out.
        let error = upwards(rest.high.abs() + size * double::gamma(operations), operations);
        worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        rest.high
    };
    let rest: Vec<f64> = passing.iter().zip(times).map(of).collect();
    let worst = if largest(&rest).is_finite() { worst } else { f64::INFINITY };
    (rest, worst)
}

#[cfg(test)]
mod tests {
    use super::mean;
    use crate::chain::Chain;
    use crate::passage::passage_mean;

    #[test]
    fn what_is_read_off_is_what_elimination_finds() {
        let mut close = 0;
        for seed in 0..400_u64 {
            let mut number = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut draw = move || {
                number =
                    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (number >> 11) as f64 / (1_u64 << 53) as f64
            };
            let (states, decades) = (4 + seed as usize % 90, [1.0, 6.0, 14.0][seed as usize % 3]);
            let mut transitions = Vec::new();
            for from in 0..states {
                let ahead = (from + 1) % states;
                transitions.push((from, ahead, 10.0_f64.powf(-decades * draw())));
                for _ in 0..seed % 4 {
                    let to = (draw() * states as f64) as usize;
                    transitions.push((from, to, 10.0_f64.powf(-decades * draw())));
                }
            }
            let chain = Chain::new(states, transitions, vec![(0, 0.25), (states / 2, 0.75)]).unwrap();
            let target: Vec<bool> = (0..states).map(|state| state + 1 == states).collect();
            let truth = passage_mean(&chain, &target).unwrap().enclosure;
            let passing: Vec<usize> = (0..states - 1).collect();
            let Some(found) = mean(&chain, &passing, 1e-9).unwrap() else { continue };
            assert!(found.low <= truth.high && truth.low <= found.high, "{seed}: {found:?} {truth:?}");
            close += usize::from(found.relative_width() <= 1e-9);
        }
        assert!(close >= 300, "{close}");
    }
}
