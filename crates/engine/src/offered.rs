//! Operations that arrive at a rate, whether or not the server keeps up, and the connections that carry them.
//!
//! Each arrival is one operation of a stranger: no session, nothing remembered but the connection. It takes the
//! connection that was idle last; without one it waits, and its wait is part of its response time.

use std::collections::VecDeque;

use loadstone_workload::{Next, Program};

use crate::driver::Driver;
use crate::due::Due;
use crate::user::{Stage, User, Work};

/// Most arrivals that begin before the events of others are looked at.
const AT_ONCE: usize = 64;
/// Room for waiting arrivals that is there from the beginning.
const ROOM: usize = 1 << 17;
/// Arrivals that may wait if the plan does not say how many.
const MOST_WAITING: u32 = 100_000;

/// The operations of a thread that are still to come or wait, and the connections that are idle.
#[derive(Debug)]
pub(crate) struct Offered {
    pub due: Due,
    waiting: VecDeque<Arrival>,
    most_waiting: usize,
    /// Those that can carry one, the next one to do so last.
    pub idle: Vec<u32>,
    connections: usize,
}

/// One operation that has arrived.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    number: u32,
    operation: u32,
    /// When it was intended.
    at: u64,
}

impl Offered {
    /// The part of thread `number` of `threads`, with `connections` of its own.
    pub(crate) fn new(program: &Program, (number, threads): (u32, u32), connections: usize) -> Option<Self> {
        program.load.requests_per_s?;
        let due = Due::new(program, (number, threads))?;
        let (index, of) = program.slice;
        let most = program.load.most_waiting.unwrap_or(MOST_WAITING);
        let most_waiting = part(most, index + of * number, of * threads) as usize;
        Some(Self {
            due,
            waiting: VecDeque::with_capacity(most_waiting.min(ROOM)),
            most_waiting,
            idle: (0..connections as u32).rev().collect(),
            connections,
        })
    }

    /// When there is something to do.
    pub(crate) fn next_at(&self, now: u64) -> u64 {
        if !self.waiting.is_empty() && !self.idle.is_empty() {
            return now;
        }
        self.due.next().map_or(u64::MAX, |(_, at)| at)
    }

    /// Connections of the thread.
    pub(crate) fn connections(&self) -> usize {
        self.connections
    }

    /// Arrivals that wait for a connection.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.len() as u32
    }
}

/// What share `index` of `of` has of `total`; the first ones take the remainder.
pub(crate) fn part(total: u32, index: u32, of: u32) -> u32 {
    total / of + u32::from(index < total % of)
}

impl Driver<'_> {
    /// Begins the operations that are due, those that have waited first.
    pub(crate) fn take_arrivals(&mut self, users: &mut [User]) {
        let round = self.now;
        for _ in 0..AT_ONCE {
            let Some(offered) = &mut self.offered else { return };
            if !offered.waiting.is_empty() {
                let Some(token) = offered.idle.pop() else { break };
                let Some(arrival) = offered.waiting.pop_front() else { break };
                self.carry(&mut users[token as usize], arrival);
                continue;
            }
            let Some((number, at)) = offered.due.take(round) else { return };
            let arrival = Arrival { number, operation: self.program.drawn(number) as u32, at };
            if let Some(token) = offered.idle.pop() {
                self.arrived(at);
                self.carry(&mut users[token as usize], arrival);
            } else {
                self.arrived(at);
                self.wait_or_drop(arrival);
            }
        }
        // No connection is idle: what arrived must not be found late because of that.
        while let Some(offered) = &mut self.offered {
            if !offered.idle.is_empty() {
                return;
            }
            let Some((number, at)) = offered.due.take(round) else { return };
            self.arrived(at);
            self.wait_or_drop(Arrival { number, operation: self.program.drawn(number) as u32, at });
        }
    }

    fn arrived(&mut self, at: u64) {
        self.now = self.clock.now();
        self.roll_if_due();
        self.recorder.arrived += 1;
        self.recorder.users.begun(at);
        self.recorder.woke(self.now - at);
    }

    fn wait_or_drop(&mut self, arrival: Arrival) {
        let Some(offered) = &mut self.offered else { return };
        if offered.waiting.len() < offered.most_waiting {
            offered.waiting.push_back(arrival);
            self.recorder.waited += 1;
        } else {
            self.recorder.users.ended(self.now);
            self.recorder.turned_away += 1;
            self.recorder.never_sent(arrival.operation as usize, arrival.at);
        }
    }

    /// Begins an operation on a connection that is idle.
    fn carry(&mut self, user: &mut User, arrival: Arrival) {
        self.now = self.clock.now();
        let mut work = self.borrow_work(user);
        self.carry_with(user, &mut work, arrival);
        self.return_work(user, work);
    }

    fn carry_with(&mut self, user: &mut User, work: &mut Work, arrival: Arrival) {
        let operation = arrival.operation as usize;
        user.state.become_user(self.program, arrival.number);
        self.forget(user);
        // The connection stays: if the server closes it now, it closes one that is idle.
        user.next = Next::Operation(operation);
        user.next_operation = operation;
        user.operation = operation;
        self.enter(user, work, arrival.at);
    }

    /// An operation has ended: the next one that waits takes its connection.
    pub(crate) fn release(&mut self, user: &mut User, work: &mut Work, well: bool) {
        self.recorder.users.ended(self.now);
        if self.multiplex.as_mut().is_some_and(|all| all.retires(user.token)) {
            return;
        }
        let Some(offered) = &mut self.offered else { return };
        // What sent nothing, or failed, goes through the loop: it must not starve the others here.
        let at_once = well && user.requests_sent > 0;
        match if at_once { offered.waiting.pop_front() } else { None } {
            Some(arrival) => {
                self.now = self.clock.now();
                self.carry_with(user, work, arrival);
            }
            None => offered.idle.push(user.token),
        }
    }

    /// Counts the operations that were intended in [from, to) and are not sent: they wait, or the engine is
    /// late.
    pub(crate) fn drop_waiting(&mut self, from: u64, to: u64, steady: bool) {
        let Some(offered) = &self.offered else { return };
        for arrival in offered.waiting.iter().filter(|one| (from..to).contains(&one.at)) {
            self.recorder.dropped(arrival.operation as usize, steady);
        }
    }

    /// Those that a late engine has not looked at before the run's end arrive then.
    pub(crate) fn take_overdue(&mut self) {
        while let Some((number, at)) = self.offered.as_mut().and_then(|offered| offered.due.take(self.now)) {
            self.recorder.arrived += 1;
            self.recorder.never_sent(self.program.drawn(number), at);
        }
    }
}

/// Connections of a thread are users in no session: here, and idle.
pub(crate) fn connections(program: &Program, count: usize) -> Vec<User> {
    let connection = |token| {
        let mut user = User::new(program, token as u32, token as u32);
        user.stage = Stage::Idle;
        user
    };
    (0..count).map(connection).collect()
}
