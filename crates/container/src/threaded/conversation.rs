//! A thread's work: one connection after another, each from its first request to its last.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use loadstone_http::{Handler, Phase};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Shared;
use crate::connection::{Connection, Discarded, Ending, LINGER};
use crate::counters::Tally;
use crate::crew::Shift;
use crate::exchange::Exchange;
use crate::slots::Waiting;
use crate::socket::Socket;
use crate::waker::Waker;

/// A client in conversation asks again soon. For so long the thread waits in the read itself: that takes one system call
/// where a wait that others can end takes two, and the books of who waits. Whoever calls it waits so much longer.
const SOON: Duration = Duration::from_millis(10);

/// How a wait ended.
enum Woken {
    Ready,
    Expired,
    /// The thread is needed elsewhere, or the server ends.
    Called,
}

struct Worker<'s> {
    shared: &'s Shared,
    exchange: Exchange,
    tally: &'s Tally,
    index: usize,
    waker: &'s Arc<Waker>,
}

/// Serves connections from the queue until it is closed.
pub(super) fn run(shared: &Shared, handler: Option<Box<dyn Handler>>, index: usize, waker: &Arc<Waker>) {
    let exchange = Exchange::new(shared.service.clone(), handler, shared.config.compress);
    let mut worker = Worker { shared, exchange, tally: &shared.tallies[index + 1], index, waker };
    let mut shift = Shift::default();
    while let Some((socket, queued)) = shared.queue.pop(&mut shift, || shared.waker.wake(), || {}) {
        worker.tally.queue_wait_ns.add_time(queued.elapsed());
        worker.converse(socket);
        shared.closed();
    }
}

