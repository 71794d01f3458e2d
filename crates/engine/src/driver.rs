//! One thread of the engine: an event loop that drives its share of the users.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::MaybeUninit;
use std::num::NonZeroU64;
use std::sync::atomic::Ordering;

use loadstone_workload::{PacingKind, Program, Scratch};
use rustix::event::Timespec;
use rustix::event::epoll::{self, Event, EventFlags};
use rustix::fd::OwnedFd;

use crate::browser::{Addresses, Validators};
use crate::calls::Called;
use crate::clock::{Clock, micros};
use crate::coding::Content;
use crate::hands::BELL;
use crate::lanes::most_lanes;
use crate::multiplex::{LinkKey, Multiplex};
use crate::offered::Offered;
use crate::open::Open;
use crate::parting::Parting;
use crate::record::Window;
use crate::recorder::{Gauges, Recorder, SECOND, Steady};
use crate::request::Requests;
use crate::sessions::Sessions;
use crate::shared::Shared;
use crate::tls::Records;
use crate::unread::Unread;
use crate::user::{Stage, User, Work};

/// Received at once; larger than the usual page.
const INPUT: usize = 256 << 10;
/// Discarded at once; only its size matters, no byte of it is ever touched.
const DISCARD: usize = 1 << 20;
/// Events taken at once.
const EVENTS: usize = 256;
/// The loop comes by this often to see whether it is asked to stop.
const STOP_CHECK: u64 = 100_000;
/// Time between starts of users without a ramp-up: no user waits behind a burst of connects, and all start
/// within a second.
pub(crate) const STAGGER: u64 = 100;

/// A thread, the number of threads, and what arrives on it: sessions or single operations.
pub(crate) struct Arriving {
    pub thread: (u32, u32),
    pub open: Option<Open>,
    pub offered: Option<Offered>,
}

/// Instants of a run in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timetable {
    pub steady: Steady,
    pub end: u64,
    pub timeout: u64,
    /// The shortest time-out of all.
    pub shortest: u64,
}

impl Timetable {
    pub(crate) fn new(program: &Program) -> Self {
        let load = &program.load;
        let from = micros(load.ramp_up_s);
        let to = from + micros(load.steady_s);
        let timeout = micros(load.timeout_s);
        let of_steps =
            program.operations.iter().flat_map(|one| &one.steps).filter_map(|step| step.timeout_us);
        let of_operations = program.operations.iter().filter_map(|one| one.timeout_us);
        Self {
            steady: Steady { from, to },
            end: to + micros(load.ramp_down_s),
            timeout,
            shortest: of_steps.chain(of_operations).fold(timeout, u64::min),
        }
    }
}

/// What a thread has besides its users.
pub(crate) struct Driver<'p> {
    pub program: &'p Program,
    pub requests: &'p Requests,
    pub shared: &'p Shared,
    pub timetable: Timetable,
    pub clock: Clock,
    /// The clock when it was last read.
    pub now: u64,
    pub poll: OwnedFd,
    pub recorder: Recorder,
    pub gauges: Gauges,
    pub validators: Validators,
    pub input: Box<[u8]>,
    pub records: Records,
    pub discard: Box<[u8]>,
    pub scratch: Vec<u8>,
    /// Bodies that are decompressed.
    pub content: Content,
    pub drawing: Scratch,
    /// The path of a page, and of what it refers to.
    pub paths: [Vec<u8>; 2],
    /// The value of a `style` attribute of a page.
    pub declarations: Vec<u8>,
    /// Hashes of what a page was seen to refer to.
    pub page_addresses: Addresses,
    /// Where sessions arrive.
    pub open: Option<Open>,
    /// Where single operations arrive.
    pub offered: Option<Offered>,
    /// Connections that their servers are about to close.
    pub parting: Parting,
    /// Where answers may wait to be read.
    pub unread: Option<Unread>,
    /// Of a target with HTTP/2.
    pub multiplex: Option<Box<Multiplex>>,
    /// Connections that a user of each scenario may have to one host.
    pub most_lanes: Vec<usize>,
    /// This thread, and the number of threads.
    pub thread: (u32, u32),
    /// Changes by hand that it has taken up.
    pub changed: usize,
    /// Calls that were asked for.
    pub tickets: u64,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    #[expect(clippy::vec_box, reason = "lent to users as they are, without moving them")]
    pool: Vec<Box<Work>>,
    /// Windows on their way out; the closure never blocks.
    deliver: &'p dyn Fn(Window),
}

