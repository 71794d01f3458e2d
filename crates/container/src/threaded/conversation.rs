//! A thread's work: one client after another, each as long as it keeps up.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use loadstone_http::{Handler, Phase};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Shared;
use crate::connection::{Connection, Ending};
use crate::counters::Tally;
use crate::crew::Shift;
use crate::exchange::Exchange;
use crate::waker::Waker;

/// A client in conversation asks again, sends the rest of a request and takes the rest of an answer soon. For so long the
/// thread waits in the read itself: that takes one system call where a wait that others can end takes two, and the books
/// of who waits. Whoever calls it waits so much longer. A client that is slower in the midst of a request or an answer
/// waits in the event loop.
const SOON: Duration = Duration::from_millis(10);

/// Bytes of a body that must come within that time for the thread to wait on.
const LEAST: usize = 4096;

struct Worker<'s> {
    shared: &'s Shared,
    exchange: Exchange,
    tally: &'s Tally,
    index: usize,
    waker: &'s Arc<Waker>,
}

/// Serves connections from the queue until it is closed.
pub(super) fn run(shared: &Shared, handler: Option<Box<dyn Handler>>, index: usize, waker: &Arc<Waker>) {
    let exchange = Exchange::new(shared.service.clone(), handler, shared.control.config.compress);
    let mut worker = Worker { shared, exchange, tally: &shared.tallies[index], index, waker };
    let mut shift = Shift::default();
    while let Some((mut connection, queued)) =
        shared.queue.pop(&mut shift, || shared.control.waker.wake(), || {})
    {
        worker.tally.queue_wait_ns.add_time(queued.elapsed());
        worker.converse(&mut connection);
        shared.hand_back(connection);
    }
}

impl Worker<'_> {
    /// Answers the request that has arrived and those that follow, until one side ends the connection or the client does
    /// not keep up.
    fn converse(&mut self, connection: &mut Connection) {
        let soon = connection.socket.wait_in_reads(SOON);
        loop {
            self.answer(connection);
            if !self.flush(connection) || !self.hear(connection, soon) {
                break;
            }
        }
    }

    /// Answers the request that has arrived, or goes on with its answer.
    fn answer(&mut self, connection: &mut Connection) {
        let (config, lifetime) = (&self.shared.control.config, &self.shared.control.lifetime);
        let began = Instant::now();
        self.tally.begin(began);
        self.exchange.serve(connection, &config.limits, &lifetime.draining, self.tally);
        self.tally.end(began);
    }

    /// Sends what the socket has not taken of a response; false when the connection ends or the client is slow.
    fn flush(&mut self, connection: &mut Connection) -> bool {
        while connection.ending != Ending::Broken {
            let Some(outgoing) = &mut connection.outgoing else { return connection.ending == Ending::Open };
            let Ok((sent, done)) = outgoing.flush(&mut connection.socket) else {
                connection.ending = Ending::Broken;
                return false;
            };
            self.tally.bytes_out.add(sent as u64);
            if done {
                connection.outgoing = None;
                if connection.ending == Ending::Open {
                    connection.next_request(&self.shared.control.config.limits);
                }
            } else if outgoing.is_hungry(&connection.socket) {
                self.answer(connection);
            } else if !outgoing.more && !comes_soon(connection, PollFlags::OUT) {
                return false;
            }
        }
        false
    }

    /// Waits until a request has arrived as a whole; false when the connection ends or the client is slow.
    fn hear(&mut self, connection: &mut Connection, soon: bool) -> bool {
        let limits = &self.shared.control.config.limits;
        let mut hurried = false;
        loop {
            match *connection.intake.phase() {
                Phase::Ready { .. } => return true,
                // The event loop says so.
                Phase::Bad(_) => return false,
                Phase::Head | Phase::Body { .. } => {}
            }
            if connection.ended {
                return false;
            }
            let received = if connection.readable {
                connection.receive(limits)
            } else if !std::mem::replace(&mut hurried, true) {
                connection.say_continue(self.tally);
                if soon {
                    connection.receive_soon(limits)
                } else {
                    connection.readable = comes_soon(connection, PollFlags::IN);
                    Ok(0)
                }
            } else if connection.intake.has_input() || !self.await_request(connection) {
                return false;
            } else {
                hurried = false;
                Ok(0)
            };
            let Ok(received) = received else {
                connection.ending = Ending::Broken;
                return false;
            };
            self.tally.bytes_in.add(received as u64);
            self.count(connection);
            hurried &= received < LEAST;
            if self.shared.control.memory.load(Ordering::Relaxed) > self.shared.control.config.request_memory
            {
                // Where requests already take too much memory, the event loop sees to the rest.
                hurried = true;
            }
        }
    }

    /// Waits for the beginning of a request; false when the client is idle for too long or its thread is needed.
    fn await_request(&mut self, connection: &mut Connection) -> bool {
        connection.intake.shrink();
        self.count(connection);
        let entered = Instant::now();
        self.shared.idlers.enter(entered, self.index, self.waker);
        if self.shared.pressed.load(Ordering::SeqCst) {
            self.shared.control.waker.wake();
        }
        connection.readable = self.await_bytes(connection, entered);
        let called = !self.shared.idlers.leave(entered, self.index);
        let lifetime = &self.shared.control.lifetime;
        if !connection.readable && !lifetime.is_draining() && !lifetime.is_stopping() {
            self.tally.closed_idle.add(1);
            self.tally.evicted.add(u64::from(called));
        }
        if !connection.readable {
            connection.ending = Ending::Close;
        }
        connection.readable
    }

    /// Whether something comes from an idle client before its time is over, and before the thread is called.
    fn await_bytes(&self, connection: &Connection, entered: Instant) -> bool {
        let lifetime = &self.shared.control.lifetime;
        loop {
            // Looked at after entering: whoever brings one of these about wakes those who have entered.
            let called = lifetime.is_stopping()
                || lifetime.is_draining()
                || !self.shared.idlers.contains(entered, self.index);
            let left = self.shared.control.config.timeouts.idle.saturating_sub(entered.elapsed());
            let left = if called { Duration::ZERO } else { left };
            let mut watched = [
                PollFd::new(&connection.socket, PollFlags::IN),
                PollFd::from_borrowed_fd(self.waker.as_fd(), PollFlags::IN),
            ];
            match poll(&mut watched, Timespec::try_from(left).ok().as_ref()) {
                Err(Errno::INTR) => continue,
                Err(_) => return false,
                Ok(_) => {}
            }
            if !watched[0].revents().is_empty() && !lifetime.is_stopping() {
                return true;
            }
            if called || watched[1].revents().is_empty() {
                return false;
            }
            self.waker.reset();
        }
    }

    /// Counts what the buffers of a connection take now.
    fn count(&self, connection: &mut Connection) {
        connection.count(&self.shared.control.memory);
    }
}

/// Whether a socket is ready before long.
fn comes_soon(connection: &Connection, event: PollFlags) -> bool {
    // A handshake goes on when there is room for our part of it.
    let event = if connection.socket.is_behind() { event | PollFlags::OUT } else { event };
    let mut watched = [PollFd::new(&connection.socket, event)];
    // Cut short by a signal: the client waits in the event loop then, which does no harm.
    matches!(poll(&mut watched, Timespec::try_from(SOON).ok().as_ref()), Ok(1..))
}
