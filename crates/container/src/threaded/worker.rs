//! A thread's work: one client after another, each as long as it keeps up.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use loadstone_http::{Handler, Need};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Shared;
use crate::connection::Connection;
use crate::counters::Tally;
use crate::crew::Shift;
use crate::event_loop::Control;
use crate::exchange::Exchange;
use crate::waker::Waker;

/// A client in conversation asks again, sends the rest of a request and takes the rest of an answer soon. For
/// this long the thread waits in the read itself. That takes one system call; a wait that others can end
/// takes two, and an entry in the list of those that wait. A caller of the thread may wait this much longer.
/// A client that is slower in the middle of a request or an answer waits in the event loop.
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
    /// Answers the request that has arrived and those that follow, until one side ends the connection or the
    /// client does not keep up. The event loop refuses and parts.
    fn converse(&mut self, connection: &mut Connection) {
        let soon = connection.socket.wait_in_reads(SOON);
        while !connection.broken {
            let goes_on = match connection.talk.need() {
                Need::Answer | Need::Content => true,
                Need::Room => connection.more || comes_soon(connection, PollFlags::OUT),
                Need::Bytes(_) => self.hear(connection, soon),
                Need::Refusal(_) | Need::Close | Need::Linger => false,
            };
            if !goes_on {
                break;
            }
            self.serve(connection);
        }
    }

    fn serve(&mut self, connection: &mut Connection) {
        let Control { config, lifetime, .. } = &*self.shared.control;
        let began = Instant::now();
        self.tally.begin(began);
        self.exchange.serve(connection, &config.limits, &lifetime.draining, self.tally);
        self.tally.end(began);
    }

    /// Waits until a request has arrived as a whole; false when the connection ends or the client is slow.
    fn hear(&mut self, connection: &mut Connection, soon: bool) -> bool {
        let Control { config, memory, .. } = &*self.shared.control;
        let mut hurried = false;
        while matches!(connection.talk.need(), Need::Bytes(_)) {
            let received = if connection.readable {
                connection.receive(&config.limits)
            } else if !std::mem::replace(&mut hurried, true) {
                connection.say_continue(self.tally);
                if soon {
                    connection.receive_soon(&config.limits)
                } else {
                    connection.readable = comes_soon(connection, PollFlags::IN);
                    Ok(0)
                }
            } else if connection.talk.has_input() || !self.await_request(connection) {
                return false;
            } else {
                hurried = false;
                Ok(0)
            };
            let Ok(received) = received else {
                connection.broken = true;
                return false;
            };
            self.tally.bytes_in.add(received as u64);
            self.count(connection);
            // Where requests already take too much memory, the event loop sees to the rest.
            let crowded = memory.load(Ordering::Relaxed) > config.request_memory;
            hurried = crowded || hurried && received < LEAST;
        }
        connection.talk.need() == Need::Answer
    }

    /// Waits for the beginning of a request; false when the client is idle for too long or its thread is
    /// needed.
    fn await_request(&mut self, connection: &mut Connection) -> bool {
        connection.talk.shrink();
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
            connection.talk.end();
        }
        connection.readable
    }

    /// Whether an idle client sends something before its time is over and before the thread is called away.
    fn await_bytes(&self, connection: &Connection, entered: Instant) -> bool {
        let lifetime = &self.shared.control.lifetime;
        loop {
            // Look at these only after entering the list: whatever changes one of them wakes the threads in
            // the list.
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
