//! Finite horizons: the distribution at a time, a reward at a time, a reward accumulated until then.

use crate::answer::{Answer, Distribution, Method};
use crate::budget;
use crate::chain::Chain;
use crate::closed;
use crate::doubling::{self, Halfway, Values};
use crate::enclosure::Enclosure;
use crate::error::{Result, refuse};
use crate::implicit;
use crate::projection::{Importance, Known, Landscape, Projected};
use crate::rounding::{Loss, power_below, sum, upwards};
use crate::settled::{self, Way};
use crate::stationary::check_reward;
use crate::uniformization;

/// How exact an answer must be, and with what it may be found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Relative width of the enclosure that is asked for. What is returned states its own, which may be wider.
    pub precision: f64,
    /// Threads that may be used.
    pub threads: usize,
    /// Method for finite horizons; by cost when absent.
    pub method: Option<Method>,
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { precision: 1e-8, threads, method: None }
    }
}

/// States that are tried first, and the most that dense matrices are made of.
const FEW: usize = 48;
const MANY: usize = 1600;

/// States of chains that are asked at once whether they forget their start.
const LARGE: usize = 4000;

/// What an implicit step costs a state, in multiplications: measured, beside the others.
const IMPLICIT: f64 = 900.0;

/// Multiplications that few states may take before the long run is tried instead: about a second.
const EAGER: f64 = 1e8;

/// Relative width at which few states are given up before that.
const HOPELESS: f64 = 0.9;

/// Multiplications of the sparse method that are still worth it when no few states suffice: about a minute.
const PATIENCE: f64 = 1.5e10;

/// Sparse products that take so little are not avoided by anything that may fail; and those of a second.
const SOON: f64 = 1.2e10;
const MULTIPLICATIONS: f64 = 8e8;

/// Numbers of a factor for each of the chain's own, beyond which an iteration is quicker.
const FILLED: usize = 8;

/// States that implicit steps take all at once.
const ALL: usize = 50_000;

/// Which question about a finite horizon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// The value at the horizon.
    At,
    /// What was accumulated until then.
    Until,
}

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

/// Of `states` states like those of `chain`. A term of a dense product costs a fraction of one of a sparse product.
fn dense_work(chain: &Chain, states: usize, time: f64) -> f64 {
    let squarings = f64::from(doubling::doublings(chain, time)) + 20.0;
    squarings * (states as f64).powi(3) / 40.0
}

fn sparse_work(chain: &Chain, time: f64) -> f64 {
    uniformization::jumps(chain, time) * (chain.transitions() + chain.states()) as f64
}

fn solve(chain: &Chain, reward: &[f64], time: f64, options: &Options, kind: Kind) -> Result<Answer> {
    check_time(time)?;
    check_reward(chain, reward)?;
    if time == 0.0 {
        let now = sum(chain.initial().iter().map(|&(state, share)| share * reward[state]));
        let value = if kind == Kind::At {
            // A product and a sum.
            Enclosure::near(now, Loss::roundings(3.0))
        } else {
            Enclosure::exact(0.0)
        };
        return Ok(Answer::new(value, Method::Closed, chain.states()));
    }
    if let (None, Some(answer)) = (options.method, closed::two_states(chain, reward, time, kind)) {
        return Ok(answer);
    }
    match choice(chain, time, options) {
        Method::Uniformization => {
            uniformization::check(chain, time)?;
            stepped(chain, reward, time, options, kind)
        }
        _ => {
            let free = options.method.is_none();
            let patience = if free { sparse_work(chain, time) } else { f64::MAX };
            let settled = |way: Way| -> Result<Option<Enclosure>> {
                let wanted = free && kind == Kind::Until;
                let found = if wanted {
                    settled::accumulated(chain, reward, time, options.precision, way)?
                } else {
                    None
                };
                Ok(found.filter(|each| each.relative_width() <= options.precision))
            };
            // Cheap where it works, and found out soon where not.
            if chain.states() > LARGE
                && let Some(enclosure) = settled(Way::Forgetting)?
            {
                return Ok(Answer::new(enclosure, Method::Settled, chain.states()));
            }
            let mut land = Known { chain, reward };
            let wide = |(found, lossy): &(Answer, bool)| {
                *lossy && found.enclosure.relative_width() > options.precision
            };
            let mut found = projected(&mut land, time, options, kind, patience.min(EAGER))?;
            if wide(&found)
                && let Some(enclosure) = settled(Way::Walking)?
            {
                return Ok(Answer::new(enclosure, Method::Settled, chain.states()));
            }
            let width = found.0.enclosure.relative_width();
            if wide(&found)
                && free
                && width > HOPELESS / 2.0
                && sparse_work(chain, time) > SOON
                && chain.states() <= ALL
                && let fill = FILLED * (chain.transitions() + chain.states())
                && let Some(answer) = all_at_once(chain, reward, time, options, kind, fill)?
                && answer.enclosure.relative_width() <= options.precision
            {
                return Ok(answer);
            }
            if wide(&found) && patience > EAGER {
                found = projected(&mut land, time, options, kind, patience.min(affordable()))?;
            }
            let bearable =
                || sparse_work(chain, time) <= affordable() && uniformization::check(chain, time).is_ok();
            if wide(&found) && free && bearable() {
                stepped(chain, reward, time, options, kind)
            } else {
                Ok(found.0)
            }
        }
    }
}

