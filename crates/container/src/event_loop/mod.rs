//! The event loop: holds connections, reads, parses, flushes, accepts, times out.
//!
//! Sockets are registered once, edge-triggered. What becomes of a connection whose request has arrived as a whole
//! is the matter of a [`Desk`]: that of the hybrid connector gives it to a worker, that of the threaded connector to a
//! thread that keeps it, that of the event connector answers it there and then.

mod admission;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) use admission::watch;
use admission::{Door, TURN};
use loadstone_http::{Phase, Response};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use crate::admission::Policy;
use crate::config::Config;
use crate::connection::{Connection, Discarded, Ending, LINGER};
use crate::counters::{Tally, Work};
use crate::exchange::{Writer, refuse};
use crate::lifetime::Lifetime;
use crate::slots::{Slots, Waiting};
use crate::waker::Waker;

/// Tokens of what is no connection.
pub(super) const LISTENER: u64 = u64::MAX;
const WAKER: u64 = u64::MAX - 1;
/// Events taken in one round.
const EVENTS: usize = 256;
/// Notes of edges.
const READ: u8 = 1;
const HUNG_UP: u8 = 2;
const WRITE: u8 = 4;

/// Where complete requests go.
pub(crate) trait Desk: Send {
    /// A round of the loop begins.
    fn begin_round(&mut self) {}

    /// Takes a connection whose request has arrived as a whole; gives it back when that has been answered already.
    fn take(&mut self, connection: Box<Connection>) -> Option<Box<Connection>>;

    /// A round of the loop ends.
    fn end_round(&mut self) {}

    /// Gives what was taken on; whether there was any.
    fn hand_over(&mut self) -> bool;

    /// After what time a round is to come although nothing happens.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Rests for a moment, if there is so much to do already that more requests would only wait.
    fn rest(&self) {}

    /// How many requests more there is room for, when no more than `bound` may wait. If none, the loop is woken once
    /// there is.
    fn spare(&self, bound: usize) -> usize;

    /// What was done so far.
    fn work(&self) -> Work;

    /// An edge of a connection that is away; `note` comes back with it.
    fn note(&self, slot: u32, note: u8);

    /// A slot gets a new connection: notes for the last one are void.
    fn forget(&self, slot: u32);

    /// Connections that come back, with what was noted meanwhile.
    fn collect(&mut self, back: &mut Vec<(Box<Connection>, u8)>);
}

/// What a loop shares with whoever started it.
#[derive(Debug)]
pub(crate) struct Control {
    pub config: Config,
    pub lifetime: Arc<Lifetime>,
    pub waker: Waker,
    /// Where the loop hears of its connections.
    pub epoll: OwnedFd,
    pub tally: Tally,
    /// Bytes in the buffers of all connections of the server, as last counted.
    pub memory: Arc<AtomicUsize>,
}

impl Control {
    /// # Errors
    /// The system gave no descriptor.
    pub fn new(config: Config, lifetime: Arc<Lifetime>, memory: Arc<AtomicUsize>) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { config, lifetime, waker: Waker::new()?, epoll, tally: Tally::default(), memory })
    }
}

/// What becomes of a connection.
enum Next {
    Dispatch,
    /// Wait; whether it has moved on since it last waited.
    Wait(Waiting, bool),
    /// Go on in the next round, with what it would wait for: others come in between.
    PutOff(Waiting),
    Close,
}

/// State of the event loop's thread.
pub(crate) struct EventLoop<D> {
    control: Arc<Control>,
    desk: D,
    /// None once the server drains.
    listener: Option<Arc<OwnedFd>>,
    /// Whether the listener is registered.
    accepting: bool,
    draining: bool,
    slots: Slots,
    door: Door,
    /// Most connections for now: fewer than configured after the system had no descriptor for another.
    limit: usize,
    /// Connections that have more to be done than one round should spend on them.
    again: Vec<u32>,
    /// Emptied in every round.
    back: Vec<(Box<Connection>, u8)>,
    response: Response,
    writer: Writer,
    started: Instant,
    now_ms: u64,
    sweep: Duration,
    next_sweep_ms: u64,
}

