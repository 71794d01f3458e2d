//! The ways that only large chains take, for tests on small ones whose truth is known.

use crate::answer::Answer;
use crate::chain::Chain;
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::hitting;
use crate::horizon::{Kind, Options};
use crate::passage::passing;
use crate::structure::bottoms;
use crate::sweep;
use crate::transient::all_at_once;

/// No factor is made.
const NO_FILL: usize = 0;

/// The mean time to a first visit by an iteration; none where that says nothing.
pub fn passage_mean(chain: &Chain, target: &[bool], options: &Options) -> Result<Option<Enclosure>> {
    match passing(chain, target) {
        Some(passing) if !passing.is_empty() => hitting::mean(chain, &passing, options.precision),
        _ => Ok(None),
    }
}

/// `reward` at a time above 0 by implicit steps whose systems are iterated on; none where they cannot be
/// taken.
pub fn reward_at(chain: &Chain, reward: &[f64], time: f64, options: &Options) -> Result<Option<Answer>> {
    all_at_once(chain, reward, time, options, Kind::At, NO_FILL)
}

/// What `reward` accumulates until then, in the same way.
pub fn accumulated(chain: &Chain, reward: &[f64], time: f64, options: &Options) -> Result<Option<Answer>> {
    all_at_once(chain, reward, time, options, Kind::Until, NO_FILL)
}

/// The long-run mean by a potential; none where the chain ends in more than one way.
pub fn long_run(chain: &Chain, reward: &[f64], options: &Options) -> Result<Option<Enclosure>> {
    match &bottoms(chain)[..] {
        [members] => Ok(Some(sweep::potential(chain, members, reward, options.precision)?.mean)),
        _ => Ok(None),
    }
}
