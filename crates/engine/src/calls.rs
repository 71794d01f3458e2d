//! Steps that call a function: asked for, awaited as an answer is, and timed apart.
//!
//! The time of a call is the generator's and not the service's: it is no part of response and service times.

use std::sync::Arc;
use std::time::Instant;

use loadstone_stats::Histogram;
use loadstone_workload::CompiledCall;

use crate::driver::Driver;
use crate::hands::{Answered, Done, Job};
use crate::reader::Whole;
use crate::record::HookWindow;
use crate::recorder::{Cause, drain};
use crate::user::{Stage, User, Work};

/// What was called in the current second, by function.
#[derive(Debug, Default)]
pub(crate) struct Called(Vec<Times>);

#[derive(Debug)]
struct Times {
    returned: u64,
    failed: u64,
    cpu_s: f64,
    waited: Histogram,
    took: Histogram,
}

impl Called {
    /// Of so many functions.
    pub(crate) fn new(functions: usize) -> Self {
        let times =
            || Times { returned: 0, failed: 0, cpu_s: 0.0, waited: Histogram::new(), took: Histogram::new() };
        Self(std::iter::repeat_with(times).take(functions).collect())
    }

    fn record(&mut self, done: &Done) {
        let times = &mut self.0[done.function];
        times.returned += u64::from(done.outcome.is_ok());
        times.failed += u64::from(done.outcome.is_err());
        times.cpu_s += done.cpu.as_secs_f64();
        times.waited.record(done.waited.as_micros() as u64);
        times.took.record(done.took.as_micros() as u64);
    }

    /// Hands out what was recorded, and begins anew.
    pub(crate) fn drain(&mut self) -> Vec<HookWindow> {
        let called = self.0.iter_mut().enumerate().filter(|(_, times)| times.returned + times.failed > 0);
        called
            .map(|(function, times)| HookWindow {
                function: function as u32,
                returned: std::mem::take(&mut times.returned),
                failed: std::mem::take(&mut times.failed),
                cpu_s: std::mem::take(&mut times.cpu_s),
                waited: drain(&mut times.waited),
                took: drain(&mut times.took),
            })
            .collect()
    }
}

impl Driver<'_> {
    /// Asks for the call of the step that a user is in.
    pub(crate) fn call(&mut self, user: &mut User, work: &mut Work, call: &CompiledCall) {
        user.deadline = self.now + user.patience;
        let Some(hands) = &self.shared.hands else {
            return self.fail(user, work, Cause::Hook, "nobody calls functions here");
        };
        let arguments = call.given(&user.state);
        self.shared.trace.iter().for_each(|trace| {
            let given = call.parameters.iter().zip(&arguments);
            let given: Vec<String> =
                given.map(|(name, text)| format!("{name}={}", String::from_utf8_lossy(text))).collect();
            let name = &self.program.functions[call.function];
            let text = format!("CALL {name}\r\n\r\n{}", given.join(", "));
            trace.talked(self.program, user, text.as_bytes(), self.now);
        });
        self.tickets += 1;
        user.stage = Stage::Calling;
        user.ticket = self.tickets;
        hands.ask(Job {
            thread: self.thread.0 as usize,
            token: user.token,
            ticket: user.ticket,
            operation: user.operation,
            step: user.step,
            arguments,
            answer: user.answered.clone(),
            asked: Instant::now(),
        });
    }

    /// Deals with the calls that were made.
    pub(crate) fn take_returned(&mut self, users: &mut [User]) {
        let Some(hands) = &self.shared.hands else { return };
        for done in hands.done(self.thread.0 as usize) {
            self.now = self.clock.now();
            self.roll_if_due();
            self.recorder.called.record(&done);
            let user = &mut users[done.token as usize];
            // One that took too long is awaited no more.
            if user.stage == Stage::Calling && user.ticket == done.ticket {
                self.on_returned(user, done.outcome);
            }
        }
    }

    fn on_returned(&mut self, user: &mut User, outcome: Result<Vec<Vec<u8>>, String>) {
        user.called += self.now - user.step_began;
        let mut work = self.borrow_work(user);
        match outcome {
            Ok(returned) => {
                let step = self.step_of(user);
                step.call.iter().for_each(|call| call.take(&returned, &mut user.state));
                user.state.flags = (user.state.flags | step.set) & !step.unset;
                self.shared.trace.iter().for_each(|trace| {
                    trace.heard(b"", self.now);
                    trace.decided(self.program, user, "done");
                });
                self.step_done(user, &mut work);
            }
            Err(said) => self.fail(user, &mut work, Cause::Hook, &said),
        }
        self.return_work(user, work);
    }

    /// Keeps an answer for a function that is given it.
    pub(crate) fn keep_answer(&self, user: &mut User, whole: &Whole<'_>) {
        user.answered = Some(Arc::new(Answered {
            status: whole.status,
            head: whole.headers.as_bytes().to_vec(),
            body: whole.body.to_vec(),
        }));
    }
}
