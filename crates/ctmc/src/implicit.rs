//! Stiff chains of many states: implicit steps that lengthen as the solution smooths, each with its error
//! read off.
//!
//! With R = (1 − τQ)⁻¹ the generating function of the Laguerre polynomials gives exp(tQ)·v as the series of
//! L_k(t/τ) · R·(1 − R)ᵏ·v: one factor for many terms, all of them good for a whole interval of t. Cut off
//! after term s, the polynomial u(t) differs from a solution of v' = Q·v only by the defect
//!
//! ```text
//! u' − Q·u = L¹_s(t/τ)/τ · (1 − R)ˢ⁺¹·v,   u(0) − v = −(1 − R)ˢ⁺¹·v
//! ```
//!
//! and a computed term that misses its equation by e adds L_k·e/τ. Because exp(tQ) makes no vector larger in
//! its largest entry, the error is at most what the defect integrates to. |L¹_s(x)| <= (s + 1)·exp(x/2) and
//! |L_k(x)| <= exp(x/2) (Szegő, 7.21). Vectors have two words a number, so that what is left after many nines
//! keeps its digits; the factor has one, and its solutions are corrected until they fit.

use crate::budget;
use crate::chain::Chain;
use crate::double::{self, Double};
use crate::doubling::Values;
use crate::error::Result;
use crate::factor::{Factor, Lists};
use crate::horizon::Kind;
use crate::incomplete::{Incomplete, Leaving};
use crate::krylov;
use crate::rounding::{Loss, power_below, upwards};

/// Length of a step over τ, and the most terms of one.
const REACH: f64 = 8.0;
const TERMS: usize = 40;

/// Steps of a horizon are about this many; each may err by its share.
const STEPS: f64 = 64.0;

/// Attempts at steps after which the tolerance is too fine for two words.
const MOST_ATTEMPTS: usize = 1000;

/// Corrections of one solution.
const CORRECTIONS: usize = 3;

/// The value of `reward` at `time` or its mean until then, from the start of `chain` to a relative
/// `precision` if two words suffice; and the tolerance that took, in units of the largest reward.
///
/// None where a factor would hold more than `fill` numbers, or the tolerance is too fine.
pub fn solve_relative(
    chain: &Chain,
    reward: &[f64],
    time: f64,
    precision: f64,
    kind: Kind,
    fill: usize,
) -> Result<Option<(Values, f64)>> {
    let most = reward.iter().copied().fold(0.0, f64::max);
    let mut tolerance = precision * 1e-3;
    let mut best = None;
    loop {
        let Some(found) = solve(chain, reward, time, tolerance, kind, fill)? else { return Ok(best) };
        let value: f64 = chain.initial().iter().map(|&(state, share)| share * found.values[state]).sum();
        let wanted = precision / 8.0 * value / most;
        // An answer of nearly nothing cannot be had to a share of itself: the second word ends.
        if most == 0.0 || found.missing <= 4.0 * wanted || tolerance <= FINEST {
            return Ok(Some((found, tolerance)));
        }
        best = Some((found, tolerance));
        tolerance = (tolerance / 64.0).min(wanted).max(FINEST);
    }
}

/// Slower chains are as good as at rest: steps must be numbers, not infinite.
const SLOWEST: f64 = 1e-280;

/// Nor is a step so short that its end would be a rate beyond those of chains.
const SHORTEST: f64 = 1e-290;

/// The finest tolerance that is tried.
const FINEST: f64 = 1e-18;

