//! Finite horizons: the distribution at a time, a reward at a time, a reward accumulated until then.

use crate::answer::{Answer, Distribution, Method};
use crate::chain::Chain;
use crate::closed;
use crate::doubling::Halfway;
use crate::enclosure::Enclosure;
use crate::error::{Result, refuse};
use crate::horizon::{
    Kind, MANY, Options, PATIENCE, Unit, affordable, dense_work, fill, from_start, sparse_work,
};
use crate::implicit;
use crate::kept::{EAGER, FEW, HOPELESS, projected};
use crate::projection::{Known, Landscape};
use crate::rounding::{Loss, sum};
use crate::settled::{self, Way};
use crate::stationary::check_reward;
use crate::uniformization;

/// States of chains that are asked at once whether they forget their start: fewer are soon tried otherwise.
const LARGE: usize = 4000;

/// Multiplications of following every jump that nothing is tried to avoid where few states say next to
/// nothing: about three seconds.
const SOON: f64 = 2.4e9;

/// States that implicit steps take all at once: more have no room for the vectors of a step.
const ALL: usize = 50_000;

/// What more states may cost, as a share of following every jump on all of them, which is sure to end.
const SHARE: f64 = 1.0 / 8.0;

/// Expected value of `reward` at `time`, from the initial distribution.
///
/// Errors: a reward or a time that is negative or not finite.
pub fn reward_at(chain: &Chain, reward: &[f64], time: f64, options: &Options) -> Result<Answer> {
    solve(chain, reward, time, options, Kind::At)
}

/// Expected integral of `reward` from 0 to `time`, from the initial distribution.
///
/// Errors as `reward_at`.
///
/// ```
/// use loadstone_ctmc::{Chain, Options, accumulated};
/// // A node that fails once a year and is replaced after 15 s: seconds down in the year.
/// let year = 365.0 * 86_400.0;
/// let chain = Chain::new(2, vec![(0, 1, 1.0 / year), (1, 0, 1.0 / 15.0)], vec![(0, 1.0)]).unwrap();
/// let down = accumulated(&chain, &[0.0, 1.0], year, &Options::default()).unwrap();
/// assert!(down.enclosure.relative_width() < 1e-8 && down.enclosure.low < 15.0 && down.enclosure.high > 14.99);
/// ```
pub fn accumulated(chain: &Chain, reward: &[f64], time: f64, options: &Options) -> Result<Answer> {
    solve(chain, reward, time, options, Kind::Until)
}

/// The distribution at `time`.
///
/// Errors: a time that is negative or not finite; a chain too large for doubling over too long a time.
pub fn distribution_at(chain: &Chain, time: f64, options: &Options) -> Result<Distribution> {
    check_time(time)?;
    let mut shares = vec![0.0; chain.states()];
    chain.initial().iter().for_each(|&(state, share)| shares[state] = share);
    let (found, method) = match choice(chain, time, options) {
        method if method != Method::Uniformization && chain.states() <= MANY => {
            let half = Halfway::reach(chain, time, &[], options.precision, options.threads)?;
            (half.distribution(&shares), Method::Doubling)
        }
        _ => {
            uniformization::check(chain, time)?;
            (uniformization::distribution(chain, time)?, Method::Uniformization)
        }
    };
    Ok(Distribution { probabilities: found.values, loss: found.loss, missing: found.missing, method })
}

