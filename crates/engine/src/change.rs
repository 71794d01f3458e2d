//! The load changes while a run goes on: by the plan's profile, or by hand.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use loadstone_workload::Next;

use crate::clock::micros;
use crate::driver::{Driver, STAGGER};
use crate::files;
use crate::offered::part;
use crate::recorder::SECOND;
use crate::run::Run;
use crate::user::{Stage, User};

/// A change of the load is announced so much before, microseconds: every thread has noticed it by then.
const NOTICE: u64 = 300_000;
/// Highest rate; more than any network carries.
const MOST_RATE: f64 = 1e8;

impl Run {
    /// Changes the load of the run that is under way: users, or the rate, as the plan has it, all agents
    /// together. It stands in place of what the plan says of later times. Returns from when on, seconds since
    /// the run began; `at_s` asks for such an instant, so that several agents change together.
    ///
    /// # Errors
    /// A sentence when it is no load, or there is no room for it.
    pub fn change(&self, load: f64, at_s: Option<f64>) -> Result<f64, String> {
        self.may_change(load)?;
        let at = at_s.map_or_else(|| self.clock.now() + NOTICE, micros);
        let mut changes = self.shared.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.push((at, load));
        self.shared.changed.store(changes.len(), Ordering::Release);
        Ok(at as f64 / SECOND as f64)
    }

    /// Whether the load could be changed so: of several agents all are asked before one changes.
    ///
    /// # Errors
    /// As [`Run::change`].
    pub fn may_change(&self, load: f64) -> Result<(), String> {
        let rated = self.program.load.rate().is_some();
        let most = if rated { MOST_RATE } else { f64::from(u32::MAX) };
        if !(load > 0.0 && load <= most && (rated || load.fract() == 0.0)) {
            return Err(format!(
                "{load} is no {} that the run can have",
                if rated { "rate" } else { "number of users" }
            ));
        }
        if !rated {
            let (index, of) = self.program.slice;
            files::allow(part(load as u32, index, of).into(), self.program.places.len() as u64, "users")?;
        }
        Ok(())
    }
}

impl Driver<'_> {
    /// Takes up what was changed by hand: it stands in place of what the plan says of later times.
    pub(crate) fn take_up_changes(&mut self, levels: &mut Vec<(u64, u32)>) {
        let changes = self.shared.changes.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, load) in changes.iter().skip(self.changed).copied() {
            let due = self.open.as_mut().map(|open| &mut open.due);
            if let Some(due) = due.or_else(|| self.offered.as_mut().map(|offered| &mut offered.due)) {
                due.change(at, load);
            } else {
                levels.retain(|(planned, _)| *planned < at);
                levels.insert(0, (at, load as u32));
            }
        }
        self.changed = changes.len();
    }

    /// Makes the users that the thread needs so that there are `count` in all.
    pub(crate) fn join(&self, users: &mut Vec<User>, count: u32) {
        let ((index, of), (thread, threads)) = (self.program.slice, self.thread);
        loop {
            let token = users.len() as u32;
            let number = u64::from(index)
                + u64::from(of) * (u64::from(thread) + u64::from(threads) * u64::from(token));
            if number >= u64::from(count) {
                return;
            }
            users.push(User::new(self.program, number as u32, token));
        }
    }

    /// Starts and stops users so that the first `count` of the plan are active.
    pub(crate) fn set_level(&mut self, users: &mut [User], count: u32) {
        let mut started = 0;
        for user in users {
            let wanted = user.state.user() < count;
            let away = user.stage == Stage::Away && user.wake == u64::MAX;
            if wanted && away {
                self.await_start(user, self.now + started * STAGGER);
                started += 1;
            } else if wanted {
                user.leaving = false;
            } else if user.is_busy() {
                user.leaving = true;
            } else if !away {
                self.stop(user);
            }
        }
    }

    /// Sends a user away; it may come back in a new session.
    pub(crate) fn stop(&mut self, user: &mut User) {
        self.close(user);
        if user.stage != Stage::Away {
            self.recorder.users.ended(self.now);
        }
        if std::mem::take(&mut user.session.lives) {
            self.recorder.live_sessions.ended(self.now);
        }
        user.stage = Stage::Away;
        user.wake = u64::MAX;
        user.leaving = false;
        user.fresh = true;
        user.next = Next::NewSession;
        user.next_operation = self.program.scenario_of(&user.state).first;
    }
}