impl<'p> Driver<'p> {
    pub(crate) fn new(
        program: &'p Program,
        requests: &'p Requests,
        shared: &'p Shared,
        clock: Clock,
        poll: OwnedFd,
        Arriving { thread, open, offered }: Arriving,
        deliver: &'p dyn Fn(Window),
    ) -> Self {
        let timetable = Timetable::new(program);
        let mut recorder = Recorder::new(program.operations.len(), program.counters.len(), timetable.steady);
        recorder.sessions = Sessions::new(timetable.steady, program.scenarios.len());
        recorder.called = Called::new(program.functions.len());
        Self {
            program,
            requests,
            shared,
            timetable,
            clock,
            now: 0,
            poll,
            recorder,
            gauges: Gauges::default(),
            validators: Validators::default(),
            input: vec![0; INPUT].into(),
            records: Records::new(shared.secure),
            discard: vec![0; DISCARD].into(),
            scratch: Vec::new(),
            content: Content::default(),
            drawing: Scratch::default(),
            paths: [Vec::new(), Vec::new()],
            declarations: Vec::new(),
            page_addresses: Addresses::default(),
            open,
            multiplex: Multiplex::new(program, offered.as_ref().map_or(0, Offered::connections)),
            offered,
            parting: Parting::default(),
            unread: Unread::of(program),
            most_lanes: most_lanes(program),
            thread,
            changed: 0,
            tickets: 0,
            queue: BinaryHeap::new(),
            pool: Vec::new(),
            deliver,
        }
    }

    /// Drives `users` until the run ends or is asked to; when it ended, and whether as planned.
    pub(crate) fn run(&mut self, users: &mut Vec<User>) -> (u64, bool) {
        // The default slack of 50 µs would delay every wake-up by as much; failing to lower it costs only
        // that.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut levels = self.schedule(users);
        self.clock.wait_for_start();
        let patrol = (self.timetable.shortest / 20).clamp(5_000, SECOND);
        let mut next_patrol = patrol;
        let mut steady_over = false;
        let mut events = [const { MaybeUninit::<Event>::uninit() }; EVENTS];
        loop {
            let due = self.queue.peek().map_or(u64::MAX, |Reverse((due, _))| *due);
            let arrival_at = match (&self.open, &self.offered) {
                (Some(open), _) => open.next_at(),
                (_, Some(offered)) => offered.next_at(self.now),
                _ => u64::MAX,
            };
            let level_at = levels.last().map_or(u64::MAX, |(at, _)| *at);
            let besides = [
                due,
                level_at,
                next_patrol,
                self.recorder.window_end(),
                self.timetable.end,
                self.now + STOP_CHECK,
            ]
            .into_iter()
            .fold(u64::MAX, u64::min);
            if self.may_wait(arrival_at) {
                self.look_and_sleep(users, &mut events, arrival_at, besides);
            } else {
                self.wait(users, &mut events, arrival_at.min(besides));
            }
            if let Some(last_end) = self.shared.spent() {
                self.now = last_end;
                break;
            }
            self.now = self.clock.now();
            if !steady_over && self.now >= self.timetable.steady.to {
                steady_over = true;
                self.count_dropped(users, self.timetable.steady.from, self.timetable.steady.to, true);
            }
            if self.now >= self.timetable.end || self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
            self.roll_if_due();
            if self.shared.changed.load(Ordering::Acquire) > self.changed {
                self.take_up_changes(&mut levels);
            }
            if self.now >= level_at
                && let Some((_, count)) = levels.pop()
            {
                self.join(users, count);
                self.set_level(users, count);
            }
            if self.now >= next_patrol {
                next_patrol = self.now + patrol;
                self.parting.expire(self.now);
                self.patrol(users);
            }
            if self.now >= arrival_at {
                self.admit(users);
                self.take_arrivals(users);
            }
            self.start_due(users);
            self.resume_joined(users);
        }
        self.finish(users)
    }