/// In the order of the table in `docs/background/ctmc.md`.
fn solve(chain: &Chain, reward: &[f64], time: f64, options: &Options, kind: Kind) -> Result<Answer> {
    check_time(time)?;
    check_reward(chain, reward)?;
    if time == 0.0 {
        return Ok(at_once(chain, reward, kind));
    }
    let free = options.method.is_none();
    if let (true, Some(answer)) = (free, closed::two_states(chain, reward, time, kind)) {
        return Ok(answer);
    }
    if choice(chain, time, options) == Method::Uniformization {
        uniformization::check(chain, time)?;
        return stepped(chain, reward, time, options, kind);
    }
    let close = |answer: &Answer| answer.enclosure.relative_width() <= options.precision;
    let settled = |way: Way| -> Result<Option<Answer>> {
        if !free || kind == Kind::At {
            return Ok(None);
        }
        let found = settled::accumulated(chain, reward, time, options.precision, way)?;
        Ok(found.map(|found| Answer::new(found, Method::Settled, chain.states())).filter(close))
    };
    // Cheap where it works, and found out soon where not.
    if chain.states() > LARGE
        && let Some(answer) = settled(Way::Forgetting)?
    {
        return Ok(answer);
    }
    let work = sparse_work(chain, time);
    let mut land = Known { chain, reward };
    let eager = if free { EAGER.min(work) } else { EAGER };
    let (mut found, mut lossy) = projected(&mut land, time, options, kind, eager)?;
    if !lossy || close(&found) {
        return Ok(found);
    }
    let bearable = free && work <= affordable() && uniformization::check(chain, time).is_ok();
    let helpless = free && found.enclosure.relative_width() > HOPELESS / 2.0;
    if !(helpless && work <= SOON) {
        if let Some(answer) = settled(Way::Walking)? {
            return Ok(answer);
        }
        if helpless
            && chain.states() <= ALL
            && let Some(answer) = all_at_once(chain, reward, time, options, kind, fill(chain))?
            && close(&answer)
        {
            return Ok(answer);
        }
        let patience = if bearable { work * SHARE } else { affordable() };
        if patience > EAGER {
            (found, lossy) = projected(&mut land, time, options, kind, patience)?;
        }
    }
    if bearable && lossy && !close(&found) { stepped(chain, reward, time, options, kind) } else { Ok(found) }
}

/// No time at all.
fn at_once(chain: &Chain, reward: &[f64], kind: Kind) -> Answer {
    let now = sum(chain.initial().iter().map(|&(state, share)| share * reward[state]));
    let value = match kind {
        // A product and a sum.
        Kind::At => Enclosure::near(now, Loss::roundings(3.0)),
        Kind::Until => Enclosure::exact(0.0),
    };
    Answer::new(value, Method::Closed, chain.states())
}

fn check_time(time: f64) -> Result<()> {
    if time >= 0.0 && time.is_finite() {
        Ok(())
    } else {
        refuse(format!("{time} is not a time of at least 0"))
    }
}

/// The cheaper way: as many sparse products as jumps, or dense squarings.
fn choice(chain: &Chain, time: f64, options: &Options) -> Method {
    if let Some(method) = options.method {
        return method;
    }
    let few = dense_work(chain, chain.states().min(4 * FEW), time);
    if sparse_work(chain, time) <= few { Method::Uniformization } else { Method::Doubling }
}

/// Implicit steps on all states of a chain of which no few suffice, by a factor of at most `fill` numbers or
/// an iteration; none where they cannot be taken.
pub(crate) fn all_at_once(
    chain: &Chain,
    reward: &[f64],
    time: f64,
    options: &Options,
    kind: Kind,
    fill: usize,
) -> Result<Option<Answer>> {
    let unit = Unit::new(reward.iter().copied().fold(0.0, f64::max), time, kind);
    let scaled = unit.scaled(reward);
    let found = implicit::solve_relative(chain, &scaled, time, options.precision, kind, fill)?;
    Ok(found.map(|(found, _)| {
        let value = from_start(chain, &found, unit.most);
        Answer::new(unit.times(value), Method::Implicit, chain.states())
    }))
}

/// The answer for a chain that is known only where somebody looks; none when few states do not suffice.
/// `patient` when there is no other way.
pub fn solve_lazily(
    land: &mut impl Landscape,
    time: f64,
    options: &Options,
    kind: Kind,
    patient: bool,
) -> Result<Option<Answer>> {
    check_time(time)?;
    if time == 0.0 {
        return Ok(None);
    }
    let (found, lossy) = projected(land, time, options, kind, if patient { PATIENCE } else { EAGER })?;
    Ok((!lossy || found.enclosure.relative_width() <= options.precision).then_some(found))
}

fn stepped(chain: &Chain, reward: &[f64], time: f64, options: &Options, kind: Kind) -> Result<Answer> {
    let unit = Unit::new(reward.iter().copied().fold(0.0, f64::max), time, kind);
    let scaled = unit.scaled(reward);
    let found = match kind {
        Kind::At => uniformization::value(chain, &scaled, time, options.precision)?,
        Kind::Until => uniformization::accumulated(chain, &scaled, time, options.precision)?,
    };
    let value = from_start(chain, &found, unit.most);
    Ok(Answer::new(unit.times(value), Method::Uniformization, chain.states()))
}
