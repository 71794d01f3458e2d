//! The states that matter, solved: ever more of them, each number in the cheapest way.

use crate::answer::{Answer, Method};
use crate::chain::Chain;
use crate::doubling::{self, Halfway, Values};
use crate::error::Result;
use crate::horizon::{Kind, MANY, Options, Unit, dense_work, fill, from_start, sparse_work};
use crate::implicit;
use crate::projection::{Importance, Landscape, Projected};
use crate::rounding::{Loss, upwards};
use crate::uniformization;

/// States that are tried first.
pub const FEW: usize = 48;

/// What the states of an implicit step cost each, in multiplications: measured at 200 to 12,000 states.
const IMPLICIT: f64 = 5000.0;

/// Multiplications that few states may take before other ways are tried: about a second.
pub const EAGER: f64 = 8e8;

/// Relative width at which few states say next to nothing.
pub const HOPELESS: f64 = 0.9;

/// The states that matter, ever more of them, until the bounds are close enough, all that can be reached are
/// kept, or the next would cost more than `patience`; and whether some were left out.
pub fn projected(
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

/// Numbers of a factor, and multiplications that solving with it takes for each: a guess that keeps memory
/// and time together.
const MOST_FILL: f64 = 3e7;
const USES: f64 = 1e3;

/// What the kept states earn, and how likely (or for which share of the time) the chain is in the sink; none
/// when that takes more than `patience` multiplications.
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
    // Where elimination fills much, an iteration is quicker; few states have squarings instead.
    let worth = if states > MANY { fill(&small.chain) } else { usize::MAX };
    let fill = worth.min((patience / USES).clamp(1.0, MOST_FILL) as usize);
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
