//! The event loop: holds connections, reads, parses, flushes, accepts, times out.
//!
//! Sockets are registered once, edge-triggered. What becomes of a connection whose request has arrived as a
//! whole is the matter of a [`Desk`]: that of the hybrid connector gives it to a worker, that of the threaded
//! connector to a thread that keeps it, that of the event connector answers it there and then.

mod admission;
mod desk;
mod patience;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

pub(crate) use admission::watch;
use admission::{Door, TURN};
pub(crate) use desk::{Control, Desk};
use loadstone_http::{Awaited, Composer, Need};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use crate::admission::Policy;
use crate::connection::{Connection, Discarded, Flushed};
use crate::counters::Tally;
use crate::outgoing::JOINED_BODY;
use crate::slots::Slots;
use crate::waiting::Waiting;

/// Tokens of everything that is not a connection.
pub(super) const LISTENER: u64 = u64::MAX;
const WAKER: u64 = u64::MAX - 1;
/// Events taken in one round.
const EVENTS: usize = 256;
/// Notes of edges.
const READ: u8 = 1;
const HUNG_UP: u8 = 2;
const WRITE: u8 = 4;

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
    composer: Composer,
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
            composer: Composer::new(JOINED_BODY),
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
                Next::Dispatch if connection.talk.is_new() && self.door.receives() => {
                    self.let_wait(connection)
                }
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
        // It has had its turn: others come before its next request, and the rest of a long answer.
        match answered.talk.need() {
            _ if answered.broken => return Some(answered),
            Need::Answer | Need::Content => self.put_off(answered, Waiting::Idle, false),
            Need::Room if answered.more => self.put_off(answered, Waiting::Write, true),
            _ => return Some(answered),
        }
        None
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
            connection.talk.shrink();
            connection.count(&self.control.memory);
        }
        let deadline_ms = self.deadline_ms(waiting);
        self.slots.park(connection, waiting, deadline_ms, progress);
    }

    fn advance(&mut self, connection: &mut Connection) -> Next {
        let Control { config, tally, memory, .. } = &*self.control;
        let mut received = 0;
        loop {
            if connection.broken {
                return Next::Close;
            }
            match connection.talk.need() {
                Need::Room => match connection.flush(&mut self.composer, &config.limits, tally) {
                    Ok(Flushed::Out) => {}
                    Ok(Flushed::Turn) => return Next::PutOff(Waiting::Write),
                    Ok(Flushed::Full(progress)) => return Next::Wait(Waiting::Write, progress),
                    Err(_) => return Next::Close,
                },
                Need::Answer | Need::Content => return Next::Dispatch,
                Need::Refusal(status) => {
                    tally.bad_requests.add(1);
                    connection.refuse(status, &mut self.composer, tally);
                }
                Need::Bytes(_) if connection.readable => {
                    let Ok(count) = connection.receive(&config.limits) else { return Next::Close };
                    tally.bytes_in.add(count as u64);
                    received += count;
                    connection.count(memory);
                    if connection.talk.need() == Need::Bytes(Awaited::Body)
                        && memory.load(Ordering::Relaxed) > config.request_memory
                    {
                        connection.refuse(503, &mut self.composer, tally);
                    }
                }
                Need::Bytes(awaited) => return self.wait_for_more(connection, awaited, received > 0),
                Need::Linger => {
                    return match connection.linger() {
                        Discarded::All => Next::Wait(Waiting::Linger, false),
                        Discarded::Part => Next::PutOff(Waiting::Linger),
                        Discarded::End => Next::Close,
                    };
                }
                Need::Close => return Next::Close,
            }
        }
    }

    /// What a connection waits for that lacks the rest of a request.
    fn wait_for_more(&self, connection: &mut Connection, awaited: Awaited, progress: bool) -> Next {
        match awaited {
            Awaited::Body => {
                connection.say_continue(self.tally());
                Next::Wait(Waiting::Body, progress)
            }
            _ if self.draining && !connection.talk.has_input() => Next::Close,
            Awaited::Request => Next::Wait(Waiting::Idle, false),
            // A head that comes in drops does not get more time with each.
            Awaited::Head => Next::Wait(Waiting::Head, false),
        }
    }
}