/// Implicit steps on all states of a chain of which no few suffice, by a factor of at most `fill` numbers or an
/// iteration; none where they cannot be taken.
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

/// Multiplications that the time left allows, as far as a method may go without a limit at least.
fn affordable() -> f64 {
    budget::seconds().map_or(PATIENCE, |seconds| (seconds * MULTIPLICATIONS).max(PATIENCE))
}

/// The answer for a chain that is known only where somebody looks; none when few states do not suffice. `patient`
/// when there is no other way.
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

/// What an answer is computed in, so that its numbers are of the size of 1: then underflow is far below its digits.
struct Unit {
    /// A power of two, by which rewards are divided.
    scale: f64,
    /// The largest reward after that: below 2.
    most: f64,
    /// The horizon where a mean over it is computed, else 1.
    span: f64,
}

impl Unit {
    fn new(most: f64, time: f64, kind: Kind) -> Self {
        let most = most.min(f64::MAX);
        let scale = power_below(most);
        Self { scale, most: most / scale, span: if kind == Kind::At { 1.0 } else { time } }
    }

    /// Rewards in this unit.
    fn scaled(&self, reward: &[f64]) -> Vec<f64> {
        reward.iter().map(|each| each / self.scale).collect()
    }

    /// A number in this unit.
    fn times(&self, value: Enclosure) -> Enclosure {
        value.times(Enclosure::exact(self.scale)).times(Enclosure::exact(self.span))
    }
}

/// An answer from the values by starting state, where a reward is `most` at most.
fn from_start(chain: &Chain, found: &Values, most: f64) -> Enclosure {
    let value = sum(chain.initial().iter().map(|&(state, share)| share * found.values[state]));
    let total = chain.total();
    let missing = upwards(found.missing * most * total, 2.0);
    Enclosure::around(value, found.loss + Loss::roundings(3.0), missing).at_most(upwards(most * total, 1.0))
}

/// The states that matter, ever more of them, until the bounds are close enough, all that can be reached are kept,
/// or the next would cost more than `patience`; and whether some were left out.
fn projected(
    land: &mut impl Landscape,
    time: f64,
    options: &Options,
    kind: Kind,
    patience: f64,
) -> Result<(Answer, bool)> {
    let unit = Unit::new(land.most(), time, kind);
    let mut importance = Importance::new(land);
    let mut best: Option<Answer> = None;
    let mut count = FEW;
    loop {
        let mut small = importance.project(count)?;
        small.reward = unit.scaled(&small.reward);
        // The first attempt is small, whatever it takes.
        let bearable = if best.is_none() { f64::MAX } else { patience };
        let solved = both(&small, time, options, kind, bearable)?;
        let Some((inside, outside, method)) = solved else {
            return Ok((best.expect("the first attempt has an answer"), true));
        };
        let mut found = from_start(&small.chain, &inside, unit.most);
        if small.lossy {
            let lost = from_start(&small.chain, &outside, 1.0);
            let most = upwards(unit.most * small.chain.total(), 1.0);
            found.high = (found.high + (lost.high * unit.most).next_up()).next_up().min(most);
        }
        let found = unit.times(found);
        if best.is_none_or(|best| found.relative_width() < best.enclosure.relative_width()) {
            best = Some(Answer::new(found, method, small.chain.states() - 1));
        }
        let enough = !small.lossy || found.relative_width() <= options.precision;
        let width = found.relative_width();
        // Far from enough is far from enough states, and nearly enough needs few more.
        count = match width / options.precision {
            ratio if ratio > 1e3 => count * 4,
            ratio if ratio > 32.0 => count * 2,
            ratio if ratio > 2.0 => count * 3 / 2,
            _ => count * 5 / 4,
        };
        let (_, work) = cheapest(&small.chain, count, time, options);
        // Who knows next to nothing of so many states needs nearly all of them.
        let hopeless = width > HOPELESS && patience <= EAGER && work > EAGER / 8.0;
        if enough || hopeless || work > patience {
            return Ok((best.expect("an answer was just found"), small.lossy));
        }
    }
}

