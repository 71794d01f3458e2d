//! First passage: how long until a set of states is reached, and whether by a given time.

use crate::answer::{Answer, Method};
use crate::chain::Chain;
use crate::closed;
use crate::elimination::Elimination;
use crate::enclosure::Enclosure;
use crate::error::{Result, refuse};
use crate::hitting;
use crate::horizon::Options;
use crate::rounding::{Loss, sum};
use crate::stationary::with_start;
use crate::structure::{bottoms, reachable};
use crate::transient::reward_at;

/// Mean time until a state of `target` is reached (MTTF, when the target is "down"); infinite when it may
/// never be.
///
/// Errors: not one mark a state.
///
/// ```
/// use loadstone_ctmc::{Chain, passage_mean};
/// let chain = Chain::new(3, vec![(0, 1, 2.0), (1, 2, 4.0)], vec![(0, 1.0)]).unwrap();
/// assert!(passage_mean(&chain, &[false, false, true]).unwrap().enclosure.contains(0.75));
/// ```
pub fn passage_mean(chain: &Chain, target: &[bool]) -> Result<Answer> {
    passage_mean_to(chain, target, Options::default().precision)
}

/// Chains of few states are eliminated at once; those of more than many are not.
const FEW: usize = 1000;
const MANY: usize = 50_000;

/// `passage_mean` in bounds as close as `precision`, if it can, where that is cheaper.
///
/// Errors also: a chain too large to be eliminated on which the iteration does not settle.
pub fn passage_mean_to(chain: &Chain, target: &[bool], precision: f64) -> Result<Answer> {
    let states = check_target(chain, target)?;
    let answer = |enclosure| Answer::new(enclosure, Method::Elimination, states);
    if chain.initial().iter().all(|each| target[each.0]) {
        return Ok(answer(Enclosure::exact(0.0)));
    }
    if let Some(answer) = closed::passage_mean(chain, target) {
        return Ok(answer);
    }
    let Some(passing) = passing(chain, target) else {
        return Ok(answer(Enclosure::exact(f64::INFINITY)));
    };
    if passing.len() > FEW {
        let found = hitting::mean(chain, &passing, precision)?;
        let close = found.filter(|each| each.relative_width() <= precision || passing.len() > MANY);
        if let Some(enclosure) = close {
            return Ok(Answer::new(enclosure, Method::Sweeping, states));
        }
        if passing.len() > MANY {
            return refuse(format!(
                "the mean time to a first visit did not settle on {} states, too many to be eliminated",
                passing.len()
            ));
        }
    }
    let (started, start) = with_start(chain)?;
    let mut rewards = vec![1.0; start + 1];
    rewards[start] = 0.0;
    let mut elimination = Elimination::new(&started, 0, rewards, 1);
    elimination.run(&passing)?;
    // The start is left at rate 1, so that its reward and what it leads to are those of one start.
    let leaving = sum(elimination.row(start).iter().map(|each| each.1));
    let value = elimination.reward(start, 0) / leaving;
    // The sum and the quotient; probabilities that add up to 1 but for 1e-12 are taken for their shares in
    // it.
    let scaled = Loss::relative((chain.total() - 1.0).abs().next_up());
    let loss = elimination.loss() + Loss::roundings(3.0) + scaled;
    Ok(answer(Enclosure::near(value, if elimination.intact(start) { loss } else { Loss::TOTAL })))
}

/// The states that are seen before the target; none when it may never be reached.
pub(crate) fn passing(chain: &Chain, target: &[bool]) -> Option<Vec<usize>> {
    let reached = reachable(chain, target);
    let before = |&state: &usize| reached[state] && !target[state];
    certain(chain, target, &reached).then(|| (0..chain.states()).filter(before).collect())
}

/// Probability that a state of `target` was reached by `time`.
///
/// Errors: not one mark a state; a time that is negative or not finite.
pub fn passage_by(chain: &Chain, target: &[bool], time: f64, options: &Options) -> Result<Answer> {
    let states = check_target(chain, target)?;
    let reached = reachable(chain, target);
    let mut class = vec![usize::MAX; states];
    let mut classes = 0;
    for state in (0..states).filter(|&state| reached[state] && !target[state]) {
        class[state] = classes;
        classes += 1;
    }
    // Everything else is the goal, or never seen before it.
    let goal = classes;
    class.iter_mut().filter(|each| **each == usize::MAX).for_each(|each| *each = goal);
    let merged = chain.merged(&class, classes + 1, Some(goal))?;
    let reward: Vec<f64> = (0..=goal).map(|state| f64::from(u8::from(state == goal))).collect();
    // Rates and probabilities that became one were rounded: the goal is entered that much sooner or later.
    let found = reward_at(&merged, &reward, time, options)?;
    Ok(Answer { enclosure: found.enclosure.widened(Loss::roundings(4.0)).at_most(1.0), ..found })
}

fn check_target(chain: &Chain, target: &[bool]) -> Result<usize> {
    if target.len() == chain.states() {
        Ok(target.len())
    } else {
        refuse(format!("{} marks for {} states", target.len(), chain.states()))
    }
}

/// Whether every way from the start ends in the target: no component that is never left is seen before it.
fn certain(chain: &Chain, target: &[bool], reached: &[bool]) -> bool {
    let trap = |members: &Vec<usize>| {
        members.iter().any(|&state| reached[state]) && !members.iter().any(|&state| target[state])
    };
    !bottoms(chain).iter().any(trap)
}
