//! Sessions: those that users begin one after the other, and those of an open workload, which arrive whether
//! or not the server keeps up.

use loadstone_workload::{Next, Program};

use crate::clock::micros;
use crate::driver::Driver;
use crate::due::Due;
use crate::recorder::Cause;
use crate::user::{Session, Stage, User};

/// Most sessions that begin before the events of others are looked at.
const AT_ONCE: usize = 64;

/// The sessions of a thread that are still to come, and where they find room.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) due: Due,
    /// Whether the thread has yet to say that no more sessions come.
    expecting: bool,
    /// No session arrives from here on.
    until: u64,
    /// Users that are in no session.
    free: Vec<u32>,
    most: usize,
}

impl Open {
    /// The part of thread `number` of `threads` of an open workload; `room`: sockets for all threads.
    pub(crate) fn new(program: &Program, (number, threads): (u32, u32), room: u64) -> Option<Self> {
        program.load.sessions_per_s?;
        let due = Due::new(program, (number, threads))?;
        let most = (room / u64::from(threads)).min(u64::from(program.population)) as usize;
        let until = micros(program.load.ramp_up_s) + micros(program.load.steady_s);
        Some(Self { due, expecting: true, until, free: Vec::with_capacity(most), most })
    }

    /// Most sessions at once.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// When there is something to do.
    pub(crate) fn next_at(&self) -> u64 {
        match self.due.next() {
            Some((_, at)) => at,
            None if self.expecting => self.until,
            None => u64::MAX,
        }
    }

    /// A user that is in no session, a new one if need be; none when all sockets are in use.
    fn room(&mut self, program: &Program, users: &mut Vec<User>, number: u32) -> Option<usize> {
        if let Some(token) = self.free.pop() {
            let user = &mut users[token as usize];
            user.state.become_user(program, number);
            user.next_operation = program.scenario_of(&user.state).first;
            return Some(token as usize);
        }
        let token = users.len();
        (token < self.most).then(|| {
            users.push(User::new(program, number, token as u32));
            token
        })
    }
}

impl Driver<'_> {
    /// Begins the sessions that are due.
    pub(crate) fn admit(&mut self, users: &mut Vec<User>) {
        let (program, shared, round) = (self.program, self.shared, self.now);
        for _ in 0..AT_ONCE {
            let Some(open) = &mut self.open else { return };
            let Some((number, at)) = open.due.take(round) else { break };
            let Some(token) = open.room(program, users, number) else {
                self.recorder.sessions.dropped(program.dealt(number), at);
                continue;
            };
            shared.live.iter().for_each(|live| live.begun());
            let user = &mut users[token];
            user.stage = Stage::Idle;
            self.now = self.clock.now();
            self.roll_if_due();
            self.recorder.users.begun(self.now);
            self.recorder.woke(self.now - at);
            self.begin(user, at);
        }
        let done = self.open.as_mut().filter(|open| open.due.next().is_none() && round >= open.until);
        if let Some(open) = done.filter(|open| open.expecting) {
            open.expecting = false;
            shared.live.iter().for_each(|live| live.ended(open.until));
        }
    }

    /// Counts the sessions that should have arrived before the run's end and that a late engine has not
    /// begun.
    pub(crate) fn drop_overdue(&mut self) {
        let Some(open) = &mut self.open else { return };
        while let Some((number, at)) = open.due.take(self.now) {
            self.recorder.sessions.dropped(self.program.dealt(number), at);
        }
    }

    /// A user begins a session: at once in a closed workload, intended at `arrival` in an open one.
    pub(crate) fn begin_session(&mut self, user: &mut User, arrival: u64) {
        let began = if self.open.is_some() { arrival } else { self.now };
        user.session = Session { began, lives: true, ..Session::default() };
        self.recorder.sessions.begun(user.state.scenario(), began);
        self.recorder.live_sessions.begun(began);
    }

    /// A user's session is over: completed, or lost by the failure of its last operation.
    pub(crate) fn end_session(&mut self, user: &mut User, lost: Option<Cause>) {
        user.session.lives = false;
        self.recorder.live_sessions.ended(self.now);
        self.recorder.sessions.ended(user.state.scenario(), user.session, self.now, lost);
        if let Some(open) = &mut self.open {
            open.free.push(user.token);
            user.leaving = true;
            self.shared.live.iter().for_each(|live| live.ended(self.now));
        } else if lost.is_some() {
            self.plan_next(user, Next::NewSession);
        }
    }
}
