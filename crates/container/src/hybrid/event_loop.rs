//! The event loop: holds connections, reads, parses, flushes, accepts, times out.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use loadstone_http::{Response, Version, reason_phrase};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, send, shutdown};

use super::Shared;
use crate::connection::{Connection, Discarded, Ending, Phase};
use crate::counters::Tally;
use crate::exchange::Writer;
use crate::slots::{Slots, Waiting};

/// Tokens of what is no connection.
pub(super) const LISTENER: u64 = u64::MAX;
const WAKER: u64 = u64::MAX - 1;
/// Events taken in one round.
const EVENTS: usize = 256;
/// How long a client may take to close after the last response (RFC 9112 §9.6).
const LINGER: Duration = Duration::from_secs(1);
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// Notes of edges in `Shared::wanted`.
const READ: u8 = 1;
const HUNG_UP: u8 = 2;
const WRITE: u8 = 4;

/// What becomes of a connection.
enum Next {
    Dispatch,
    /// Wait; whether it has moved on since it last waited.
    Wait(Waiting, bool),
    /// Wait for the client to close, and go on dropping what it sends in the next round.
    Flooded,
    Close,
}

/// State of the event loop's thread.
pub(super) struct EventLoop {
    pub(super) shared: Arc<Shared>,
    pub(super) epoll: OwnedFd,
    /// None once the server drains.
    pub(super) listener: Option<OwnedFd>,
    /// Whether the listener is registered.
    pub(super) accepting: bool,
    draining: bool,
    pub(super) slots: Slots,
    /// Most connections for now: fewer than configured after the system had no descriptor for another.
    pub(super) limit: usize,
    /// Bytes in the buffers of all connections, as last counted.
    memory: usize,
    /// Connections that have more to be read and dropped than one round should spend on them.
    flooded: Vec<u32>,
    /// Connections whose requests go to workers at the end of this round.
    ready: Vec<Box<Connection>>,
    /// Swapped with `Shared::returned`.
    returned: Vec<Box<Connection>>,
    response: Response,
    writer: Writer,
    started: Instant,
    now_ms: u64,
    sweep: Duration,
    next_sweep_ms: u64,
}

