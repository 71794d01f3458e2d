//! A run: its threads, and the order of its windows.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use loadstone_workload::{Http, Plan, Program};
use rustix::event::epoll::{self, CreateFlags};
use rustix::fd::{AsFd, OwnedFd};

use crate::budget::{Budget, Countdown};
use crate::clock::{Clock, instant_at};
use crate::control::Control;
use crate::driver::{Arriving, Driver};
use crate::files;
use crate::hands::{Functions, Hands};
use crate::lanes::most_lanes;
use crate::merge::merge;
use crate::multiplex::streams_of;
use crate::offered::{Offered, connections, part};
use crate::open::Open;
use crate::reach::{Address, Reach};
use crate::record::{Example, Summary, Window};
use crate::recorder::SECOND;
use crate::request::Requests;
use crate::shared::Shared;
use crate::sources::Sources;
use crate::trace::{Exchange, Trace};
use crate::user::User;

/// Threads come up within this time; the run's clock starts when it has passed.
const LEAD: Duration = Duration::from_millis(20);
/// Longest wait for a window: a day; an instant cannot be added to any number of seconds.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);
/// Most threads; more than any machine that one agent would run on has cores.
const MAX_THREADS: u32 = 256;

/// How a run begins, and what is there for it.
#[derive(Debug, Default)]
pub struct Beginning {
    /// When the system's monotonic clock (CLOCK_MONOTONIC) shows this; none: in a moment.
    pub at: Option<Duration>,
    /// What its one user asks for and is told is kept for [`Run::exchanges`].
    pub traced: bool,
    /// What steps call.
    pub functions: Option<Arc<dyn Functions>>,
}

/// A run of the load engine, in threads of its own.
#[derive(Debug)]
pub struct Run {
    pub(crate) shared: Arc<Shared>,
    pub(crate) program: Arc<Program>,
    pub(crate) clock: Clock,
    threads: u32,
    collector: Mutex<Collector>,
}

/// What a thread says.
#[derive(Debug)]
enum Report {
    Window(Window),
    /// At this time, microseconds, and whether as planned.
    Ended(u64, bool),
    /// A second of the control.
    Control(Window),
    ControlEnded,
}

/// Puts the windows of all threads together.
#[derive(Debug)]
struct Collector {
    reports: Receiver<Report>,
    handles: Vec<JoinHandle<()>>,
    threads: u32,
    /// Windows that some threads have not yet reported.
    pending: BTreeMap<u32, Pending>,
    /// The control is still going on, and its seconds are waited for.
    controlled: bool,
    ended: u32,
    ended_us: u64,
    as_planned: bool,
}

/// A window, and who has reported it.
#[derive(Debug, Default)]
struct Pending {
    window: Window,
    threads: u32,
    control: bool,
}

impl Run {
    /// Starts a run. Its first second begins a moment later.
    ///
    /// # Errors
    /// A sentence when the plan does not compile, the host has no address or the system no room for the
    /// users.
    pub fn start(plan: Plan) -> Result<Self, String> {
        Self::begin(plan, Beginning::default())
    }

    /// Starts the run of one user, whose requests and answers [`Run::exchanges`] hands out.
    ///
    /// # Errors
    /// As [`Run::start`], and when there are several users.
    pub fn traced(plan: Plan) -> Result<Self, String> {
        Self::begin(plan, Beginning { traced: true, ..Beginning::default() })
    }

    /// Starts a run whose first second begins when the system's monotonic clock (CLOCK_MONOTONIC) shows
    /// `start`: several agents begin together so. The run's times count from that very instant, not from when
    /// a thread woke up for it.
    ///
    /// # Errors
    /// As [`Run::start`], and when `start` has passed before the threads could be started.
    pub fn start_at(plan: Plan, start: Duration) -> Result<Self, String> {
        Self::begin(plan, Beginning { at: Some(start), ..Beginning::default() })
    }

