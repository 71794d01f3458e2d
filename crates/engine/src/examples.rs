//! The first example of everything that a reader of a run may want to see: each cause of failure, and each
//! reference to another host, of each operation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::record::{CAUSES, COUNTERS, Example};
use crate::recorder::{Cause, Counter, SECOND};

/// What there is an example of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of {
    Failure(Cause),
    OtherHost,
}

/// Kinds of [`Of`].
const KINDS: usize = CAUSES.len() + 1;

impl Of {
    fn index(self) -> usize {
        match self {
            Self::Failure(cause) => cause as usize,
            Self::OtherHost => CAUSES.len(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Failure(cause) => CAUSES[cause as usize],
            Self::OtherHost => COUNTERS[Counter::ReferencesOtherHost as usize],
        }
    }
}

/// One of each kind, of all threads.
#[derive(Debug)]
pub(crate) struct Examples {
    taken: Box<[AtomicBool]>,
    kept: Mutex<Vec<Example>>,
}

impl Examples {
    pub(crate) fn new(operations: usize) -> Self {
        let taken = std::iter::repeat_with(AtomicBool::default).take(operations * KINDS).collect();
        Self { taken, kept: Mutex::new(Vec::new()) }
    }

    /// Keeps what is `said` if it is the first of its kind; then only is it put into words.
    #[inline]
    pub(crate) fn note(&self, operation: usize, name: &str, of: Of, at: u64, said: impl FnOnce() -> String) {
        let taken = &self.taken[operation * KINDS + of.index()];
        if taken.load(Ordering::Relaxed) || taken.swap(true, Ordering::Relaxed) {
            return;
        }
        let example = Example {
            operation: name.into(),
            of: of.name().into(),
            at_s: at as f64 / SECOND as f64,
            said: said(),
        };
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(example);
    }

    /// All of them, in the order of time.
    pub(crate) fn all(&self) -> Vec<Example> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_operation_and_kind_is_kept() {
        let examples = Examples::new(2);
        let note = |operation, of, at| {
            examples.note(operation, ["a", "b"][operation], of, at, || format!("at {at}"));
        };
        note(1, Of::Failure(Cause::Marker), 9 * SECOND);
        note(1, Of::Failure(Cause::Marker), SECOND);
        note(0, Of::Failure(Cause::Marker), 2 * SECOND);
        note(0, Of::OtherHost, SECOND / 2);
        let all = examples.all();
        let of: Vec<_> = all.iter().map(|e| (e.operation.as_str(), e.of.as_str(), e.at_s)).collect();
        assert_eq!(of, [("a", "references_other_host", 0.5), ("a", "marker", 2.0), ("b", "marker", 9.0)]);
        assert_eq!(all[2].said, "at 9000000");
    }
}