impl Worker<'_> {
    /// Answers the requests of a connection until one side ends it.
    fn converse(&mut self, socket: OwnedFd) {
        let Ok(socket) = Socket::new(socket, self.shared.config.tls.as_deref()) else { return };
        let mut connection = Connection::new(socket, 0, self.shared.config.watch.as_ref());
        connection.readable = true;
        let soon = connection.socket.wait_in_reads(SOON);
        while self.hear(&mut connection, soon) {
            self.answer(&mut connection);
            if !self.flush(&mut connection) {
                break;
            }
        }
        if connection.socket.is_handshaking() {
            self.tally.failed_handshakes.add(1);
        }
        self.count(&mut connection, 0);
        self.part(&mut connection);
    }

    /// Answers the request that has arrived, or goes on with its answer.
    fn answer(&mut self, connection: &mut Connection) {
        let Shared { config, lifetime, .. } = self.shared;
        let began = Instant::now();
        self.tally.begin(began);
        self.exchange.serve(connection, &config.limits, &lifetime.draining, self.tally);
        self.tally.end(began);
    }

    /// Waits until a request has arrived as a whole; false when none will be answered any more.
    fn hear(&mut self, connection: &mut Connection, mut soon: bool) -> bool {
        let mut waiting = None;
        let mut since = Instant::now();
        while connection.ending == Ending::Open {
            match *connection.intake.phase() {
                Phase::Ready { .. } => return true,
                Phase::Bad(status) => {
                    self.tally.bad_requests.add(1);
                    self.refuse(connection, status);
                }
                Phase::Head | Phase::Body { .. } if connection.readable => {
                    let Ok(received) = connection.receive(&self.shared.config.limits) else { return false };
                    self.tally.bytes_in.add(received as u64);
                    let body = matches!(connection.intake.phase(), Phase::Body { .. });
                    if body && received > 0 {
                        since = Instant::now();
                    }
                    self.count(connection, connection.intake.memory());
                    if body && self.shared.memory.load(Ordering::Relaxed) > self.shared.config.request_memory
                    {
                        self.refuse(connection, 503);
                    }
                }
                Phase::Head | Phase::Body { .. } => {
                    if connection.ended {
                        return false;
                    }
                    connection.say_continue(self.tally);
                    if std::mem::take(&mut soon) {
                        let Ok(received) = connection.receive_soon(&self.shared.config.limits) else {
                            return false;
                        };
                        self.tally.bytes_in.add(received as u64);
                        continue;
                    }
                    let kind = what_for(connection);
                    if waiting.replace(kind).is_some_and(|before| before != kind) {
                        since = Instant::now();
                    }
                    if !self.await_input(connection, kind, since) {
                        return false;
                    }
                }
            }
        }
        false
    }

    /// Waits for more of a request; false when the connection has nothing more to say.
    fn await_input(&mut self, connection: &mut Connection, waiting: Waiting, since: Instant) -> bool {
        let times = &self.shared.config.timeouts;
        let (patience, quiet) = match waiting {
            Waiting::Idle => (times.idle, true),
            Waiting::Body => (times.body, false),
            _ => (times.head, !connection.intake.has_input()),
        };
        if quiet {
            connection.intake.shrink();
            self.count(connection, connection.intake.memory());
        }
        match self.wait(connection, PollFlags::IN, since, patience, quiet.then_some(waiting)) {
            Woken::Ready => connection.readable = true,
            Woken::Expired if waiting == Waiting::Idle => {
                self.tally.closed_idle.add(1);
                return false;
            }
            Woken::Expired => {
                self.tally.timed_out(waiting);
                if !connection.intake.has_input() {
                    return false;
                }
                self.refuse(connection, 408);
            }
            Woken::Called => {
                if quiet && waiting == Waiting::Idle && !self.shared.lifetime.is_draining() {
                    self.tally.closed_idle.add(1);
                    self.tally.evicted.add(1);
                }
                return false;
            }
        }
        true
    }

    /// Sends what the socket has not taken of a response; whether the connection goes on.
    fn flush(&mut self, connection: &mut Connection) -> bool {
        let mut since = Instant::now();
        while let Some(outgoing) = &mut connection.outgoing {
            if connection.ending == Ending::Broken {
                return false;
            }
            let Ok((sent, done)) = outgoing.flush(&mut connection.socket) else {
                connection.ending = Ending::Broken;
                return false;
            };
            self.tally.bytes_out.add(sent as u64);
            if sent > 0 {
                since = Instant::now();
            }
            if done {
                connection.outgoing = None;
                if connection.ending == Ending::Open {
                    connection.next_request(&self.shared.config.limits);
                }
            } else if outgoing.is_hungry(&connection.socket) {
                self.answer(connection);
            } else if !matches!(
                self.wait(connection, PollFlags::OUT, since, self.shared.config.timeouts.write, None),
                Woken::Ready
            ) {
                self.tally.timed_out(Waiting::Write);
                connection.ending = Ending::Broken;
                return false;
            }
        }
        connection.ending == Ending::Open
    }

    /// Closes behind the last response, see [`Connection::part`].
    fn part(&mut self, connection: &mut Connection) {
        let since = Instant::now();
        while self.flush_refusal(connection) && connection.part() != Discarded::End {
            if !matches!(self.wait(connection, PollFlags::IN, since, LINGER, None), Woken::Ready) {
                break;
            }
        }
    }

    /// Sends the rest of a refusal; whether that could be done.
    fn flush_refusal(&mut self, connection: &mut Connection) -> bool {
        if connection.outgoing.is_some() {
            self.flush(connection);
        }
        connection.outgoing.is_none()
    }

    fn refuse(&mut self, connection: &mut Connection, status: u16) {
        self.exchange.refuse(connection, status, self.tally);
        self.count(connection, connection.intake.memory());
    }

    /// Counts what the buffers of a connection take now.
    fn count(&self, connection: &mut Connection, bytes: usize) {
        if bytes != connection.counted {
            self.shared.memory.fetch_add(bytes, Ordering::Relaxed);
            self.shared.memory.fetch_sub(connection.counted, Ordering::Relaxed);
            connection.counted = bytes;
        }
    }

    /// Waits for the socket until `patience` has passed `since`. A wait for a client that has not begun a request
    /// (`quiet`) ends when the thread is called; any wait does when the server stops.
    fn wait(
        &self,
        connection: &Connection,
        event: PollFlags,
        since: Instant,
        patience: Duration,
        quiet: Option<Waiting>,
    ) -> Woken {
        // A handshake goes on when there is room for our part of it.
        let event = if connection.socket.is_behind() { event | PollFlags::OUT } else { event };
        let entered = Instant::now();
        self.shared.idlers.enter(entered, self.index, self.waker, quiet == Some(Waiting::Idle));
        if quiet.is_some() && self.shared.pressed.load(Ordering::SeqCst) {
            self.shared.waker.wake();
        }
        let woken = loop {
            // Looked at after entering: whoever sets one of these wakes those who have entered.
            let stops = self.shared.lifetime.is_stopping();
            let called = stops || (quiet.is_some() && self.shared.lifetime.is_draining());
            let left = patience.saturating_sub(since.elapsed());
            let left = if called { Duration::ZERO } else { left };
            let mut watched = [
                PollFd::new(&connection.socket, event),
                PollFd::from_borrowed_fd(self.waker.as_fd(), PollFlags::IN),
            ];
            match poll(&mut watched, Timespec::try_from(left).ok().as_ref()) {
                Err(Errno::INTR) => continue,
                Err(_) => break Woken::Expired,
                Ok(_) => {}
            }
            if !watched[0].revents().is_empty() && !stops {
                break Woken::Ready;
            }
            if !watched[1].revents().is_empty() {
                self.waker.reset();
                if quiet.is_some() && !self.shared.idlers.contains(entered, self.index) {
                    break Woken::Called;
                }
                continue;
            }
            break if called { Woken::Called } else { Woken::Expired };
        };
        self.shared.idlers.leave(entered, self.index);
        woken
    }
}

/// What a connection waits for that lacks the rest of a request.
fn what_for(connection: &Connection) -> Waiting {
    match *connection.intake.phase() {
        Phase::Body { .. } => Waiting::Body,
        _ if connection.intake.is_used() && !connection.intake.has_input() => Waiting::Idle,
        _ => Waiting::Head,
    }
}