    /// Starts a run as `beginning` says.
    ///
    /// # Errors
    /// As [`Run::start`], [`Run::traced`] and [`Run::start_at`], and when steps call functions that are not there.
    pub fn begin(plan: Plan, beginning: Beginning) -> Result<Self, String> {
        let Beginning { at, traced, functions } = beginning;
        if traced && (plan.load.users != 1 || !plan.load.profile.is_empty()) {
            return Err("load.users: only one user can be traced".into());
        }
        if functions.is_none() && !plan.functions.is_empty() {
            return Err("functions: steps call them, and nobody here has them".into());
        }
        let program = Arc::new(Program::compile(&plan)?);
        let requests = Arc::new(Requests::new(&program));
        let open = program.load.sessions_per_s.is_some();
        let threads = program.load.threads.clamp(1, MAX_THREADS);
        let own = (program.slice.0..program.population).step_by(program.slice.1 as usize);
        // Asked before there is a list of them: a plan may speak of four thousand million.
        let pool = connections_of(&program, threads)?;
        let sources = Sources::new(&program)?;
        let hosts = Reach::all(&program, &sources)?;
        let each = most_lanes(&program).into_iter().max().unwrap_or(1) as u64;
        let mut steps = program.operations.iter().flat_map(|operation| &operation.steps);
        let sockets = u64::from(steps.any(|step| step.socket.is_some()));
        let count = hosts.len() as u64 * each + sockets;
        let allow = |connections: u64, what: &str| {
            files::allow(connections, count, what)?;
            let mut far = hosts.iter().filter_map(|host| match host.addresses.first() {
                Some(Address::Inet(address)) => Some(*address),
                _ => None,
            });
            let what = if each > 1 { "connections for the files of pages" } else { what };
            far.try_for_each(|address| sources.allow(connections * each, what, address))
        };
        let allow = |connections, what| {
            allow(connections, what).map_err(|said| match each {
                1 => said,
                _ => format!(
                    "{said}; or let users have less than {each} connections to a host (browser.connections)"
                ),
            })
        };
        let (numbers, room): (Vec<u32>, u64) = if open {
            (Vec::new(), files::room(u64::from(threads) * count)? / count)
        } else if program.load.requests_per_s.is_some() {
            allow(pool.iter().map(|count| *count as u64).sum(), "connections")?;
            (Vec::new(), 0)
        } else {
            allow(own.len() as u64, "users")?;
            (own.collect(), 0)
        };
        let live = open.then(|| Countdown::new(threads.into()));
        let shared =
            Shared::new(hosts, sources, Budget::of(&program), live, threads, program.operations.len());
        let trace = traced.then(Trace::default);
        let functions = functions.filter(|_| !program.functions.is_empty());
        let hands = functions.map(|functions| Hands::start(functions, &program, threads)).transpose()?;
        let shared = Arc::new(Shared { trace, hands, ..shared });
        // Without a bound: a reader that falls behind never holds the engine up.
        let (sender, reports) = channel();
        // When everything else is prepared.
        let origin = match at {
            Some(at) => instant_at(at).ok_or("the instant to start at has passed"),
            None => Ok(Instant::now() + LEAD),
        };
        let clock = Clock::starting_at(origin.inspect_err(|_| shared.let_go())?);
        let mut handles: Vec<JoinHandle<()>> = (0..threads)
            .map(|thread| {
                let own = numbers.iter().copied().skip(thread as usize).step_by(threads as usize).collect();
                let thread = (thread, threads);
                let connections = pool[thread.0 as usize];
                let share = Share {
                    users: own,
                    carriers: connections * streams_of(&program) as usize,
                    arriving: Arriving {
                        thread,
                        open: Open::new(&program, thread, room),
                        offered: Offered::new(&program, thread, connections),
                    },
                };
                let (program, requests, shared) = (program.clone(), requests.clone(), shared.clone());
                let sender = sender.clone();
                let poll = epoll::create(CreateFlags::CLOEXEC).map_err(|why| format!("no epoll: {why}"))?;
                let told = shared.hands.as_ref().map(|hands| hands.tell(thread.0 as usize, poll.as_fd()));
                told.transpose().map_err(|why| format!("no event for calls: {why}"))?;
                std::thread::Builder::new()
                    .name(format!("engine-{}", thread.0))
                    .spawn(move || drive(&program, &requests, &shared, clock, poll, share, &sender))
                    .map_err(|why| format!("no thread for the engine: {why}"))
            })
            .collect::<Result<_, String>>()
            .inspect_err(|_| {
                shared.stop.store(true, Ordering::Relaxed);
                shared.let_go();
            })?;
        // A machine without a loopback interface, or without room for the control, does without it.
        let control = Control::connect().ok().and_then(|control| watch(control, clock, &shared, sender).ok());
        let controlled = control.is_some();
        handles.extend(control);
        let collector = Collector {
            reports,
            handles,
            threads,
            pending: BTreeMap::new(),
            controlled,
            ended: 0,
            ended_us: 0,
            as_planned: true,
        };
        Ok(Self { shared, program, clock, threads, collector: Mutex::new(collector) })
    }