    /// Queues the first starts; the changes of the load, latest first.
    fn schedule(&mut self, users: &mut [User]) -> Vec<(u64, u32)> {
        let load = &self.program.load;
        let ramp_up = self.timetable.steady.from;
        let all = u64::from(load.users);
        for user in users.iter_mut().filter(|user| user.state.user() < load.users) {
            let number = u64::from(user.state.user());
            let step = if ramp_up == 0 { number * STAGGER.min(SECOND / all) } else { number * ramp_up / all };
            self.await_start(user, step);
        }
        if load.rate().is_some() {
            // The arrivals follow it.
            return Vec::new();
        }
        load.profile.iter().rev().map(|(at, count)| (ramp_up + micros(*at), *count as u32)).collect()
    }

    /// Waits for events until `wake` and deals with them.
    pub(crate) fn wait(&mut self, users: &mut [User], events: &mut [MaybeUninit<Event>], wake: u64) {
        let left = wake.saturating_sub(self.clock.now());
        let timeout = Timespec { tv_sec: (left / SECOND) as i64, tv_nsec: (left % SECOND * 1_000) as i64 };
        // An interrupted wait comes back with nothing and is made again by the loop.
        let Ok((ready, _)) = epoll::wait(&self.poll, events, Some(&timeout)) else { return };
        for event in ready {
            let flags = event.flags;
            if let Some(key) = LinkKey::of(event.data.u64()) {
                self.on_link_event(users, key, flags);
            } else if event.data.u64() == BELL {
                self.take_returned(users);
            } else if let Some(user) = users.get_mut(event.data.u64() as u32 as usize) {
                let tag = (event.data.u64() >> 32) as u32;
                if user.connection.as_ref().is_some_and(|one| one.tag() == tag) {
                    self.on_event(user, flags);
                } else if (user.lanes.is_empty() || !self.on_lane_event(user, tag, flags))
                    && (user.socket.is_none() || !self.on_socket_event(user, tag, flags))
                {
                    self.on_aside(user, tag, flags);
                    if flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR) {
                        self.parting.end(event.data.u64() as u32, tag);
                    }
                }
            }
        }
    }

    /// Starts what is due now; what becomes due meanwhile waits for the next round, after other users'
    /// events.
    fn start_due(&mut self, users: &mut [User]) {
        let round = self.now;
        for _ in 0..self.queue.len() {
            let Some(Reverse((due, token))) =
                self.queue.peek().copied().filter(|Reverse((due, _))| *due <= round)
            else {
                break;
            };
            self.queue.pop();
            let user = &mut users[token as usize];
            let pausing = matches!(user.stage, Stage::Pausing | Stage::Knocking);
            if user.wake != due || (user.is_busy() && !pausing) {
                continue;
            }
            if user.stage == Stage::Away && self.arrive(user, due) {
                continue;
            }
            self.now = self.clock.now();
            // A user that came late to its own start was not ready before its last operation ended.
            self.recorder.woke(self.now - due.max(user.ended));
            if pausing {
                self.resume(user);
            } else {
                self.begin(user, due);
            }
        }
    }

    /// A user joins; whether it pauses before its first operation.
    ///
    /// It has the rest of a pause. If users began as they join, a ramp-up would add their first operations to
    /// those of the users that repeat already, and overload the service that the steady state is to measure.
    fn arrive(&mut self, user: &mut User, due: u64) -> bool {
        user.stage = Stage::Idle;
        self.recorder.users.begun(self.now);
        let law = &self.program.operations[user.next_operation].pacing.law;
        let pause = micros(law.residual(&mut user.state.walk));
        if pause > 0 {
            self.await_start(user, due + pause);
        }
        pause > 0
    }

    /// Has the queue wake a user that is away or idle.
    pub(crate) fn await_start(&mut self, user: &mut User, at: u64) {
        user.wake = at;
        self.queue.push(Reverse((at, user.token)));
    }

    /// Looks for requests that took too long, and for a server that is not there.
    fn patrol(&mut self, users: &mut [User]) {
        for user in users.iter_mut() {
            if user.is_busy() && user.deadline <= self.now {
                self.on_timeout(user);
            } else if user.is_busy() && user.last_call <= self.now {
                self.on_last_call(user);
            } else if !user.lanes.is_empty() {
                self.patrol_lanes(user);
            }
        }
        if cfg!(debug_assertions) {
            self.assert_sound(users);
        }
        let shared = self.shared;
        if shared.has_no_server(self.now) {
            shared.unreachable.store(true, Ordering::Relaxed);
            shared.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Hands out the windows whose seconds are over, but for the run's last one: what a late engine still does
    /// after the end belongs to that, and [`Self::finish`] hands it out.
    #[inline]
    pub(crate) fn roll_if_due(&mut self) {
        while self.now >= self.recorder.window_end() && self.recorder.window_end() < self.timetable.end {
            let end = self.recorder.window_end();
            (self.deliver)(self.recorder.roll(end, self.gauges));
        }
    }

    /// Counts the operations intended in [from, to) that a user that is busy, or an engine that is late, has
    /// not sent. The start after a think time is not known before the operation under way has ended.
    fn count_dropped(&mut self, users: &[User], from: u64, to: u64, steady: bool) {
        if self.offered.is_some() {
            self.drop_waiting(from, to, steady);
            return;
        }
        for user in users {
            let intended = match user.stage {
                Stage::Away => continue,
                Stage::Idle => user.wake,
                _ if user.leaving => continue,
                _ => match self.program.operations[user.next_operation].pacing.kind {
                    PacingKind::Cycle => user.sent + user.delay,
                    PacingKind::Think => continue,
                },
            };
            if (from..to).contains(&intended) && intended < self.now {
                self.recorder.dropped(user.next_operation, steady);
            }
        }
    }

    /// The last windows. Operations under way have neither succeeded nor failed; only `in_flight` shows them.
    fn finish(&mut self, users: &[User]) -> (u64, bool) {
        let ended = self.now.min(self.timetable.end);
        let on_time = self.now >= self.timetable.end;
        if on_time {
            self.count_dropped(users, self.timetable.steady.to, ended, false);
        }
        self.now = ended;
        self.drop_overdue();
        self.take_overdue();
        self.tell_unread();
        self.roll_if_due();
        // A thread whose own operations ended before the last of the run's may be a window ahead of that.
        if ended + SECOND > self.recorder.window_end() {
            (self.deliver)(self.recorder.roll(ended, self.gauges));
        }
        (ended, on_time || self.shared.spent().is_some())
    }

    /// Buffers for a request.
    pub(crate) fn borrow_work(&mut self, user: &mut User) -> Box<Work> {
        user.work.take().or_else(|| self.pool.pop()).unwrap_or_default()
    }

    /// Leaves the buffers with a user whose request is not done, or takes them back.
    pub(crate) fn return_work(&mut self, user: &mut User, mut work: Box<Work>) {
        if user.is_busy() && work.is_needed() {
            user.work = Some(work);
        } else {
            work.clear();
            self.keep_work(work);
        }
    }

    /// Keeps buffers that nobody uses for the next user.
    pub(crate) fn keep_work(&mut self, work: Box<Work>) {
        self.pool.push(work);
    }
}
