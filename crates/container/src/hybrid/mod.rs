//! The hybrid connector: an event loop for connections, blocking workers for application code.
//!
//! One thread holds every connection, reads and parses without blocking and hands *complete*
//! requests to workers, so that neither idle nor slow clients ever hold a worker. A worker runs the
//! application, writes the response itself and hands the connection back; what the socket does not
//! take is flushed by the event loop. After D. Carrera, V. Beltran, J. Torres and E. Ayguadé, "A Hybrid
//! Web Server Architecture for e-Commerce Applications", with one change: not busy workers alone but
//! a bounded queue in front of them decides about admission, which leaves no worker without work.
//!
//! Sockets are registered once, edge-triggered. An edge of a connection that is away is noted in
//! `Shared::wanted`; the worker that hands it back sees the note and wakes the loop. Without a note
//! and without unread input there is nothing to do until the next edge, so handing back makes no
//! system call.

#![allow(clippy::vec_box, reason = "connections move between threads as pointers, not as copies")]

mod admission;
mod event_loop;
mod worker;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use loadstone_http::{Handler, Service};

use crate::config::Config;
use crate::connection::Connection;
use crate::counters::{Counters, Tally};
use crate::queue::Queue;
use crate::server::Running;
use crate::waker::Waker;
use event_loop::EventLoop;

/// What the event loop and the workers share.
struct Shared {
    config: Config,
    service: Arc<dyn Service>,
    queue: Queue<Box<Connection>>,
    /// Connections that workers hand back.
    returned: Mutex<Vec<Box<Connection>>>,
    /// Edges of connections that are away, by slot.
    wanted: Box<[AtomicU8]>,
    waker: Waker,
    draining: AtomicBool,
    stopping: AtomicBool,
    /// Whether the event loop has ended.
    ended: Mutex<bool>,
    on_end: Condvar,
    /// Of the event loop, then of each worker.
    tallies: Box<[Tally]>,
}

impl Shared {
    /// Hands a connection back to the event loop. `attention`: it needs more than waiting for an edge.
    fn hand_back(&self, connection: Box<Connection>, attention: bool) {
        let slot = connection.slot as usize;
        self.returned().push(connection);
        // The loop notes an edge first and looks at `returned` after; here it is the other way
        // round. Whichever comes last sees the other, so that no edge is lost.
        // The same holds for the beginning of a drain.
        let noted = || self.wanted[slot].load(Ordering::SeqCst) != 0;
        if attention || noted() || self.draining.load(Ordering::SeqCst) {
            self.waker.wake();
        }
    }

    fn returned(&self) -> MutexGuard<'_, Vec<Box<Connection>>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self) -> MutexGuard<'_, bool> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running hybrid connector.
pub(crate) struct Hybrid {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// Starts the event loop and one worker for each handler.
///
/// # Errors
/// The system gave no thread, epoll instance or descriptor.
pub(crate) fn start(
    config: Config,
    listener: OwnedFd,
    service: Arc<dyn Service>,
    handlers: Vec<Box<dyn Handler>>,
) -> io::Result<Hybrid> {
    let shared = Arc::new(Shared {
        queue: Queue::new(config.queue_bound()),
        returned: Mutex::new(Vec::new()),
        wanted: (0..config.max_connections).map(|_| AtomicU8::new(0)).collect(),
        waker: Waker::new()?,
        draining: AtomicBool::new(false),
        stopping: AtomicBool::new(false),
        ended: Mutex::new(false),
        on_end: Condvar::new(),
        tallies: (0..=handlers.len()).map(|_| Tally::default()).collect(),
        config,
        service,
    });
    let event_loop = EventLoop::new(shared.clone(), listener)?;
    // From here on dropping `hybrid` ends the threads that have started.
    let mut hybrid = Hybrid { shared: shared.clone(), threads: Vec::new() };
    for (index, handler) in handlers.into_iter().enumerate() {
        let shared = shared.clone();
        let work = move || worker::run(&shared, handler, index + 1);
        hybrid.threads.push(Builder::new().name(format!("worker-{index}")).spawn(work)?);
    }
    let events = Builder::new().name("events".into());
    hybrid.threads.push(events.spawn(move || event_loop.run())?);
    Ok(hybrid)
}

impl Running for Hybrid {
    fn counters(&self) -> Counters {
        let mut total = Counters { queue_depth: self.shared.queue.len() as u64, ..Counters::default() };
        self.shared.tallies.iter().for_each(|tally| tally.add_to(&mut total));
        total
    }

    fn drain(&self, timeout: Duration) -> bool {
        self.shared.draining.store(true, Ordering::SeqCst);
        self.shared.waker.wake();
        let ended = self.shared.ended();
        let result = self.shared.on_end.wait_timeout_while(ended, timeout, |ended| !*ended);
        *result.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Hybrid {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.waker.wake();
        self.shared.queue.close();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so on stderr; there is nothing left to save.
            let _ = thread.join();
        }
    }
}
