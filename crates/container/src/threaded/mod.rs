//! The threaded connector: a thread for each client, as long as the client keeps up.
//!
//! A thread reads like a conversation: answer a request, wait for the next. An idle client holds its thread,
//! so that the number of threads bounds the number of clients, however little they ask. Threads are started
//! as they are needed, up to the configured number. When all are taken and a request waits, the client that
//! has been idle the longest is closed, once it has been so for a 64th of the idle time-out or, the more
//! wait, for less: the keep-alive time shortens under pressure.
//!
//! No thread waits for a client that is slow in the midst of something. An event loop accepts connections and
//! has each until its first request is whole; it gets one back whose client does not send the rest of a
//! request, or take the rest of an answer, within moments, and keeps it until a thread is of use again or its
//! time is over.

#![allow(clippy::vec_box, reason = "connections move between threads as pointers, not as copies")]

mod desk;
mod idlers;
mod worker;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
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
use crate::waker::Waker;
use desk::HandOver;
use idlers::Idlers;

/// What the event loop and the threads share.
struct Shared {
    control: Arc<Control>,
    service: Arc<dyn Service>,
    /// Connections whose requests are whole and which no thread has yet.
    queue: Queue<Box<Connection>>,
    /// Connections that threads give back.
    returned: Mutex<Vec<Box<Connection>>>,
    idlers: Idlers,
    /// Whether connections wait although every thread is taken.
    pressed: AtomicBool,
    /// Of each thread.
    tallies: Box<[Tally]>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Shared {
    /// Starts one more thread; `index` counts from 0. Without a handler it makes its own.
    fn start_thread(self: &Arc<Self>, index: usize, handler: Option<Box<dyn Handler>>) -> io::Result<()> {
        let shared = self.clone();
        let waker = Arc::new(Waker::new()?);
        let work = move || worker::run(&shared, handler, index, &waker);
        let thread = Builder::new().name(format!("worker-{index}")).spawn(work)?;
        self.threads().push(thread);
        Ok(())
    }

    /// Gives a connection back to the event loop, which waits for it or closes it.
    fn hand_back(&self, connection: Box<Connection>) {
        self.returned().push(connection);
        self.control.waker.wake();
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn returned(&self) -> MutexGuard<'_, Vec<Box<Connection>>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running threaded connector.
pub(crate) struct Threaded {
    shared: Arc<Shared>,
    events: Option<JoinHandle<()>>,
}

/// Starts the event loop, and a thread for each handler.
///
/// # Errors
/// The system gave no thread, epoll instance or descriptor.
pub(crate) fn start(
    config: Config,
    listener: OwnedFd,
    service: Arc<dyn Service>,
    handlers: Vec<Box<dyn Handler>>,
) -> io::Result<Threaded> {
    let policy = admission::policy(&config, config.worker_count());
    let shared = Arc::new(Shared {
        // A thread is held by its client, however short its requests are.
        queue: Queue::new(usize::MAX),
        returned: Mutex::default(),
        idlers: Idlers::default(),
        pressed: AtomicBool::new(false),
        tallies: (0..config.worker_count()).map(|_| Tally::default()).collect(),
        threads: Mutex::default(),
        control: Arc::new(Control::new(config, Arc::new(Lifetime::new(1)), Arc::default())?),
        service,
    });
    let desk = HandOver::new(shared.clone(), handlers.len());
    let event_loop = EventLoop::new(shared.control.clone(), Arc::new(listener), desk, policy)?;
    // From here on dropping `threaded` ends the threads that have started.
    let mut threaded = Threaded { shared: shared.clone(), events: None };
    for (index, handler) in handlers.into_iter().enumerate() {
        shared.start_thread(index, Some(handler))?;
    }
    threaded.events = Some(Builder::new().name("events".into()).spawn(move || event_loop.run())?);
    Ok(threaded)
}

impl Running for Threaded {
    fn counters(&self) -> Counters {
        let mut total = Counters { queue_depth: self.shared.queue.len() as u64, ..Counters::default() };
        self.shared.control.tally.add_to(&mut total);
        self.shared.tallies.iter().for_each(|tally| tally.add_to(&mut total));
        let patience = self.shared.control.config.timeouts.stuck;
        total.workers = self.shared.threads().len() as u64;
        total.workers_stuck =
            self.shared.tallies.iter().filter(|tally| tally.is_stuck(patience)).count() as u64;
        total
    }

    fn drain(&self, timeout: Duration) -> bool {
        let Control { lifetime, waker, .. } = &*self.shared.control;
        lifetime.draining.store(true, Ordering::SeqCst);
        waker.wake();
        self.shared.idlers.wake_all();
        lifetime.wait(timeout)
    }
}

impl Drop for Threaded {
    fn drop(&mut self) {
        self.shared.control.lifetime.stopping.store(true, Ordering::SeqCst);
        self.shared.control.waker.wake();
        if let Some(events) = self.events.take() {
            let _ = events.join();
        }
        self.shared.queue.close();
        self.shared.idlers.wake_all();
        let threads = std::mem::take(&mut *self.shared.threads());
        let patience = self.shared.control.config.timeouts.stuck;
        let threads = threads.into_iter().zip(&self.shared.tallies);
        for (thread, _) in threads.filter(|(_, tally)| !tally.is_stuck(patience)) {
            // A thread that panicked has said so on stderr; there is nothing left to save.
            let _ = thread.join();
        }
    }
}
