//! The hybrid connector: an event loop for connections, blocking workers for application code.
//!
//! One thread holds every connection, reads and parses without blocking and hands *complete* requests to
//! workers, so that neither idle nor slow clients ever hold a worker. A worker runs the application, writes
//! the response itself and hands the connection back; what the socket does not take is flushed by the event
//! loop. After D. Carrera, V. Beltran, J. Torres and E. Ayguadé, "A Hybrid Web Server Architecture for
//! e-Commerce Applications", with one change: busy workers alone do not decide about admission. The rules of
//! `crate::admission` leave no worker without work.
//!
//! An edge of a connection that is away is noted in `Shared::wanted`; the worker that hands it back sees the
//! note and wakes the loop. Without a note and without unread input there is nothing to do until the next
//! edge, so handing back makes no system call.

#![allow(clippy::vec_box, reason = "connections move between threads as pointers, not as copies")]

mod desk;
mod pool;
mod sizer;
mod worker;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle, Thread};
use std::time::Duration;

use loadstone_http::{Handler, Service};

use crate::admission;
use crate::config::Config;
use crate::connection::Connection;
use crate::counters::{Counters, Tally};
use crate::event_loop::{Control, EventLoop};
use crate::lifetime::Lifetime;
use crate::queue::Queue;
use crate::server::Running;
use desk::HandOver;
use pool::Pool;
use sizer::Sizer;

/// What the event loop and the workers share.
struct Shared {
    control: Arc<Control>,
    service: Arc<dyn Service>,
    queue: Queue<Box<Connection>>,
    /// The event loop's thread, once it has rested.
    resting: OnceLock<Thread>,
    /// Connections that workers hand back.
    returned: Mutex<Vec<Box<Connection>>>,
    /// Edges of connections that are away, by slot.
    wanted: Box<[AtomicU8]>,
    /// Of each worker.
    tallies: Box<[Tally]>,
    pool: Mutex<Pool>,
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
        if attention || noted() || self.control.lifetime.is_draining() {
            self.control.waker.wake();
        }
    }

    /// Ends the event loop's rest.
    fn stir(&self) {
        if let Some(thread) = self.resting.get() {
            thread.unpark();
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn returned(&self) -> MutexGuard<'_, Vec<Box<Connection>>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running hybrid connector.
pub(crate) struct Hybrid {
    shared: Arc<Shared>,
    /// The event loop, and what adapts the number of workers.
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
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let shared = Arc::new(Shared {
        queue: Queue::new(cores),
        resting: OnceLock::new(),
        returned: Mutex::new(Vec::new()),
        wanted: (0..config.max_connections).map(|_| AtomicU8::new(0)).collect(),
        // As many workers may be stuck as are at work.
        tallies: (0..2 * config.worker_count()).map(|_| Tally::default()).collect(),
        pool: Mutex::default(),
        control: Arc::new(Control::new(config, Arc::new(Lifetime::new(1)), Arc::default())?),
        service,
    });
    let desk = HandOver::new(shared.clone());
    let policy = admission::policy(&shared.control.config, handlers.len());
    let event_loop = EventLoop::new(shared.control.clone(), Arc::new(listener), desk, policy)?;
    // From here on dropping `hybrid` ends the threads that have started.
    let mut hybrid = Hybrid { shared: shared.clone(), threads: Vec::new() };
    for handler in handlers {
        shared.pool().start(&shared, Some(handler))?;
    }
    let config = &shared.control.config;
    if config.auto {
        let sizer = Sizer::new(config.first_workers(), config.worker_count(), cores);
        let shared = shared.clone();
        hybrid.threads.push(Builder::new().name("pool".into()).spawn(move || pool::adapt(&shared, sizer))?);
    }
    let events = Builder::new().name("events".into());
    hybrid.threads.push(events.spawn(move || event_loop.run())?);
    Ok(hybrid)
}

impl Running for Hybrid {
    fn counters(&self) -> Counters {
        let mut total = Counters { queue_depth: self.shared.queue.len() as u64, ..Counters::default() };
        self.shared.control.tally.add_to(&mut total);
        self.shared.tallies.iter().for_each(|tally| tally.add_to(&mut total));
        total.workers = self.shared.pool().len() as u64;
        total.workers_stuck = self.shared.stuck() as u64;
        total
    }

    fn drain(&self, timeout: Duration) -> bool {
        self.shared.control.lifetime.draining.store(true, Ordering::SeqCst);
        self.shared.control.waker.wake();
        self.shared.control.lifetime.wait(timeout)
    }
}

impl Drop for Hybrid {
    fn drop(&mut self) {
        self.shared.control.lifetime.stopping.store(true, Ordering::SeqCst);
        self.shared.control.waker.wake();
        self.shared.queue.close();
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A thread that panicked has said so on stderr; there is nothing left to save.
            let _ = thread.join();
        }
        self.shared.pool().join(&self.shared);
    }
}
