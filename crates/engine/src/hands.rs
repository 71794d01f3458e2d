//! Who calls functions: a few threads that do nothing else.
//!
//! A function may take as long as it likes, so none is called on a thread that drives users. Most functions return
//! at once and can run one at a time only (Python's do); so one thread serves all, and others help only where a call
//! has taken long, as one that waits for something does.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use loadstone_workload::Program;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::time::{ClockId, clock_gettime};

/// Calls at once, at most.
const HANDS: usize = 8;
/// Where the latest call was begun longer ago than this, and others wait, one more thread takes one.
const PATIENCE: Duration = Duration::from_micros(500);
/// What epoll calls the bell: no connection of a user, and no link, has it.
pub(crate) const BELL: u64 = 1 << 62;

/// What the engine calls where a step says so.
pub trait Functions: fmt::Debug + Send + Sync {
    /// Calls one; what it returned, in the order of [`Asked::returns`]. `began` is set to when it began, where it
    /// had to wait for its turn.
    ///
    /// # Errors
    /// Why there is nothing to go on with, as a sentence's end.
    fn call(&self, asked: &Asked<'_>, began: &mut Instant) -> Result<Vec<Vec<u8>>, String>;
}

/// A call.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Index of the function in the plan.
    pub function: usize,
    /// Names of its parameters, and what they are given.
    pub parameters: &'a [String],
    /// As above.
    pub arguments: &'a [Vec<u8>],
    /// It is given the latest answer of its operation,
    pub wants_answer: bool,
    /// which is this, if there was one.
    pub answer: Option<Arc<Answered>>,
    /// Names of what it returns.
    pub returns: &'a [String],
}

/// An answer of the service.
#[derive(Debug, Default)]
pub struct Answered {
    /// Status; 200 of a message of a WebSocket.
    pub status: u16,
    /// Its field lines.
    pub head: Vec<u8>,
    /// Its body, decompressed.
    pub body: Vec<u8>,
}

/// A call that is asked for.
#[derive(Debug)]
pub(crate) struct Job {
    /// Who asked: an engine's thread, a user of it, and its ticket.
    pub thread: usize,
    pub token: u32,
    pub ticket: u64,
    pub operation: usize,
    pub step: usize,
    pub arguments: Vec<Vec<u8>>,
    pub answer: Option<Arc<Answered>>,
    pub asked: Instant,
}

/// A call that was made.
#[derive(Debug)]
pub(crate) struct Done {
    pub token: u32,
    pub ticket: u64,
    pub function: usize,
    pub outcome: Result<Vec<Vec<u8>>, String>,
    /// From when it was asked for to when the function began, and from there to when it returned.
    pub waited: Duration,
    pub took: Duration,
    /// CPU time of the thread that called, everything around the function included.
    pub cpu: Duration,
}

/// The threads that call, and what waits for them.
#[derive(Debug)]
pub(crate) struct Hands {
    functions: Arc<dyn Functions>,
    program: Arc<Program>,
    desk: Mutex<Desk>,
    rung: Condvar,
    /// Of the engine's threads.
    inboxes: Box<[Inbox]>,
}

#[derive(Debug)]
struct Desk {
    jobs: VecDeque<Job>,
    /// Calls that were begun, and when the latest of them was; whether that one is under way.
    count: u64,
    begun: Instant,
    busy: bool,
    /// Somebody looks whether it takes too long.
    watched: bool,
    closed: bool,
}

/// Calls that were made for an engine's thread, and what wakes it.
#[derive(Debug)]
struct Inbox {
    done: Mutex<Vec<Done>>,
    bell: OwnedFd,
}

