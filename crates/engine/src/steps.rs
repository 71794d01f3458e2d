//! Where the time of an operation goes: how long each of its steps took, and the files of its pages.

use loadstone_stats::Histogram;

use crate::record::StepWindow;
use crate::recorder::drain;

/// A step that is done, in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timed {
    pub step: usize,
    /// From the end of the step before to its answer.
    pub answer: u64,
    /// From there to the last of its page's files; `None` when none was fetched.
    pub files: Option<u64>,
}

/// The steps of one operation in the current second, as far as the last one that was ever taken.
#[derive(Debug, Default)]
pub(crate) struct StepTimes(Vec<Times>);

#[derive(Debug, Default)]
struct Times {
    answer: Histogram,
    files: Option<Box<Histogram>>,
}

impl StepTimes {
    /// Counts the steps of an operation that ended well.
    pub(crate) fn record(&mut self, timed: &[Timed]) {
        for one in timed {
            if self.0.len() <= one.step {
                self.0.resize_with(one.step + 1, Times::default);
            }
            let times = &mut self.0[one.step];
            times.answer.record(one.answer);
            if let Some(files) = one.files {
                times.files.get_or_insert_default().record(files);
            }
        }
    }

    /// Hands out what was recorded, and begins anew.
    pub(crate) fn drain(&mut self) -> Vec<StepWindow> {
        let taken = self.0.iter_mut().enumerate().filter(|(_, times)| times.answer.count() > 0);
        taken
            .map(|(step, times)| StepWindow {
                step: step as u32,
                answer: drain(&mut times.answer),
                files: times.files.as_deref_mut().map(drain).unwrap_or_default(),
            })
            .collect()
    }
}