/// The value of `reward` at `time`, or its mean until then, to about `tolerance` times the largest reward;
/// none as above.
pub fn solve(
    chain: &Chain,
    reward: &[f64],
    time: f64,
    tolerance: f64,
    kind: Kind,
    fill: usize,
) -> Result<Option<Values>> {
    let most = reward.iter().copied().fold(0.0, f64::max);
    let mut walk = Walk {
        chain,
        now: reward.iter().map(|&each| Double::from(each)).collect(),
        earned: vec![Double::default(); reward.len()],
        error: 0.0,
        lost: 0.0,
    };
    let step_tolerance = tolerance * most / STEPS;
    // Powers of two: dividing by them is exact.
    let first = 0.0625 / power_below(chain.fastest().max(SLOWEST));
    let mut tau = first.min(2.0 * power_below(time / REACH));
    if tau < SHORTEST {
        return Ok(None);
    }
    let mut left = Double::from(time);
    let Some(mut factor) = Solver::new(chain, tau, None, fill)? else { return Ok(None) };
    let mut attempts = 0;
    while left.high > 0.0 {
        budget::stage("taking implicit steps");
        budget::check()?;
        attempts += 1;
        if attempts > MOST_ATTEMPTS {
            return Ok(None);
        }
        let whole = REACH * tau;
        let reach = if left.high > whole { Double::from(REACH) } else { left.scaled(1.0 / tau) };
        let Some(terms) = walk.step(&factor, tau, reach, step_tolerance)? else {
            tau /= 4.0;
            match Solver::new(chain, tau, Some(&factor), fill)? {
                Some(finer) if tau > first / 1024.0 => factor = finer,
                _ => return Ok(None),
            }
            continue;
        };
        left = if left.high > whole { left - Double::from(whole) } else { Double::default() };
        if terms < TERMS * 3 / 5 && left.high > whole {
            tau *= if terms < TERMS / 3 { 4.0 } else { 2.0 };
            match Solver::new(chain, tau, Some(&factor), fill)? {
                Some(coarser) => factor = coarser,
                None => return Ok(None),
            }
        }
    }
    let (values, error, span) =
        if kind == Kind::At { (walk.now, walk.error, 1.0) } else { (walk.earned, walk.lost, time) };
    // What was earned may be more than a number can hold, though its mean is not.
    if !error.is_finite() || !values.iter().all(|value| value.high.is_finite()) {
        return Ok(None);
    }
    // The second word is less than the next number down; the difference and the quotient round.
    let low = |value: &Double| (value.high.next_down() - error).next_down().max(0.0) / span;
    let values = values.iter().map(low).collect();
    let missing = upwards(2.0 * error / span / most.max(f64::MIN_POSITIVE), 16.0);
    Ok(Some(Values { values, loss: Loss::roundings(16.0), missing }))
}

/// What solves (1/τ − Q)·w = b/τ to some digits.
enum Solver {
    /// All states eliminated.
    Exact(Factor),
    /// An iteration, where elimination fills too much; with 1/τ.
    Iterated(Incomplete, f64),
}

/// Chains of fewer states have other ways when elimination fills too much, unless nothing may be filled at
/// all.
const WORTH_ITERATING: usize = 1600;

/// What a solution may miss before it is corrected.
const ENOUGH: f64 = 1e-8;

impl Solver {
    fn new(chain: &Chain, tau: f64, earlier: Option<&Self>, fill: usize) -> Result<Option<Self>> {
        let before = match earlier {
            Some(Self::Exact(factor)) => Some(factor),
            _ => None,
        };
        if !matches!(earlier, Some(Self::Iterated(..)))
            && let Some(factor) = Factor::new(chain, tau, before, fill)?
        {
            return Ok(Some(Self::Exact(factor)));
        }
        if chain.states() <= WORTH_ITERATING && fill > 0 {
            return Ok(None);
        }
        let mut rows = Lists::default();
        (0..chain.states()).for_each(|state| rows.push(chain.row(state).map(|(to, rate)| (to as u32, rate))));
        let leaving = vec![1.0 / tau; chain.states()];
        Ok(Some(Self::Iterated(Incomplete::new(Leaving { rows, leaving })?, 1.0 / tau)))
    }

    fn solve(&self, b: &[f64]) -> Result<Vec<f64>> {
        match self {
            Self::Exact(factor) => Ok(factor.solve(b)),
            Self::Iterated(incomplete, rate) => {
                let b: Vec<f64> = b.iter().map(|each| each * rate).collect();
                incomplete.solve(&b, ENOUGH)
            }
        }
    }
}

struct Walk<'a> {
    chain: &'a Chain,
    /// Value at the horizon, by the state so far before it.
    now: Vec<Double>,
    /// Its integral.
    earned: Vec<Double>,
    /// Bounds on the errors of the largest entries of both.
    error: f64,
    lost: f64,
}