impl Hands {
    /// Starts the threads. They end when they are told to, each after the call that it is in.
    pub(crate) fn start(
        functions: Arc<dyn Functions>,
        program: &Arc<Program>,
        threads: u32,
    ) -> Result<Arc<Self>, String> {
        let inbox = |_| {
            let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
                .map_err(|why| format!("no event for calls: {why}"))?;
            Ok(Inbox { done: Mutex::default(), bell })
        };
        let desk = Desk {
            jobs: VecDeque::new(),
            count: 0,
            begun: Instant::now(),
            busy: false,
            watched: false,
            closed: false,
        };
        let hands = Arc::new(Self {
            functions,
            program: program.clone(),
            desk: Mutex::new(desk),
            rung: Condvar::new(),
            inboxes: (0..threads).map(inbox).collect::<Result<_, String>>()?,
        });
        for number in 0..HANDS {
            let own = hands.clone();
            std::thread::Builder::new().name(format!("call-{number}")).spawn(move || own.work()).map_err(
                |why| {
                    hands.close();
                    format!("no thread for calls: {why}")
                },
            )?;
        }
        Ok(hands)
    }

    /// Asks for a call.
    pub(crate) fn ask(&self, job: Job) {
        let mut desk = lock(&self.desk);
        desk.jobs.push_back(job);
        let wakes = !desk.busy || !desk.watched;
        drop(desk);
        if wakes {
            self.rung.notify_one();
        }
    }

    /// Has epoll tell an engine's thread of what was called for it.
    pub(crate) fn tell(&self, thread: usize, poll: BorrowedFd<'_>) -> rustix::io::Result<()> {
        // By edges: each ring is one, and nobody has to empty it.
        epoll::add(
            poll,
            &self.inboxes[thread].bell,
            EventData::new_u64(BELL),
            EventFlags::IN | EventFlags::ET,
        )
    }

    /// What was called for an engine's thread since this was asked last.
    pub(crate) fn done(&self, thread: usize) -> Vec<Done> {
        std::mem::take(&mut lock(&self.inboxes[thread].done))
    }

    /// Begins no more calls.
    pub(crate) fn close(&self) {
        let mut desk = lock(&self.desk);
        desk.closed = true;
        desk.jobs.clear();
        drop(desk);
        self.rung.notify_all();
    }

    /// The life of a thread that calls.
    fn work(&self) {
        let mut cpu = cpu_time();
        let mut desk = lock(&self.desk);
        while !desk.closed {
            let free = !desk.busy || desk.begun.elapsed() >= PATIENCE;
            if let Some(job) = if free { desk.jobs.pop_front() } else { None } {
                desk.count += 1;
                desk.begun = Instant::now();
                desk.busy = true;
                let number = desk.count;
                let others = !desk.jobs.is_empty() && !desk.watched;
                drop(desk);
                if others {
                    self.rung.notify_one();
                }
                self.serve(job, &mut cpu);
                desk = lock(&self.desk);
                desk.busy &= desk.count != number;
            } else if !desk.jobs.is_empty() && !desk.watched {
                desk.watched = true;
                let waited = self.rung.wait_timeout(desk, PATIENCE);
                desk = waited.unwrap_or_else(PoisonError::into_inner).0;
                desk.watched = false;
            } else {
                desk = self.rung.wait(desk).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn serve(&self, job: Job, cpu: &mut Duration) {
        let Some(call) = self.program.operations[job.operation].steps[job.step].call.as_deref() else {
            return;
        };
        let asked = Asked {
            function: call.function,
            parameters: &call.parameters,
            arguments: &job.arguments,
            wants_answer: call.answer,
            answer: job.answer,
            returns: &call.returns,
        };
        let mut began = Instant::now();
        let outcome = self.functions.call(&asked, &mut began);
        let (ended, spent) = (Instant::now(), cpu_time());
        let done = Done {
            token: job.token,
            ticket: job.ticket,
            function: call.function,
            outcome,
            waited: began.saturating_duration_since(job.asked),
            took: ended.saturating_duration_since(began),
            cpu: spent.saturating_sub(*cpu),
        };
        *cpu = spent;
        let inbox = &self.inboxes[job.thread];
        let mut all = lock(&inbox.done);
        all.push(done);
        let first = all.len() == 1;
        drop(all);
        if first {
            // The only error is a full counter, which nobody can reach.
            let _ = rustix::io::write(&inbox.bell, &1_u64.to_ne_bytes());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// CPU time of the calling thread so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
