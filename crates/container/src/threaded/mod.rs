//! The threaded connector: an acceptor, and one thread for each connection from its first request to its last.
//!
//! It reads like a conversation: wait for a request, answer it, wait for the next. An idle client holds its thread, so
//! that the number of threads bounds the number of clients, however little they ask. Threads are started as they are
//! needed, up to the configured number. When all are taken and a connection waits, the client that has been idle the
//! longest is closed, once it has been so for a 64th of the idle time-out: the keep-alive time shortens under pressure.

mod acceptor;
mod conversation;
mod idlers;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use loadstone_http::{Handler, Service};

use crate::config::Config;
use crate::counters::{Counters, Tally};
use crate::lifetime::Lifetime;
use crate::queue::Queue;
use crate::server::Running;
use crate::waker::Waker;
use acceptor::Acceptor;
use idlers::Idlers;

/// What the acceptor and the threads share.
struct Shared {
    config: Config,
    service: Arc<dyn Service>,
    lifetime: Lifetime,
    /// Accepted connections that no thread has yet.
    queue: Queue<OwnedFd>,
    idlers: Idlers,
    /// Whether connections wait although every thread is taken.
    pressed: AtomicBool,
    open: AtomicUsize,
    /// Bytes that requests on their way in take.
    memory: AtomicUsize,
    /// Of the acceptor.
    waker: Waker,
    /// Of the acceptor, then of each thread.
    tallies: Box<[Tally]>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Shared {
    /// Starts one more thread; `index` counts from 0. Without a handler it makes its own.
    fn start_thread(self: &Arc<Self>, index: usize, handler: Option<Box<dyn Handler>>) -> io::Result<()> {
        let shared = self.clone();
        let waker = Arc::new(Waker::new()?);
        let work = move || conversation::run(&shared, handler, index, &waker);
        let thread = Builder::new().name(format!("worker-{index}")).spawn(work)?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    /// Counts a connection that is gone.
    fn closed(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
        self.waker.wake();
    }
}

/// A running threaded connector.
pub(crate) struct Threaded {
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// Starts the acceptor, and a thread for each handler.
///
/// # Errors
/// The system gave no thread or descriptor.
pub(crate) fn start(
    config: Config,
    listener: OwnedFd,
    service: Arc<dyn Service>,
    handlers: Vec<Box<dyn Handler>>,
) -> io::Result<Threaded> {
    let shared = Arc::new(Shared {
        lifetime: Lifetime::new(1),
        // A thread is held by its client, however short its requests are.
        queue: Queue::new(usize::MAX),
        idlers: Idlers::default(),
        pressed: AtomicBool::new(false),
        open: AtomicUsize::new(0),
        memory: AtomicUsize::new(0),
        waker: Waker::new()?,
        tallies: (0..=config.worker_count()).map(|_| Tally::default()).collect(),
        threads: Mutex::default(),
        config,
        service,
    });
    // From here on dropping `threaded` ends the threads that have started.
    let mut threaded = Threaded { shared: shared.clone(), acceptor: None };
    let started = handlers.len();
    for (index, handler) in handlers.into_iter().enumerate() {
        shared.start_thread(index, Some(handler))?;
    }
    let acceptor = Acceptor::new(shared, listener, started);
    threaded.acceptor = Some(Builder::new().name("acceptor".into()).spawn(move || acceptor.run())?);
    Ok(threaded)
}

impl Running for Threaded {
    fn counters(&self) -> Counters {
        let mut total = Counters { queue_depth: self.shared.queue.len() as u64, ..Counters::default() };
        self.shared.tallies.iter().for_each(|tally| tally.add_to(&mut total));
        let patience = self.shared.config.timeouts.stuck;
        total.workers = self.shared.threads.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
        total.workers_stuck =
            self.shared.tallies.iter().filter(|tally| tally.is_stuck(patience)).count() as u64;
        total.open_connections = self.shared.open.load(Ordering::SeqCst) as u64;
        total
    }

    fn drain(&self, timeout: Duration) -> bool {
        self.shared.lifetime.draining.store(true, Ordering::SeqCst);
        self.shared.waker.wake();
        self.shared.lifetime.wait(timeout)
    }
}

impl Drop for Threaded {
    fn drop(&mut self) {
        self.shared.lifetime.stopping.store(true, Ordering::SeqCst);
        self.shared.waker.wake();
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        self.shared.queue.close();
        self.shared.idlers.wake_all();
        let threads =
            std::mem::take(&mut *self.shared.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let patience = self.shared.config.timeouts.stuck;
        let threads = threads.into_iter().zip(&self.shared.tallies[1..]);
        for (thread, _) in threads.filter(|(_, tally)| !tally.is_stuck(patience)) {
            // A thread that panicked has said so on stderr; there is nothing left to save.
            let _ = thread.join();
        }
    }
}