impl Walk<'_> {
    /// Goes on by `reach`·τ; the number of terms it took, or none if they were too many and nothing was done.
    fn step(&mut self, factor: &Solver, tau: f64, reach: Double, tolerance: f64) -> Result<Option<usize>> {
        let growth = upwards(2.0 * (reach.high / 2.0).exp_m1(), 32.0);
        let mut rest = self.now.clone();
        let mut terms: Vec<Vec<Double>> = Vec::new();
        let (mut missed, mut size) = (0.0, 0.0_f64);
        let cut = loop {
            let (term, miss) = self.term(factor, tau, &rest, tolerance / (growth * TERMS as f64))?;
            size = size.max(largest(&term)).max(largest(&rest));
            rest.iter_mut().zip(&term).for_each(|(rest, term)| *rest = *rest - *term);
            missed += miss;
            terms.push(term);
            let cut = upwards(largest(&rest) * (1.0 + terms.len() as f64 * growth), 4.0);
            if cut <= tolerance {
                break cut;
            }
            if terms.len() == TERMS {
                return Ok(None);
            }
        };
        let weights = laguerre(reach, terms.len() + 1);
        let count = terms.len() as f64;
        self.now.iter_mut().for_each(|value| *value = Double::default());
        for (k, term) in terms.iter().enumerate() {
            let lasting = (weights[k] - weights[k + 1]).scaled(tau);
            let both = self.now.iter_mut().zip(&mut self.earned).zip(term);
            both.for_each(|((now, earned), term)| {
                *now = *now + *term * weights[k];
                *earned = *earned + *term * lasting;
            });
        }
        // Sums in two words: every one errs by a few units of what is added, and weights by some more.
        let rounding = double::gamma(4096.0 * count * count) * (growth + 2.0) * size;
        let before = self.error;
        self.error = upwards(before + cut + missed * growth + rounding, count + 16.0);
        self.lost = upwards(self.lost + (self.error + rounding) * reach.high * tau, 8.0);
        Ok(Some(terms.len()))
    }

    /// R·b, and a bound on the largest entry of b − (1 − τQ)·(R·b).
    fn term(&self, factor: &Solver, tau: f64, b: &[Double], tolerance: f64) -> Result<(Vec<Double>, f64)> {
        let high: Vec<f64> = b.iter().map(|each| each.high).collect();
        let mut term: Vec<Double> = factor.solve(&high)?.into_iter().map(Double::from).collect();
        let mut miss = f64::INFINITY;
        for correction in 0..=CORRECTIONS {
            let (rest, rounding) = self.residual(tau, b, &term);
            miss = upwards(krylov::largest(&rest) + rounding, 4.0);
            if miss <= tolerance || correction == CORRECTIONS {
                break;
            }
            let more = factor.solve(&rest)?;
            term.iter_mut().zip(more).for_each(|(term, more)| *term = *term + Double::from(more));
        }
        Ok((term, miss))
    }

    /// b − (1 − τQ)·w in working precision, after sums in two words; and what rounding may have done to it.
    fn residual(&self, tau: f64, b: &[Double], w: &[Double]) -> (Vec<f64>, f64) {
        let widest = self.chain.widest() as f64;
        let size = 2.0 * tau * self.chain.fastest() * largest(w) + largest(w) + largest(b);
        let rounding = upwards(double::gamma(8.0 * (widest + 4.0)) * size, 8.0);
        let row = |state: usize| {
            let here = w[state];
            let flow = self
                .chain
                .row(state)
                .fold(Double::default(), |sum, (to, rate)| sum + (w[to] - here).scaled(rate));
            (b[state] - here + flow.scaled(tau)).high
        };
        ((0..w.len()).map(row).collect(), rounding)
    }
}

/// A bound on the largest magnitude; infinite where one is no number, as an iteration may leave it.
fn largest(vector: &[Double]) -> f64 {
    let high: Vec<f64> = vector.iter().map(|each| each.high).collect();
    upwards(krylov::largest(&high), 4.0)
}

/// L_0(x) … L_count(x).
fn laguerre(x: Double, count: usize) -> Vec<Double> {
    let mut found = vec![Double::from(1.0), Double::from(1.0) - x];
    for k in 1..count {
        let number = k as f64;
        let next = (Double::from(2.0 * number + 1.0) - x) * found[k] - found[k - 1].scaled(number);
        found.push(next * Double::from(number + 1.0).inverse());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::solve;
    use crate::chain::Chain;
    use crate::horizon::Kind;
    use crate::uniformization;

    #[test]
    fn where_elimination_fills_an_iteration_gives_the_same() {
        let states = 1700;
        let mut number = 5_u64;
        let mut draw = move || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut transitions = Vec::new();
        for from in 0..states {
            for _ in 0..4 {
                transitions.push((from, (draw() * states as f64) as usize, 10.0_f64.powf(-4.0 * draw())));
            }
        }
        let chain = Chain::new(states, transitions, vec![(0, 1.0)]).unwrap();
        let reward: Vec<f64> = (0..states).map(|state| f64::from(u8::from(state % 17 == 3))).collect();
        let time = 1000.0;
        let stepped = uniformization::value_from_each(&chain, &reward, time, 1e-12).unwrap();
        // No factor of so few numbers is made.
        let found = solve(&chain, &reward, time, 1e-10, Kind::At, 10).unwrap().expect("an iteration settles");
        assert!(found.missing <= 1e-9, "{}", found.missing);
        for (found_low, exact) in found.values.iter().zip(&stepped.values) {
            let slack = 1e-11 * exact;
            assert!(*found_low <= exact + slack && *exact <= found_low + found.missing + slack);
        }
    }
}