impl EventLoop {
    /// # Errors
    /// The system gave no epoll instance or registration.
    pub fn new(shared: Arc<Shared>, listener: OwnedFd) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let edge = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&epoll, &shared.waker, epoll::EventData::new_u64(WAKER), edge)?;
        epoll::add(&epoll, &listener, epoll::EventData::new_u64(LISTENER), epoll::EventFlags::IN)?;
        let times = shared.config.timeouts;
        let shortest = times.head.min(times.body).min(times.idle).min(times.write);
        Ok(Self {
            limit: shared.config.max_connections,
            memory: 0,
            flooded: Vec::new(),
            shared,
            epoll,
            listener: Some(listener),
            accepting: true,
            draining: false,
            slots: Slots::new(),
            ready: Vec::new(),
            returned: Vec::new(),
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
        while !self.shared.stopping.load(Ordering::SeqCst) {
            self.wait(&mut events);
            let mut accept = false;
            for event in &events {
                match event.data.u64() {
                    WAKER => {}
                    LISTENER => accept = true,
                    slot => self.on_edge(slot as u32, event.flags),
                }
            }
            for slot in std::mem::take(&mut self.flooded) {
                self.on_edge(slot, epoll::EventFlags::IN);
            }
            self.take_back();
            if !self.draining && self.shared.draining.load(Ordering::SeqCst) {
                self.begin_drain();
            }
            if self.now_ms >= self.next_sweep_ms {
                self.close_expired();
            }
            let dispatches = !self.ready.is_empty();
            if dispatches {
                self.shared.queue.push_all(&mut self.ready);
            }
            // Nothing else changes what admission decides; looking costs the queue's lock.
            if dispatches || accept || !self.accepting {
                self.admit(accept);
            }
            self.tally().open_connections.set(self.slots.open() as u64);
            if self.draining && self.slots.open() == 0 {
                break;
            }
        }
        *self.shared.ended() = true;
        self.shared.on_end.notify_all();
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.shared.tallies[0]
    }

    /// Waits for events, a wake-up or the next sweep.
    fn wait(&mut self, events: &mut Vec<epoll::Event>) {
        events.clear();
        let sweeps = self.slots.open() > 0 || !self.accepting;
        let left = Duration::from_millis(self.next_sweep_ms.saturating_sub(self.now_ms));
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match epoll::wait(&self.epoll, spare_capacity(events), sweeps.then_some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => unreachable!("epoll_wait fails only for a wrong descriptor or buffer: {error}"),
        }
        self.shared.waker.rearm();
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
        if let Some(connection) = self.slots.take(slot) {
            self.settle(connection, note);
        } else if self.slots.is_away(slot) {
            self.shared.wanted[slot as usize].fetch_or(note, Ordering::SeqCst);
        }
    }

    /// Takes connections back from the workers.
    fn take_back(&mut self) {
        let mut returned = std::mem::take(&mut self.returned);
        std::mem::swap(&mut returned, &mut *self.shared.returned());
        for connection in returned.drain(..) {
            let note = self.shared.wanted[connection.slot as usize].swap(0, Ordering::SeqCst);
            self.settle(connection, note);
        }
        self.returned = returned;
    }

    /// Moves a connection on as far as it goes without waiting.
    pub(super) fn settle(&mut self, mut connection: Box<Connection>, note: u8) {
        connection.readable |= note & READ != 0;
        connection.hung_up |= note & HUNG_UP != 0;
        let next = self.advance(&mut connection);
        self.count(&mut connection);
        match next {
            Next::Dispatch => {
                self.slots.send_away(connection.slot);
                self.ready.push(connection);
            }
            Next::Wait(waiting, progress) => self.park(connection, waiting, progress),
            Next::Flooded => {
                self.flooded.push(connection.slot);
                self.park(connection, Waiting::Linger, false);
                self.shared.waker.wake();
            }
            Next::Close => self.release(&connection),
        }
    }

    /// Counts what the buffers of a connection take now.
    fn count(&mut self, connection: &mut Connection) {
        let memory = connection.memory();
        self.memory = self.memory + memory - connection.counted;
        connection.counted = memory;
    }

    fn release(&mut self, connection: &Connection) {
        self.memory -= connection.counted;
        self.slots.release(connection.slot);
    }

    fn park(&mut self, mut connection: Box<Connection>, waiting: Waiting, progress: bool) {
        if waiting == Waiting::Idle {
            connection.shrink();
            self.count(&mut connection);
        }
        let deadline_ms = self.now_ms + self.patience(waiting).as_millis() as u64;
        self.slots.park(connection, waiting, deadline_ms, progress);
    }

    fn patience(&self, waiting: Waiting) -> Duration {
        let times = &self.shared.config.timeouts;
        match waiting {
            Waiting::Head => times.head,
            Waiting::Body => times.body,
            Waiting::Idle => times.idle,
            Waiting::Write => times.write,
            Waiting::Linger => LINGER,
        }
    }

    fn advance(&mut self, connection: &mut Connection) -> Next {
        let mut received = 0;
        loop {
            if connection.ending == Ending::Broken {
                return Next::Close;
            }
            if let Some(outgoing) = &mut connection.outgoing {
                let Ok((sent, done)) = outgoing.flush(&connection.socket) else { return Next::Close };
                self.tally().bytes_out.add(sent as u64);
                if !done {
                    return Next::Wait(Waiting::Write, sent > 0);
                }
                connection.outgoing = None;
                if connection.ending == Ending::Open {
                    connection.next_request(&self.shared.config.limits);
                }
            }
            if connection.ending != Ending::Open {
                return say_goodbye(connection);
            }
            match connection.phase {
                Phase::Ready { .. } => return Next::Dispatch,
                Phase::Bad(status) => {
                    self.tally().bad_requests.add(1);
                    self.refuse(connection, status);
                }
                Phase::Head | Phase::Body { .. } if connection.readable => {
                    let Ok(count) = connection.receive(&self.shared.config.limits) else {
                        return Next::Close;
                    };
                    self.tally().bytes_in.add(count as u64);
                    received += count;
                    self.count(connection);
                    if matches!(connection.phase, Phase::Body { .. })
                        && self.memory > self.shared.config.request_memory
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
        if matches!(connection.phase, Phase::Body { .. }) {
            if connection.owes_continue() {
                // A client whose socket takes no 25 bytes sends its body without having been asked to.
                let _ = send(&connection.socket, CONTINUE, SendFlags::NOSIGNAL);
                self.tally().response(100);
            }
            return Next::Wait(Waiting::Body, progress);
        }
        if !connection.has_input() && self.draining {
            return Next::Close;
        }
        let idle = connection.used && !connection.has_input();
        Next::Wait(if idle { Waiting::Idle } else { Waiting::Head }, false)
    }

    /// Answers `status` from the server itself; the connection closes behind it.
    fn refuse(&mut self, connection: &mut Connection, status: u16) {
        self.response.clear();
        self.response.status(status).text(reason_phrase(status));
        connection.ending = Ending::Linger;
        connection.shrink();
        let tally = &self.shared.tallies[0];
        if self.writer.send(connection, &mut self.response, Version::Http11, false, tally).is_err() {
            connection.ending = Ending::Broken;
        }
    }

    /// Closes connections whose time is over; a client that was at a request hears why.
    fn close_expired(&mut self) {
        self.next_sweep_ms = self.now_ms + self.sweep.as_millis() as u64;
        self.limit = self.shared.config.max_connections;
        for (slot, waiting) in self.slots.expired(self.now_ms) {
            let Some(mut connection) = self.slots.take(slot) else { continue };
            match waiting {
                Waiting::Idle => self.tally().closed_idle.add(1),
                Waiting::Linger => {}
                Waiting::Head | Waiting::Body | Waiting::Write => self.tally().closed_by_timeout.add(1),
            }
            if matches!(waiting, Waiting::Head | Waiting::Body) && connection.has_input() {
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
            if let Some(connection) = self.slots.take(slot) {
                self.settle(connection, READ);
            }
        }
    }
}

/// Closes behind the last response. Closing a socket with unread input resets the connection and may
/// destroy the response on its way (RFC 9112 §9.6): then only our side is closed until the client
/// closes, too.
fn say_goodbye(connection: &mut Connection) -> Next {
    if connection.ending == Ending::Linger && !connection.ended {
        connection.ending = match shutdown(&connection.socket, Shutdown::Write) {
            Ok(()) => Ending::Shut,
            Err(_) => Ending::Broken,
        };
    }
    if connection.ending != Ending::Shut {
        return Next::Close;
    }
    match connection.discard() {
        Discarded::All => Next::Wait(Waiting::Linger, false),
        Discarded::Part => Next::Flooded,
        Discarded::End => Next::Close,
    }
}
