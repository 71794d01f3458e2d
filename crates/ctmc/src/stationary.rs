//! Where a chain is found in the long run, by elimination.

use crate::answer::{Answer, Distribution, Method};
use crate::chain::Chain;
use crate::closed;
use crate::elimination::Elimination;
use crate::enclosure::{Enclosure, ROUNDING, sum};
use crate::error::{Result, refuse};
use crate::structure::bottoms;
use crate::sweep::potential;
use crate::transient::Options;

/// The limit of the distribution as time grows: each bottom component's stationary distribution, weighted by the
/// probability of ending there. Every probability has the same relative error bound.
///
/// ```
/// use loadstone_ctmc::{Chain, stationary};
/// let chain = Chain::new(2, vec![(0, 1, 1.0), (1, 0, 3.0)], vec![(0, 1.0)]).unwrap();
/// assert!(stationary(&chain).unwrap().enclosure(1).contains(0.25));
/// ```
pub fn stationary(chain: &Chain) -> Result<Distribution> {
    let bottoms = bottoms(chain);
    let (weights, mut relative) = absorbed(chain, &bottoms)?;
    let mut probabilities = vec![0.0; chain.states()];
    let mut worst = 0.0_f64;
    for (members, weight) in bottoms.iter().zip(weights) {
        if weight > 0.0 {
            let (local, error) = within(chain, members)?;
            worst = worst.max(error);
            for (&state, share) in members.iter().zip(local) {
                probabilities[state] = weight * share;
            }
        }
    }
    relative = (relative + worst) * 1.01 + 4.0 * ROUNDING;
    Ok(Distribution { probabilities, relative, missing: 0.0, method: Method::Elimination })
}

/// The long-run mean of a reward earned per unit of time.
///
/// Birth–death chains have a formula. Chains of more than some hundred states are swept first; eliminated when that does not settle to `precision`.
pub fn long_run(chain: &Chain, reward: &[f64], options: &Options) -> Result<Answer> {
    check_reward(chain, reward)?;
    if let Some(answer) = closed::long_run(chain, reward) {
        return Ok(answer);
    }
    if chain.states() > FEW
        && let [members] = &bottoms(chain)[..]
    {
        let most = reward.iter().copied().fold(0.0, f64::max);
        let found = potential(chain, members, reward, options.precision)?.mean.at_most(most);
        if found.relative_width() <= options.precision || chain.states() > MANY {
            return Ok(Answer::new(found, Method::Sweeping, chain.states()));
        }
    }
    let found = stationary(chain)?;
    Ok(Answer::new(found.mean(reward), Method::Elimination, chain.states()))
}

/// Elimination is instant up to so many states, and out of reach beyond so many.
const FEW: usize = 500;
const MANY: usize = 50_000;

/// How a repairable system alternates in the long run between `down` states and the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// Share of time down.
    pub down: Enclosure,
    /// Times it goes down per unit of time.
    pub frequency: Enclosure,
    /// Mean length of a time down (MTTR); infinite when it is never left.
    pub mean_down: Enclosure,
    /// Mean length of a time up (MTBF less MTTR).
    pub mean_up: Enclosure,
    /// How they were found.
    pub method: Method,
}

/// A frequency below this is zero with what underflow may have added.
const NEVER: f64 = 1e-280;

/// Shares, frequency and mean lengths of the times up and down.
///
/// Errors: the chain never goes down, or never again.
pub fn cycle(chain: &Chain, down: &[bool], options: &Options) -> Result<Cycle> {
    if down.len() != chain.states() {
        return refuse(format!("{} marks for {} states", down.len(), chain.states()));
    }
    let share = |wanted: bool| {
        let marks: Vec<f64> = down.iter().map(|mark| f64::from(u8::from(*mark == wanted))).collect();
        long_run(chain, &marks, options).map(|answer| answer.enclosure)
    };
    let falls = |state: usize| sum(chain.row(state).filter(|each| down[each.0]).map(|each| each.1));
    let fall: Vec<f64> =
        (0..chain.states()).map(|state| if down[state] { 0.0 } else { falls(state) }).collect();
    let found = long_run(chain, &fall, options)?;
    let (flow, method) = (found.enclosure, found.method);
    if flow.high < NEVER {
        return refuse("in the long run the chain does not alternate between up and down");
    }
    // The sums of rates are rounded.
    let rounded = Enclosure { low: 1.0 - 8.0 * ROUNDING, high: 1.0 + 8.0 * ROUNDING };
    let (frequency, off, on) = (flow.times(rounded), share(true)?, share(false)?);
    Ok(Cycle { down: off, frequency, mean_down: off.over(frequency), mean_up: on.over(frequency), method })
}

