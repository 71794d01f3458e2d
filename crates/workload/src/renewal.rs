//! What renews a token, as a plan has it.

use crate::error::{Error, Result};
use crate::step::CompiledStep;

/// What renews is a way of its own: behind the `own` steps, without loops, and nothing renews it in turn.
pub(crate) fn check_renewals(steps: &[CompiledStep], own: usize) -> Result<()> {
    if !(1..=steps.len()).contains(&own) {
        return Err(Error::Range(format!("own: {own} of {} steps", steps.len())));
    }
    for (index, step) in steps.iter().enumerate() {
        let wrong = match step.renewal {
            Some((first, end)) if first < own || end <= first || end > steps.len() => {
                Some(format!("renewal: steps {first} to {end} are not behind the operation's own"))
            }
            Some(_) if index >= own => Some("renewal: it renews others".into()),
            Some(_) if step.socket.is_some() || step.call.is_some() => {
                Some("renewal: only requests are refused".into())
            }
            None if index >= own && (step.repeat.is_some() || step.socket.is_some()) => {
                Some("it renews others, and can be no loop and no WebSocket".into())
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(Error::Conflict(wrong).at(format!("step {}, ", index + 1)));
        }
    }
    Ok(())
}