/// Numbers of a factor, and multiplications that solving with it takes for each: a guess that keeps memory and time
/// together.
const MOST_FILL: f64 = 3e7;
const USES: f64 = 1e3;

/// What the kept states earn, and how likely (or for which share of the time) the chain is in the sink; none when
/// that takes more than `patience` multiplications.
fn both(
    small: &Projected,
    time: f64,
    options: &Options,
    kind: Kind,
    patience: f64,
) -> Result<Option<(Values, Values, Method)>> {
    let states = small.reward.len();
    let sink = |state: usize| f64::from(u8::from(state + 1 == states));
    let sunk: Vec<f64> = (0..states).map(sink).collect();
    let rewards: [&[f64]; 2] = [&small.reward, &sunk];
    let (method, _) = cheapest(&small.chain, states, time, options);
    let precision = options.precision;
    let fill = (patience / USES).clamp(1.0, MOST_FILL) as usize;
    if method == Method::Implicit
        && let Some((inside, tolerance)) =
            implicit::solve_relative(&small.chain, &small.reward, time, precision, kind, fill)?
    {
        let outside = if small.lossy {
            implicit::solve(&small.chain, &sunk, time, tolerance, kind, fill)?
        } else {
            Some(Values { values: vec![0.0; states], loss: Loss::default(), missing: 0.0 })
        };
        if let Some(outside) = outside {
            return Ok(Some((inside, outside, method)));
        }
    }
    let method = match method {
        Method::Implicit if states <= MANY => Method::Doubling,
        Method::Implicit if sparse_work(&small.chain, time) > patience => return Ok(None),
        Method::Implicit => Method::Uniformization,
        other => other,
    };
    let of = |reward: &[f64]| match kind {
        Kind::At => uniformization::value(&small.chain, reward, time, precision),
        Kind::Until => uniformization::accumulated(&small.chain, reward, time, precision),
    };
    let [inside, outside] = match (method, kind) {
        (Method::Doubling, Kind::At) => {
            let half = Halfway::reach(&small.chain, time, &[], precision, options.threads)?;
            rewards.map(|reward| half.value(reward))
        }
        (Method::Doubling, Kind::Until) => {
            let half = Halfway::reach(&small.chain, time, &rewards, precision, options.threads)?;
            [0, 1].map(|which| half.accumulated(which))
        }
        _ => [of(rewards[0])?, of(rewards[1])?],
    };
    Ok(Some((inside, outside, method)))
}

/// How `states` states like those of `chain` are best solved, and how many multiplications that takes.
fn cheapest(chain: &Chain, states: usize, time: f64, options: &Options) -> (Method, f64) {
    let dense = if states <= MANY { dense_work(chain, states, time) } else { f64::INFINITY };
    let share = states as f64 / chain.states() as f64;
    let sparse = 2.0 * sparse_work(chain, time) * share;
    // Steps grow with the logarithm of the horizon; a state costs some hundred numbers in each.
    let implicit = f64::from(doubling::doublings(chain, time) + 20) * IMPLICIT * states as f64;
    let all = [(Method::Doubling, dense), (Method::Uniformization, sparse), (Method::Implicit, implicit)];
    let allowed = |each: &&(Method, f64)| options.method.is_none_or(|method| each.0 == method);
    let best = all.iter().filter(allowed).min_by(|a, b| a.1.total_cmp(&b.1));
    best.copied().unwrap_or((Method::Uniformization, sparse))
}
