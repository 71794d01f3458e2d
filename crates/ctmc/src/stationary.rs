//! Where a chain is found in the long run, by elimination.

use crate::answer::{Answer, Distribution, Method};
use crate::chain::Chain;
use crate::elimination::Elimination;
use crate::enclosure::{Enclosure, ROUNDING, sum};
use crate::error::{Result, refuse};
use crate::structure::bottoms;

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
            let (local, error) = within(chain, members);
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
pub fn long_run(chain: &Chain, reward: &[f64]) -> Result<Answer> {
    check_reward(chain, reward)?;
    let found = stationary(chain)?;
    Ok(Answer::new(found.mean(reward), Method::Elimination, chain.states()))
}

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
}

/// Shares, frequency and mean lengths of the times up and down.
///
/// Errors: the chain never goes down, or never again.
pub fn cycle(chain: &Chain, down: &[bool]) -> Result<Cycle> {
    if down.len() != chain.states() {
        return refuse(format!("{} marks for {} states", down.len(), chain.states()));
    }
    let found = stationary(chain)?;
    let falls = |state: usize| sum(chain.row(state).filter(|each| down[each.0]).map(|each| each.1));
    let up = |state: &usize| !down[*state];
    let flow = sum((0..chain.states()).filter(up).map(|state| found.probabilities[state] * falls(state)));
    let share = sum((0..chain.states()).filter(up).map(|state| found.probabilities[state]));
    let off = sum((0..chain.states()).filter(|&state| down[state]).map(|state| found.probabilities[state]));
    if flow == 0.0 {
        return refuse("in the long run the chain does not alternate between up and down");
    }
    let relative = found.relative + 8.0 * ROUNDING;
    let frequency = Enclosure::around(flow, relative, 0.0);
    let (off, share) = (Enclosure::around(off, relative, 0.0), Enclosure::around(share, relative, 0.0));
    Ok(Cycle {
        down: off.at_most(1.0),
        frequency,
        mean_down: off.over(frequency),
        mean_up: share.over(frequency),
    })
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
fn within(chain: &Chain, members: &[usize]) -> (Vec<f64>, f64) {
    let Some((&last, rest)) = members.split_last() else { return (Vec::new(), 0.0) };
    if rest.is_empty() {
        return (vec![1.0], 0.0);
    }
    let mut elimination = Elimination::new(&part(chain, members), 0, Vec::new(), 0);
    let order: Vec<usize> = (0..rest.len()).collect();
    let done = elimination.run(&order);
    let mut weights = vec![0.0; members.len()];
    debug_assert!(members[rest.len()] == last);
    weights[rest.len()] = 1.0;
    for each in done.iter().rev() {
        let inflow = sum(each.entrants.iter().map(|&(from, rate)| weights[from as usize] * rate));
        weights[each.state] = inflow / each.exit;
        // Weights are ratios to the last state's: only their proportions count, so a common scale is free.
        if weights[each.state] > 1e200 {
            weights.iter_mut().for_each(|weight| *weight *= 2.0_f64.powi(-600));
        }
    }
    let total = sum(weights.iter().copied());
    let walk = 10.0 * ROUNDING * members.len() as f64;
    (weights.into_iter().map(|weight| weight / total).collect(), 2.0 * (elimination.relative_error() + walk))
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
    elimination.run(&transient);
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