    /// The next window, in order; `None` after `timeout` or when there will be no more.
    ///
    /// # Panics
    /// When a thread of the engine panicked.
    pub fn next(&self, timeout: Duration) -> Option<Window> {
        let until = Instant::now() + timeout.min(LONGEST_WAIT);
        self.collector.lock().unwrap_or_else(PoisonError::into_inner).next(until)
    }

    /// The exchanges of a traced run that were decided since the last call, in order.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.shared.trace.as_ref().map(Trace::take).unwrap_or_default()
    }

    /// The first example of everything of which there is one by now, in the order of time.
    pub fn examples(&self) -> Vec<Example> {
        self.shared.examples.all()
    }

    /// Ends the run early. What was measured up to now is still handed out.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// How the run ended, once it has and all its windows were taken.
    pub fn summary(&self) -> Option<Summary> {
        let mut collector = self.collector.lock().unwrap_or_else(PoisonError::into_inner);
        if !collector.is_exhausted() {
            return None;
        }
        let connected = self.shared.connected.load(Ordering::Relaxed);
        let refused = self.shared.refused.load(Ordering::Relaxed);
        let outcome = match () {
            () if self.shared.unreachable.load(Ordering::Relaxed) || (refused && !connected) => "unreachable",
            () if !collector.as_planned => "stopped",
            () => "complete",
        };
        Some(Summary {
            outcome: outcome.into(),
            ended_s: collector.ended_us as f64 / SECOND as f64,
            threads: self.threads,
            examples: self.shared.examples.all(),
            tls: self.shared.handshakes.all(),
            http2: (self.program.http == Http::Two).then(|| self.shared.protocols.all()),
            read_later: self.shared.unread.load(Ordering::Relaxed),
        })
    }
}

impl Drop for Run {
    /// Ends the threads with the run.
    fn drop(&mut self) {
        self.stop();
        self.shared.let_go();
        let collector = self.collector.get_mut().unwrap_or_else(PoisonError::into_inner);
        for handle in collector.handles.drain(..) {
            // A panic has been reported on stderr already, and there may be one under way here.
            let _ = handle.join();
        }
    }
}

