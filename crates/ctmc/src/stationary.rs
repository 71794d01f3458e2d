//! Where a chain is found in the long run, by elimination.

use crate::answer::{Answer, Distribution, Method};
use crate::chain::Chain;
use crate::closed;
use crate::elimination::{Elimination, FAINT, TINIEST};
use crate::enclosure::Enclosure;
use crate::error::{Result, refuse};
use crate::horizon::Options;
use crate::rounding::{Loss, UNDERFLOW, share, sum};
use crate::structure::bottoms;
use crate::sweep::potential;

/// The limit of the distribution as time grows: each bottom component's stationary distribution, weighted by
/// the probability of ending there. Every probability has the same relative error bound.
///
/// ```
/// use loadstone_ctmc::{Chain, stationary};
/// let chain = Chain::new(2, vec![(0, 1, 1.0), (1, 0, 3.0)], vec![(0, 1.0)]).unwrap();
/// assert!(stationary(&chain).unwrap().enclosure(1).contains(0.25));
/// ```
pub fn stationary(chain: &Chain) -> Result<Distribution> {
    let bottoms = bottoms(chain);
    let (weights, loss) = absorbed(chain, &bottoms)?;
    let mut probabilities = vec![0.0; chain.states()];
    let mut worst = Loss::default();
    for (members, weight) in bottoms.iter().zip(weights) {
        if weight > 0.0 {
            let (local, loss) = within(chain, members)?;
            worst = worst.or(loss);
            for (&state, share) in members.iter().zip(local) {
                probabilities[state] = weight * share;
            }
        }
    }
    let loss = loss + worst + Loss::roundings(1.0);
    Ok(Distribution { probabilities, loss, missing: 0.0, method: Method::Elimination })
}

/// The long-run mean of a reward earned per unit of time.
///
/// Birth–death chains have a formula. Chains of more than some hundred states are swept first; eliminated
/// when that does not settle to `precision`.
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
    let (frequency, off, on) = (flow.widened(Loss::roundings(2.0)), share(true)?, share(false)?);
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

/// Stationary distribution of one bottom component, and what it lost.
///
/// All states but one are eliminated and weighed against that one. It should be a likely one: against a state
/// that is hardly ever seen the others' weights would overflow. Then the heaviest is tried instead.
fn within(chain: &Chain, members: &[usize]) -> Result<(Vec<f64>, Loss)> {
    let part = part(chain, members);
    let started = chain.initial().iter().find_map(|each| members.binary_search(&each.0).ok());
    let mut kept = started.unwrap_or(0);
    for _ in 0..ATTEMPTS {
        let (weights, loss, doubt) = weighed(&part, kept)?;
        let total = sum(weights.iter().copied());
        if total < HEAVIEST && doubt <= UNDERFLOW / 2.0 * total {
            // In the numerator and in the sum, which has two more; then a quotient.
            let shares = weights.into_iter().map(|weight| weight / total).collect();
            return Ok((shares, loss * 2.0 + Loss::roundings(3.0)));
        }
        let heavier = |&a: &usize, &b: &usize| weights[a].total_cmp(&weights[b]);
        kept = (0..weights.len()).max_by(heavier).unwrap_or(kept);
    }
    Ok((vec![0.0; members.len()], Loss::TOTAL))
}

/// Choices of the state that is kept, and the weight of all against it that is too close to overflow.
const ATTEMPTS: usize = 4;
const HEAVIEST: f64 = 1e280;

/// Stationary weights against that of state `kept`, what they lost to rounding, and the most that any or all
/// of them can have lost to underflow.
fn weighed(part: &Chain, kept: usize) -> Result<(Vec<f64>, Loss, f64)> {
    let mut elimination = Elimination::new(part, 0, Vec::new(), 0);
    let others: Vec<usize> = (0..part.states()).filter(|&state| state != kept).collect();
    let done = elimination.run(&others)?;
    let mut weights = vec![0.0; part.states()];
    weights[kept] = 1.0;
    // What was lost goes on as probability does.
    let mut lost = vec![0.0; part.states()];
    for each in done.iter().rev() {
        let flow = |of: &[f64]| sum(each.entrants.iter().map(|&(from, rate)| of[from as usize] * rate));
        let (inflow, mut doubt) = (flow(&weights), flow(&lost));
        weights[each.state] = inflow / each.exit;
        doubt += each.lost * sum(each.entrants.iter().map(|&(from, _)| weights[from as usize]));
        if inflow < FAINT {
            doubt += TINIEST * each.entrants.len() as f64;
        }
        lost[each.state] = share(doubt, 1.0 / each.exit);
        if weights[each.state] < FAINT {
            lost[each.state] += TINIEST;
        }
    }
    // A product, a sum of three roundings at most, the exit's three and the quotient for each state on the
    // way.
    let walk = Loss::roundings(8.0 * part.states() as f64);
    Ok((weights, elimination.loss() + walk, sum(lost)))
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

/// Probability of ending in each bottom component, and what it lost.
fn absorbed(chain: &Chain, bottoms: &[Vec<usize>]) -> Result<(Vec<f64>, Loss)> {
    if let [_] = bottoms {
        return Ok((vec![1.0], Loss::default()));
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
    // The sum and the quotient; probabilities that add up to 1 but for 1e-12 are taken for their shares in
    // it.
    let scaled = Loss::relative((chain.total() - 1.0).abs().next_up());
    let loss = elimination.loss() + Loss::roundings(3.0) + scaled;
    let intact = elimination.lost(start) <= UNDERFLOW / 2.0 * total;
    Ok((weights, if intact { loss } else { Loss::TOTAL }))
}

/// The chain with one more state, from which it enters its initial states in their proportions.
pub(crate) fn with_start(chain: &Chain) -> Result<(Chain, usize)> {
    let start = chain.states();
    let mut transitions: Vec<_> =
        (0..start).flat_map(|from| chain.row(from).map(move |(to, rate)| (from, to, rate))).collect();
    transitions.extend(chain.initial().iter().map(|&(state, share)| (start, state, share)));
    Ok((Chain::new(start + 1, transitions, vec![(start, 1.0)])?, start))
}