/// A reward vector must be one finite number of at least 0 a state.
pub(crate) fn check_reward(chain: &Chain, reward: &[f64]) -> Result<()> {
    if reward.len() != chain.states() {
        return refuse(format!("{} rewards for {} states", reward.len(), chain.states()));
    }
    match reward.iter().find(|value| !(**value >= 0.0 && value.is_finite())) {
        Some(value) => refuse(format!("reward {value} is not a finite number of at least 0")),
        None => Ok(()),
    }
}

/// Stationary distribution of one bottom component and its relative error bound.
///
/// All states but one are eliminated and weighed against that one. It should be a likely one: against a state that
/// is hardly ever seen the others' weights would overflow. Then the heaviest is tried instead.
fn within(chain: &Chain, members: &[usize]) -> Result<(Vec<f64>, f64)> {
    let part = part(chain, members);
    let started = chain.initial().iter().find_map(|each| members.binary_search(&each.0).ok());
    let mut kept = started.unwrap_or(0);
    for _ in 0..ATTEMPTS {
        let (weights, error) = weighed(&part, kept)?;
        let total = sum(weights.iter().copied());
        if total < HEAVIEST {
            return Ok((weights.into_iter().map(|weight| weight / total).collect(), 2.0 * error));
        }
        let heavier = |&a: &usize, &b: &usize| weights[a].total_cmp(&weights[b]);
        kept = (0..weights.len()).max_by(heavier).unwrap_or(kept);
    }
    Ok((vec![0.0; members.len()], f64::INFINITY))
}

/// Choices of the state that is kept, and the weight of all against it that is too close to overflow.
const ATTEMPTS: usize = 4;
const HEAVIEST: f64 = 1e280;

/// Stationary weights against that of state `kept`, and their relative error bound.
fn weighed(part: &Chain, kept: usize) -> Result<(Vec<f64>, f64)> {
    let mut elimination = Elimination::new(part, 0, Vec::new(), 0);
    let others: Vec<usize> = (0..part.states()).filter(|&state| state != kept).collect();
    let done = elimination.run(&others)?;
    let mut weights = vec![0.0; part.states()];
    weights[kept] = 1.0;
    for each in done.iter().rev() {
        let inflow = sum(each.entrants.iter().map(|&(from, rate)| weights[from as usize] * rate));
        weights[each.state] = inflow / each.exit;
    }
    let walk = 10.0 * ROUNDING * part.states() as f64;
    Ok((weights, elimination.relative_error() + walk))
}

/// The states `members` as a chain of their own.
fn part(chain: &Chain, members: &[usize]) -> Chain {
    let mut number = vec![usize::MAX; chain.states()];
    for (new, &old) in members.iter().enumerate() {
        number[old] = new;
    }
    let transitions = members
        .iter()
        .flat_map(|&from| chain.row(from).map(move |(to, rate)| (from, to, rate)))
        .filter(|each| number[each.1] != usize::MAX)
        .map(|(from, to, rate)| (number[from], number[to], rate))
        .collect();
    Chain::new(members.len(), transitions, vec![(0, 1.0)]).expect("a part of a chain is one")
}

/// Probability of ending in each bottom component, and the bound on its relative error.
fn absorbed(chain: &Chain, bottoms: &[Vec<usize>]) -> Result<(Vec<f64>, f64)> {
    if let [_] = bottoms {
        return Ok((vec![sum(chain.initial().iter().map(|each| each.1))], 2.0 * ROUNDING));
    }
    let states = chain.states();
    let mut column = vec![usize::MAX; states];
    for (number, members) in bottoms.iter().enumerate() {
        members.iter().for_each(|&state| column[state] = states + 1 + number);
    }
    let (started, start) = with_start(chain)?;
    let mut elimination = Elimination::new(&started, bottoms.len(), Vec::new(), 0);
    for (state, &column) in column.iter().enumerate().filter(|each| *each.1 != usize::MAX) {
        elimination.redirect(state, column);
    }
    let transient: Vec<usize> = (0..states).filter(|&state| column[state] == usize::MAX).collect();
    elimination.run(&transient)?;
    let row = elimination.row(start);
    let total = sum(row.iter().map(|each| each.1));
    let mut weights = vec![0.0; bottoms.len()];
    for &(to, rate) in row {
        weights[to as usize - states - 1] = rate / total;
    }
    Ok((weights, elimination.relative_error()))
}

/// The chain with one more state, from which it enters its initial states in their proportions.
pub(crate) fn with_start(chain: &Chain) -> Result<(Chain, usize)> {
    let start = chain.states();
    let mut transitions: Vec<_> =
        (0..start).flat_map(|from| chain.row(from).map(move |(to, rate)| (from, to, rate))).collect();
    transitions.extend(chain.initial().iter().map(|&(state, share)| (start, state, share)));
    Ok((Chain::new(start + 1, transitions, vec![(start, 1.0)])?, start))
}