impl<D: Desk> EventLoop<D> {
    /// Loops may share a listener: one of them is woken for each connection.
    ///
    /// # Errors
    /// The system gave no registration.
    pub fn new(
        control: Arc<Control>,
        listener: Arc<OwnedFd>,
        desk: D,
        policy: Box<dyn Policy>,
    ) -> io::Result<Self> {
        let edge = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&control.epoll, &control.waker, epoll::EventData::new_u64(WAKER), edge)?;
        admission::register(&control.epoll, &listener)?;
        let times = control.config.timeouts;
        let turn = if control.config.refuse { TURN } else { times.head };
        let shortest = times.head.min(times.body).min(times.idle).min(times.write).min(turn);
        Ok(Self {
            limit: control.config.max_connections,
            door: Door::new(&control.config, policy),
            again: Vec::new(),
            back: Vec::new(),
            control,
            desk,
            listener: Some(listener),
            accepting: true,
            draining: false,
            slots: Slots::new(),
            response: Response::new(),
            writer: Writer::new(),
            started: Instant::now(),
            now_ms: 0,
            sweep: (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(1)),
            next_sweep_ms: 0,
        })
    }

    /// Runs until the server is drained or stopped.
    pub fn run(mut self) {
        let mut events = Vec::with_capacity(EVENTS);
        while !self.control.lifetime.is_stopping() {
            self.wait(&mut events);
            self.desk.begin_round();
            let mut accept = false;
            for event in &events {
                match event.data.u64() {
                    WAKER => {}
                    LISTENER => accept = true,
                    slot => self.on_edge(slot as u32, event.flags),
                }
            }
            for slot in std::mem::take(&mut self.again) {
                if let Some(connection) = self.slots.take(slot) {
                    self.settle(connection, 0);
                }
            }
            self.take_back();
            if !self.draining && self.control.lifetime.is_draining() {
                self.begin_drain();
            }
            if self.now_ms >= self.next_sweep_ms {
                self.close_expired();
            }
            self.learn();
            let dispatched = self.desk.hand_over() | self.seat();
            self.desk.end_round();
            // Nothing else changes what admission decides; looking may cost a lock.
            if dispatched || accept || !self.accepting {
                self.admit(accept);
            }
            self.tally().open_connections.set(self.slots.open() as u64);
            self.tally().newcomers.set(self.door.lobby.len() as u64);
            if self.draining && self.slots.open() == 0 {
                break;
            }
            self.desk.rest();
        }
        self.control.lifetime.ended();
    }

    fn tally(&self) -> &Tally {
        &self.control.tally
    }

    /// Waits for events, a wake-up or the next sweep.
    fn wait(&mut self, events: &mut Vec<epoll::Event>) {
        events.clear();
        let sweeps = self.slots.open() > 0 || !self.accepting;
        let sweep = Duration::from_millis(self.next_sweep_ms.saturating_sub(self.now_ms));
        let patience = self.desk.patience();
        let left = patience.map_or(sweep, |patience| patience.min(sweep));
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match epoll::wait(
            &self.control.epoll,
            spare_capacity(events),
            (sweeps || patience.is_some()).then_some(&timeout),
        ) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => unreachable!("epoll_wait fails only for a wrong descriptor or buffer: {error}"),
        }
        self.control.waker.rearm();
        self.now_ms = self.started.elapsed().as_millis() as u64;
    }

    fn on_edge(&mut self, slot: u32, flags: epoll::EventFlags) {
        let mut note = 0;
        if flags.intersects(epoll::EventFlags::IN) {
            note |= READ;
        }
        if flags.intersects(epoll::EventFlags::OUT) {
            note |= WRITE;
        }
        if flags.intersects(epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR) {
            note |= READ | HUNG_UP;
        }
        if self.slots.waits_for_turn(slot) {
            self.on_edge_in_lobby(slot, note);
        } else if let Some(connection) = self.slots.take(slot) {
            self.settle(connection, note);
        } else if self.slots.is_away(slot) {
            self.desk.note(slot, note);
        }
    }

    /// Takes connections back from the desk.
    fn take_back(&mut self) {
        let mut back = std::mem::take(&mut self.back);
        self.desk.collect(&mut back);
        for (connection, note) in back.drain(..) {
            self.settle(connection, note);
        }
        self.back = back;
    }

    /// Moves a connection on as far as it goes without waiting.
    fn settle(&mut self, mut connection: Box<Connection>, note: u8) {
        connection.readable |= note & READ != 0;
        // A handshake goes on when there is room for our part of it.
        connection.readable |= note & WRITE != 0 && connection.socket.is_behind();
        connection.hung_up |= note & HUNG_UP != 0;
        let mut moving = Some(connection);
        while let Some(mut connection) = moving.take() {
            let next = self.advance(&mut connection);
            connection.count(&self.control.memory);
            match next {
                Next::Dispatch if connection.is_new() && self.door.receives() => self.let_wait(connection),
                Next::Dispatch => {
                    self.overtake();
                    moving = self.dispatch(connection);
                }
                Next::Wait(waiting, progress) => self.park(connection, waiting, progress),
                Next::PutOff(waiting) => self.put_off(connection, waiting, waiting == Waiting::Write),
                Next::Close => self.release(&connection),
            }
        }
    }

    /// Has a request answered; gives the connection back if that is done and it may go on at once.
    fn dispatch(&mut self, connection: Box<Connection>) -> Option<Box<Connection>> {
        self.slots.send_away(connection.slot);
        let answered = self.desk.take(connection)?;
        if answered.intake.is_ready() {
            // It has had its turn: others come before its next request.
            self.put_off(answered, Waiting::Idle, false);
            return None;
        }
        Some(answered)
    }

    /// Goes on with a connection in the next round, which comes at once.
    fn put_off(&mut self, connection: Box<Connection>, waiting: Waiting, progress: bool) {
        self.again.push(connection.slot);
        let deadline_ms = self.deadline_ms(waiting);
        self.slots.park(connection, waiting, deadline_ms, progress);
        self.control.waker.wake();
    }

    fn release(&mut self, connection: &Connection) {
        if connection.socket.is_handshaking() {
            self.tally().failed_handshakes.add(1);
        }
        self.control.memory.fetch_sub(connection.counted, Ordering::Relaxed);
        self.slots.release(connection.slot);
    }

    fn park(&mut self, mut connection: Box<Connection>, waiting: Waiting, progress: bool) {
        if waiting == Waiting::Idle {
            connection.intake.shrink();
            connection.count(&self.control.memory);
        }
        let deadline_ms = self.deadline_ms(waiting);
        self.slots.park(connection, waiting, deadline_ms, progress);
    }

    fn deadline_ms(&self, waiting: Waiting) -> u64 {
        self.now_ms + self.patience_ms(waiting)
    }

    fn patience_ms(&self, waiting: Waiting) -> u64 {
        let times = &self.control.config.timeouts;
        let patience = match waiting {
            Waiting::Head => times.head,
            Waiting::Body => times.body,
            Waiting::Idle => times.idle,
            Waiting::Write => times.write,
            Waiting::Linger => LINGER,
            Waiting::Turn if self.control.config.refuse => TURN,
            Waiting::Turn => times.head,
        };
        patience.as_millis() as u64
    }

    fn advance(&mut self, connection: &mut Connection) -> Next {
        let mut received = 0;
        loop {
            if connection.ending == Ending::Broken {
                return Next::Close;
            }
            if let Some(outgoing) = &mut connection.outgoing {
                let Ok((sent, done)) = outgoing.flush(&mut connection.socket) else { return Next::Close };
                self.tally().bytes_out.add(sent as u64);
                if outgoing.is_hungry(&connection.socket) {
                    return Next::Dispatch;
                }
                if !done && outgoing.more {
                    return Next::PutOff(Waiting::Write);
                }
                if !done {
                    return Next::Wait(Waiting::Write, sent > 0);
                }
                connection.outgoing = None;
                if connection.ending == Ending::Open {
                    connection.next_request(&self.control.config.limits);
                }
            }
            if connection.ending != Ending::Open {
                return match connection.part() {
                    Discarded::All => Next::Wait(Waiting::Linger, false),
                    Discarded::Part => Next::PutOff(Waiting::Linger),
                    Discarded::End => Next::Close,
                };
            }
            match *connection.intake.phase() {
                Phase::Ready { .. } => return Next::Dispatch,
                Phase::Bad(status) => {
                    self.tally().bad_requests.add(1);
                    self.refuse(connection, status);
                }
                Phase::Head | Phase::Body { .. } if connection.readable => {
                    let Ok(count) = connection.receive(&self.control.config.limits) else {
                        return Next::Close;
                    };
                    self.tally().bytes_in.add(count as u64);
                    received += count;
                    connection.count(&self.control.memory);
                    if matches!(connection.intake.phase(), Phase::Body { .. })
                        && self.control.memory.load(Ordering::Relaxed) > self.control.config.request_memory
                    {
                        self.refuse(connection, 503);
                    }
                }
                Phase::Head | Phase::Body { .. } => return self.wait_for_more(connection, received > 0),
            }
        }
    }

    /// What a connection waits for that lacks the rest of a request.
    fn wait_for_more(&self, connection: &mut Connection, progress: bool) -> Next {
        if connection.ended {
            return Next::Close;
        }
        if matches!(connection.intake.phase(), Phase::Body { .. }) {
            connection.say_continue(self.tally());
            return Next::Wait(Waiting::Body, progress);
        }
        if !connection.intake.has_input() && self.draining {
            return Next::Close;
        }
        let idle = connection.intake.is_used() && !connection.intake.has_input();
        Next::Wait(if idle { Waiting::Idle } else { Waiting::Head }, false)
    }

    /// Answers `status` from the server itself; the connection closes behind it.
    fn refuse(&mut self, connection: &mut Connection, status: u16) {
        refuse(&mut self.response, &mut self.writer, connection, status, &self.control.tally);
    }

    /// Closes connections whose time is over; a client that was at a request hears why.
    fn close_expired(&mut self) {
        self.next_sweep_ms = self.now_ms + self.sweep.as_millis() as u64;
        self.limit = self.control.config.max_connections;
        self.make_room();
        for (slot, waiting) in self.slots.expired(self.now_ms) {
            let Some(mut connection) = self.slots.take(slot) else { continue };
            match waiting {
                Waiting::Idle => self.tally().closed_idle.add(1),
                Waiting::Linger => {}
                Waiting::Head | Waiting::Body | Waiting::Write => self.tally().timed_out(waiting),
                Waiting::Turn => {
                    self.leave_lobby(slot);
                    self.tally().refused.add(1);
                    self.refuse(&mut connection, 503);
                    self.settle(connection, 0);
                    continue;
                }
            }
            if matches!(waiting, Waiting::Head | Waiting::Body) && connection.intake.has_input() {
                self.refuse(&mut connection, 408);
                self.settle(connection, 0);
            } else {
                self.release(&connection);
            }
        }
    }

    /// Takes what has already connected, closes the listener and every connection without a request.
    fn begin_drain(&mut self) {
        self.accept(usize::MAX);
        self.draining = true;
        self.listener = None;
        self.accepting = true;
        for slot in self.slots.here() {
            if self.slots.waits_for_turn(slot) {
                // Its turn comes at the end of this round.
                continue;
            }
            if let Some(connection) = self.slots.take(slot) {
                self.settle(connection, READ);
            }
        }
    }
}
