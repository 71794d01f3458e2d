//! Where the time of an operation goes: how long each of its steps took, and the files of its pages.

use loadstone_stats::Histogram;

use crate::record::StepWindow;
use crate::recorder::drain;

/// A step that is done, in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timed {
    pub step: usize,
    /// Connecting for it, and the TLS handshake; 0: the connection was there.
    pub connect: u64,
    pub handshake: u64,
    /// From the end of the step before to the first byte of its answer, without these; `None` of a message.
    pub first_byte: Option<u64>,
    /// From the end of the step before to the end of its answer, without these.
    pub answer: u64,
    /// From there to the last of its page's files; `None` when none was fetched.
    pub files: Option<u64>,
}

/// What a step spent so far on connections, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Setup {
    /// When the connection, or the handshake, that is under way began.
    pub began: u64,
    pub connect: u64,
    pub handshake: u64,
    /// How much of both was before the step's own answer had come.
    pub of_answer: u64,
}

impl Setup {
    pub(crate) fn spent(&self) -> u64 {
        self.connect + self.handshake
    }
}

/// The steps of one operation in the current second, as far as the last one that was ever taken.
#[derive(Debug, Default)]
pub(crate) struct StepTimes(Vec<Times>);

#[derive(Debug, Default)]
struct Times {
    answer: Histogram,
    connect: Option<Box<Histogram>>,
    handshake: Option<Box<Histogram>>,
    first_byte: Option<Box<Histogram>>,
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
            for (part, took) in [
                (&mut times.connect, Some(one.connect).filter(|took| *took > 0)),
                (&mut times.handshake, Some(one.handshake).filter(|took| *took > 0)),
                (&mut times.first_byte, one.first_byte),
                (&mut times.files, one.files),
            ] {
                if let Some(took) = took {
                    part.get_or_insert_default().record(took);
                }
            }
        }
    }

    /// Hands out what was recorded, and begins anew.
    pub(crate) fn drain(&mut self) -> Vec<StepWindow> {
        let part = |part: &mut Option<Box<Histogram>>| part.as_deref_mut().map(drain).unwrap_or_default();
        let taken = self.0.iter_mut().enumerate().filter(|(_, times)| times.answer.count() > 0);
        taken
            .map(|(step, times)| StepWindow {
                step: step as u32,
                connect: part(&mut times.connect),
                handshake: part(&mut times.handshake),
                first_byte: part(&mut times.first_byte),
                answer: drain(&mut times.answer),
                files: part(&mut times.files),
            })
            .collect()
    }
}