impl Collector {
    fn next(&mut self, until: Instant) -> Option<Window> {
        loop {
            let first = self.pending.first_key_value();
            let complete = first.is_some_and(|(_, pending)| {
                pending.threads == self.threads && (pending.control || !self.controlled)
            });
            if complete || self.has_ended() {
                return self.pending.pop_first().map(|(_, pending)| pending.window);
            }
            match self.reports.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(report) => self.take(report),
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => self.join(),
            }
        }
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Window(window) => self.add(window).threads += 1,
            Report::Control(window) => self.add(window).control = true,
            Report::ControlEnded => self.controlled = false,
            Report::Ended(at, as_planned) => {
                self.ended += 1;
                self.ended_us = self.ended_us.max(at);
                self.as_planned &= as_planned;
            }
        }
    }

    fn add(&mut self, window: Window) -> &mut Pending {
        let second = window.second;
        let pending = self.pending.entry(second).or_default();
        pending.window.second = second;
        merge(&mut pending.window, window);
        pending
    }

    /// Whether nobody has anything more to report.
    fn has_ended(&self) -> bool {
        self.ended == self.threads && !self.controlled
    }

    /// All threads are gone though not all said that they ended.
    fn join(&mut self) {
        for handle in self.handles.drain(..) {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
        self.ended = self.threads;
        self.controlled = false;
    }

    /// Whether the run has ended and nothing is left to take.
    fn is_exhausted(&mut self) -> bool {
        while !self.has_ended() {
            match self.reports.try_recv() {
                Ok(report) => self.take(report),
                Err(_) => return false,
            }
        }
        self.pending.is_empty()
    }
}

/// A thread's part of the load: users, sessions that arrive, or operations that arrive and the connections
/// for them.
struct Share {
    users: Vec<u32>,
    /// Operations that all its connections together may carry at once.
    carriers: usize,
    arriving: Arriving,
}

/// How many connections each thread has; none where no single operations arrive.
fn connections_of(program: &Program, threads: u32) -> Result<Vec<usize>, String> {
    let (index, of) = program.slice;
    let Some(all) = program.load.connections.filter(|_| program.load.requests_per_s.is_some()) else {
        return Ok(vec![0; threads as usize]);
    };
    if u64::from(all) < u64::from(of) * u64::from(threads) {
        return Err(format!(
            "load.connections: {all} are too few for {} threads, each has its own",
            of * threads
        ));
    }
    Ok((0..threads).map(|thread| part(all, index + of * thread, of * threads) as usize).collect())
}

/// The life of an engine thread.
fn drive(
    program: &Program,
    requests: &Requests,
    shared: &Shared,
    clock: Clock,
    poll: OwnedFd,
    share: Share,
    sender: &Sender<Report>,
) {
    let _guard = Leaving(shared);
    // The run may have been dropped; then the rest is not wanted.
    let deliver = |window| drop(sender.send(Report::Window(window)));
    let Share { users: numbers, carriers: count, arriving } = share;
    // Room for all at once: a list that grew while the run goes on would move them, and stand still
    // meanwhile.
    let mut users = Vec::with_capacity(arriving.open.as_ref().map_or(numbers.len().max(count), Open::most));
    users.extend(connections(program, count));
    users.extend(numbers.iter().enumerate().map(|(token, number)| User::new(program, *number, token as u32)));
    let (ended, as_planned) =
        Driver::new(program, requests, shared, clock, poll, arriving, &deliver).run(&mut users);
    shared.ended.fetch_max(ended, Ordering::Relaxed);
    drop(sender.send(Report::Ended(ended, as_planned)));
}

/// Starts the control beside the run; it ends with the last thread that makes load.
fn watch(
    control: Control,
    clock: Clock,
    shared: &Arc<Shared>,
    sender: Sender<Report>,
) -> std::io::Result<JoinHandle<()>> {
    let shared = shared.clone();
    std::thread::Builder::new().name("control".into()).spawn(move || {
        control.run(clock, || shared.over(), |window| drop(sender.send(Report::Control(window))));
        drop(sender.send(Report::ControlEnded));
    })
}

/// Says that a thread makes no more load. Ends the run when it panicked: without its windows, those of the
/// others would be held back until the planned end.
struct Leaving<'s>(&'s Shared);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
        }
        self.0.driving.fetch_sub(1, Ordering::Release);
    }
}
