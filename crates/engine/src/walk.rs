//! How a user walks: when operations begin, which steps they take, how they end.

use loadstone_workload::{CompiledRepeat, Next, OnFailure, PacingKind};

use crate::clock::micros;
use crate::driver::Driver;
use crate::examples::Of;
use crate::recorder::{Cause, Ended};
use crate::steps::{Setup, Timed};
use crate::user::{Fetch, Renewal, Stage, User, Work};

/// A user whose connection was refused, or whose TLS failed, tries again no sooner than this, as a person would; a closed loop
/// without think time would otherwise spin.
const BACK_OFF: u64 = 100_000;

impl Driver<'_> {
    /// Begins the next operation of an idle user, intended at `intended`.
    pub(crate) fn begin(&mut self, user: &mut User, intended: u64) {
        let mut work = self.borrow_work(user);
        self.begin_with(user, &mut work, intended);
        self.return_work(user, work);
    }

    fn begin_with(&mut self, user: &mut User, work: &mut Work, intended: u64) {
        let program = self.program;
        if self.shared.budget.as_ref().is_some_and(|budget| !budget.take()) {
            // It stays, idle, with its connection, until the others are done.
            user.wake = u64::MAX;
            return;
        }
        if user.next == Next::NewSession {
            self.close(user);
            user.state.begin_session(program);
            user.tls.clear();
            self.forget(user);
            self.begin_session(user, intended);
        } else {
            program.leave(user.operation, user.next, &mut user.state);
        }
        user.session.operations += 1;
        self.shared.trace.iter().for_each(|trace| trace.begun(user));
        user.operation = user.next_operation;
        let operation = &program.operations[user.operation];
        let before = if operation.pacing.kind == PacingKind::Cycle { user.sent } else { user.ended };
        user.pace = (!user.fresh).then(|| self.now - before);
        self.draw(user, intended);
        // What follows is decided now, so that it is known when a busy user should have begun again.
        let next = if user.session.operations >= program.scenario_of(&user.state).max_operations {
            Next::NewSession
        } else {
            program.next(user.operation, &mut user.state)
        };
        self.plan_next(user, next);
        user.ruled = None;
        user.step = 0;
        self.next_step(user, work);
    }

    /// Begins the operation that a user without a session makes.
    pub(crate) fn enter(&mut self, user: &mut User, work: &mut Work, intended: u64) {
        self.draw(user, intended);
        user.ruled = None;
        user.step = 0;
        self.next_step(user, work);
    }

    /// The operation is under way from now on, with values of its own.
    #[inline]
    fn draw(&mut self, user: &mut User, intended: u64) {
        user.intended = intended;
        user.sent = self.now;
        user.requests_sent = 0;
        user.called = 0;
        user.heard_after = None;
        self.gauges.in_flight += 1;
        let operation = &self.program.operations[user.operation];
        user.last_call = operation.timeout_us.map_or(u64::MAX, |most| self.now + most);
        user.rounds.clear();
        user.renewal = Renewal::None;
        operation.draw(&mut user.state, &mut self.drawing);
    }

    /// Settles what follows the operation under way, and after which time.
    pub(crate) fn plan_next(&self, user: &mut User, next: Next) {
        user.next = next;
        user.next_operation = self.program.target_of(next, &user.state);
        let law = &self.program.operations[user.next_operation].pacing.law;
        user.delay = micros(law.sample(&mut user.state.walk));
    }

    /// A new session: nothing remembered, the cache warm or empty by chance.
    pub(crate) fn forget(&mut self, user: &mut User) {
        user.state.forget(self.program);
        let share = self.program.scenario_of(&user.state).browser.warm_share;
        // No random number is spent where the answer is certain.
        let warm = share > 0.0 && (share >= 1.0 || user.state.rng.unit_open() <= share);
        user.browser.reset(warm);
    }

    /// Takes the next step that the user's flags and chance allow, or ends the operation.
    fn next_step(&mut self, user: &mut User, work: &mut Work) {
        let operation = &self.program.operations[user.operation];
        let end = match user.renewal {
            Renewal::UnderWay { end, .. } => end,
            _ => operation.own,
        };
        while user.step < end {
            if operation.steps[user.step].is_taken(&mut user.state) {
                return self.take(user, work);
            }
            user.step += 1;
        }
        if let Renewal::UnderWay { step, .. } = user.renewal {
            user.step = step;
            user.renewal = Renewal::Done;
            return self.take(user, work);
        }
        self.end(user, work, Ok(()));
    }

    /// Takes the step that the user is at.
    fn take(&mut self, user: &mut User, work: &mut Work) {
        let step = self.step_of(user);
        user.fetch = Fetch::Step;
        user.host = step.host;
        user.step_began = self.now;
        user.patience = step.timeout_us.unwrap_or(self.timetable.timeout);
        user.setup = Setup::default();
        user.first_byte = None;
        user.method = crate::request::method_of(step);
        user.redirects = 0;
        user.waits = 0;
        work.journey.location.clear();
        match (step.socket, &step.call) {
            (None, None) => self.issue(user, work),
            (Some(kind), _) => self.use_socket(user, work, kind),
            (None, Some(call)) => self.call(user, work, call),
        }
    }

    /// The step succeeded, what its page refers to included.
    pub(crate) fn step_done(&mut self, user: &mut User, work: &mut Work) {
        self.time_step(user);
        let step = self.step_of(user);
        if user.renewal == Renewal::Done {
            user.renewal = Renewal::None;
        }
        if let Some(named) = step.count {
            user.counts.add_step(named);
        }
        if step.forget {
            self.forget(user);
        }
        match &step.repeat {
            Some(repeat) if goes_round(repeat, user) => user.step -= repeat.back,
            _ => user.step += 1,
        }
        self.next_step(user, work);
    }

    /// The step was refused: others renew what it was refused for, and then it is taken once more.
    pub(crate) fn renew(&mut self, user: &mut User, work: &mut Work) {
        let Some((first, end)) = self.step_of(user).renewal else { return };
        self.time_step(user);
        user.renewal = Renewal::UnderWay { step: user.step, end };
        user.step = first;
        self.next_step(user, work);
    }

    /// Notes how long the step took, refused or not.
    fn time_step(&self, user: &mut User) {
        let operation = &self.program.operations[user.operation];
        let step = &operation.steps[user.step];
        user.heard_after =
            user.heard_after.or_else(|| user.first_byte.map(|at| at - user.sent - user.called));
        if (operation.has_parts() || self.shared.secure) && step.call.is_none() {
            let fetched = user.fetch == Fetch::Reference;
            let spent = user.setup.spent();
            let (answered, setup) =
                if fetched { (user.step_answered, user.setup.of_answer) } else { (self.now, spent) };
            user.timed.push(Timed {
                step: user.step,
                connect: user.setup.connect,
                handshake: user.setup.handshake,
                first_byte: user.first_byte.map(|at| at - user.step_began - setup),
                answer: answered - user.step_began - setup,
                files: fetched.then(|| self.now - answered - (spent - setup)),
            });
        }
    }

    /// The operation failed.
    pub(crate) fn fail(&mut self, user: &mut User, work: &mut Work, cause: Cause, said: &str) {
        self.shared.trace.iter().for_each(|trace| trace.failed(self.program, user, self.now, cause, said));
        let (operation, of) = (&self.program.operations[user.operation], Of::Failure(cause));
        let describe = || self.describe(user, work, said);
        self.shared.examples.note(user.operation, &operation.name, of, self.now, describe);
        self.give_up(user);
        if self.step_of(user).socket.is_some() {
            self.drop_socket(user);
        }
        if self.fail_lanes(user, cause) {
            return;
        }
        self.end(user, work, Err(cause));
    }

    /// "GET /x: status 500, expected 200".
    fn describe(&self, user: &User, work: &Work, said: &str) -> String {
        if let Some(call) = &self.step_of(user).call {
            return format!("CALL {}: {said}", self.program.functions[call.function]);
        }
        let mut path = Vec::new();
        match (user.fetch, work.journey.references.current()) {
            (Fetch::Reference, Some((_, reference))) if work.journey.location.is_empty() => {
                path.extend_from_slice(reference);
            }
            _ => self.page_path(user, &work.journey, &mut path),
        }
        let path = String::from_utf8_lossy(&path);
        let origin = if user.host == 0 { String::new() } else { self.program.places[user.host].origin() };
        format!("{} {origin}{path}: {said}", user.method.as_str())
    }

    pub(crate) fn end(&mut self, user: &mut User, work: &mut Work, result: Result<(), Cause>) {
        let program = self.program;
        self.roll_if_due();
        work.clear();
        user.stage = Stage::Idle;
        user.ended = self.now;
        user.fresh = false;
        user.answered = None;
        self.gauges.in_flight -= 1;
        self.recorder.ended(Ended {
            operation: user.operation,
            intended: user.intended,
            sent: user.sent,
            end: self.now,
            first_byte: user.heard_after,
            pace: user.pace,
            limit_us: program.operations[user.operation].limit_us,
            called: user.called,
            result,
            counts: &mut user.counts,
            timed: &mut user.timed,
        });
        if let Some(budget) = &self.shared.budget {
            budget.ended(self.now);
        }
        if self.offered.is_some() {
            self.release(user, work, result.is_ok());
            return;
        }
        let scenario = program.scenario_of(&user.state);
        let lost = result.err().filter(|_| scenario.on_failure == OnFailure::End);
        if let Some(next) = user.ruled.filter(|_| user.session.operations < scenario.max_operations) {
            self.plan_next(user, next);
        }
        if lost.is_some() || user.next == Next::NewSession {
            self.end_session(user, lost);
        }
        if user.leaving {
            self.stop(user);
            return;
        }
        let reference = match program.operations[user.next_operation].pacing.kind {
            PacingKind::Cycle => user.sent,
            PacingKind::Think => user.ended,
        };
        let mut intended = reference + user.delay;
        if matches!(result, Err(Cause::Refused | Cause::Tls)) {
            intended = intended.max(self.now + BACK_OFF);
        }
        // What sent nothing, or failed, goes through the queue: the same user must not starve the others
        // here.
        if intended <= self.now && result.is_ok() && user.requests_sent > 0 && self.now < self.timetable.end {
            self.begin_with(user, work, intended);
        } else {
            self.await_start(user, intended);
        }
    }
}

/// Whether the loop that ends with the user's step begins another round.
fn goes_round(repeat: &CompiledRepeat, user: &mut User) -> bool {
    // A loop inside of it that was left in mid-round, because its last step was not taken.
    while user.rounds.last().is_some_and(|(step, _)| *step < user.step) {
        user.rounds.pop();
    }
    let left = match user.rounds.last() {
        Some((step, left)) if *step == user.step => *left,
        _ => {
            let rounds = repeat.rounds(&mut user.state);
            user.rounds.push((user.step, rounds));
            rounds
        }
    };
    let more = left > 1 && repeat.goes_on(&user.state);
    user.rounds.pop();
    if more {
        user.rounds.push((user.step, left - 1));
    }
    more
}
