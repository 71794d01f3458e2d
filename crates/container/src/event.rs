//! The event connector: one event loop for each core, and nothing else.
//!
//! A loop holds its connections, reads, runs the application and writes, all without waiting; it never blocks
//! unless the application does, and then everyone on that loop waits. So it suits applications that only
//! compute.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use loadstone_http::{Handler, Service};

use crate::admission;
use crate::config::Config;
use crate::connection::Connection;
use crate::counters::{Counters, Tally, Work};
use crate::event_loop::{Control, Desk, EventLoop};
use crate::exchange::Exchange;
use crate::lifetime::Lifetime;
use crate::server::Running;

/// Answers on the spot.
struct Inline {
    control: Arc<Control>,
    exchange: Exchange,
    /// Requests answered in this round of the loop.
    answered: usize,
    /// When the round began.
    began: Instant,
}

impl Desk for Inline {
    fn begin_round(&mut self) {
        self.answered = 0;
        self.began = Instant::now();
        self.control.tally.begin(self.began);
    }

    fn end_round(&mut self) {
        self.control.tally.end(self.began);
    }

    fn take(&mut self, mut connection: Box<Connection>) -> Option<Box<Connection>> {
        let Control { config, lifetime, tally, .. } = &*self.control;
        self.exchange.serve(&mut connection, &config.limits, &lifetime.draining, tally);
        self.answered += 1;
        Some(connection)
    }

    fn hand_over(&mut self) -> bool {
        self.answered > 0
    }

    // There is no queue. A loop answers all that has arrived on its connections in one round, so the requests
    // of one round are those that would have waited in a queue.
    fn spare(&self, bound: usize) -> usize {
        let spare = bound.saturating_sub(self.answered);
        if spare == 0 {
            self.control.waker.wake();
        }
        spare
    }

    fn work(&self) -> Work {
        Tally::work([&self.control.tally])
    }

    // No connection is ever away.
    fn note(&self, _slot: u32, _note: u8) {}

    fn forget(&self, _slot: u32) {}

    fn collect(&mut self, _back: &mut Vec<(Box<Connection>, u8)>) {}
}

/// A running event connector.
pub(crate) struct Event {
    lifetime: Arc<Lifetime>,
    loops: Vec<Arc<Control>>,
    threads: Vec<JoinHandle<()>>,
}

/// Starts one loop for each handler; they share the listener and the number of connections.
///
/// # Errors
/// The system gave no thread, epoll instance or descriptor.
pub(crate) fn start(
    config: Config,
    listener: OwnedFd,
    service: Arc<dyn Service>,
    handlers: Vec<Box<dyn Handler>>,
) -> io::Result<Event> {
    let count = handlers.len();
    let listener = Arc::new(listener);
    let lifetime = Arc::new(Lifetime::new(count));
    let memory = Arc::new(AtomicUsize::new(0));
    // From here on dropping `event` ends the threads that have started.
    let mut event = Event { lifetime: lifetime.clone(), loops: Vec::new(), threads: Vec::new() };
    for (index, handler) in handlers.into_iter().enumerate() {
        let share = |total: usize| total / count + usize::from(index < total % count);
        let config = Config { max_connections: share(config.max_connections), ..config.clone() };
        let compress = config.compress;
        let control = Arc::new(Control::new(config, lifetime.clone(), memory.clone())?);
        let exchange = Exchange::new(service.clone(), Some(handler), compress);
        let desk = Inline { control: control.clone(), exchange, answered: 0, began: Instant::now() };
        let event_loop =
            EventLoop::new(control.clone(), listener.clone(), desk, admission::policy(&control.config, 1))?;
        let thread = Builder::new().name(format!("events-{index}"));
        event.threads.push(thread.spawn(move || event_loop.run())?);
        event.loops.push(control);
    }
    Ok(event)
}

impl Event {
    fn wake(&self) {
        self.loops.iter().for_each(|control| control.waker.wake());
    }
}

impl Running for Event {
    fn counters(&self) -> Counters {
        let mut total = Counters::default();
        for control in &self.loops {
            control.tally.add_to(&mut total);
            total.workers += 1;
            total.workers_stuck += u64::from(control.tally.is_stuck(control.config.timeouts.stuck));
        }
        total
    }

    fn drain(&self, timeout: Duration) -> bool {
        self.lifetime.draining.store(true, Ordering::SeqCst);
        self.wake();
        self.lifetime.wait(timeout)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.lifetime.stopping.store(true, Ordering::SeqCst);
        self.wake();
        let stuck = |control: &Arc<Control>| control.tally.is_stuck(control.config.timeouts.stuck);
        let threads = self.threads.drain(..).zip(&self.loops);
        for (thread, _) in threads.filter(|(_, control)| !stuck(control)) {
            // A thread that panicked has said so on stderr; there is nothing left to save.
            let _ = thread.join();
        }
    }
}
