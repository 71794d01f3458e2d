//! A server that runs freely under our eyes: where it executes what, and one flip in mid-traffic.
//!
//! A thread of ours traces all threads of the server and of the processes that it starts. They only stop for
//! their beginning, their end, their signals, while we look where they are, and at one breakpoint, once.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use loadstone_stats::Rng;
use serde::{Deserialize, Serialize};

use crate::child::Start;
use crate::error::{Error, Kind, Result};
use crate::flip::Flip;
use crate::outcome::End;
use crate::place::{spelled, targets};
use crate::program::Program;
use crate::trace::own;
use crate::tracee::{self, Memory, Stop};
use crate::walk::entry_of;

const EVENTS: i32 = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK;

const BREAKPOINT: u8 = 0xcc;

/// How long the thread rests when nothing has stopped.
const REST: Duration = Duration::from_micros(200);

/// How long the end of what was killed may take; on a busy machine even that waits for a processor.
const LONGEST_END: Duration = Duration::from_secs(60);

/// What is started.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    program: PathBuf,
    arguments: Vec<String>,
    /// `own`, or names of functions.
    only: Vec<String>,
}

/// A server under our eyes.
pub struct Server {
    orders: Sender<Order>,
    thread: Option<JoinHandle<()>>,
}

enum Order {
    Profile(u64, Duration, Sender<Vec<(u64, u64)>>),
    Arm(u64, u64, Sender<Result<()>>),
    State(Sender<State>),
    End(Duration, Sender<State>),
}

/// The flip that was made.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// The address, as in the program's file.
    pub address: u64,
    /// The function there.
    pub function: Option<String>,
    /// The instruction.
    pub instruction: String,
    /// What was hit.
    pub register: String,
    /// Which bit.
    pub bit: u32,
}

/// How the server is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct State {
    /// Its process.
    pub pid: i32,
    /// What it says of its hardening.
    pub hardened: Option<String>,
    /// Whether it counts what it puts right.
    pub counts: bool,
    /// SHA-256 of its file.
    pub program: String,
    /// How its first process ended; None: it has not.
    pub ended: Option<End>,
    /// How processes that it had started ended, other than by exit code 0.
    pub lost: Vec<End>,
    /// The flip; None: not yet.
    pub hit: Option<Hit>,
    /// Votes that put a copy right.
    pub corrected: u64,
    /// The last line of what it wrote to its standard error.
    pub said: String,
}

impl Server {
    /// Starts it. Errors: no such program, not for this processor, not to be traced.
    pub fn start(config: &str) -> Result<Self> {
        let config: Config =
            serde_json::from_str(config).map_err(|error| Error::new(Kind::System, error.to_string()))?;
        let (orders, inbox) = channel();
        let (ready, begun) = channel();
        let thread = thread::spawn(move || match Tracer::begin(&config) {
            Ok(tracer) => {
                let _ = ready.send(Ok(()));
                tracer.work(&inbox);
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        });
        let begun = begun.recv().unwrap_or_else(|_| Err(gone()));
        begun.map(|()| Self { orders, thread: Some(thread) })
    }

    /// How often each address was executed by own code, of so many steps of all threads, or in that time.
    pub fn profile(&self, steps: u64, longest_s: f64) -> Result<Vec<(u64, u64)>> {
        self.ask(|reply| Order::Profile(steps, Duration::from_secs_f64(longest_s), reply))
    }

    /// The next thread that executes this address gets a bit turned, which one follows from `pick`.
    pub fn arm(&self, address: u64, pick: u64) -> Result<()> {
        self.ask(|reply| Order::Arm(address, pick, reply))?
    }

    /// How the server is.
    pub fn state(&self) -> Result<State> {
        self.ask(Order::State)
    }

    /// Ends it: asked first, killed when it takes longer than that.
    pub fn end(&self, patience_s: f64) -> Result<State> {
        self.ask(|reply| Order::End(Duration::from_secs_f64(patience_s), reply))
    }

    fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Result<T> {
        let (reply, answer) = channel();
        self.orders.send(order(reply)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.end(0.0);
        let (none, _) = channel();
        drop(std::mem::replace(&mut self.orders, none));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn gone() -> Error {
    Error::new(Kind::System, "the server's tracer has ended")
}

#[derive(Default)]
struct Thread {
    process: i32,
    stepping: bool,
    flipping: bool,
}

struct Armed {
    address: u64,
    own: u8,
    pick: u64,
    /// The thread that reached it first.
    taken: bool,
}

struct Profile {
    left: u64,
    until: Instant,
    counts: HashMap<u64, u64>,
    reply: Sender<Vec<(u64, u64)>>,
}

struct Tracer {
    program: Program,
    base: u64,
    ranges: Vec<(u64, u64)>,
    child: crate::child::Started,
    threads: HashMap<i32, Thread>,
    memories: HashMap<i32, Memory>,
    armed: Option<Armed>,
    profile: Option<Profile>,
    state: State,
}

impl Tracer {
    fn begin(config: &Config) -> Result<Self> {
        let program = Program::read(&config.program)?;
        let start = Start {
            path: config.program.clone(),
            arguments: config.arguments.iter().map(OsString::from).collect(),
            stdin: None,
            most_output: None,
            most_memory: None,
        };
        let functions = match &config.only[..] {
            [word] if word == "own" => None,
            names => Some(program.ranges(names)?),
        };
        let child = start.spawn(false)?;
        let pid = child.pid;
        let state = State {
            pid,
            hardened: program.hardened.clone(),
            counts: program.corrected.is_some(),
            program: program.digest.clone(),
            ..State::default()
        };
        let mut tracer = Self {
            base: 0,
            ranges: Vec::new(),
            child,
            threads: HashMap::new(),
            memories: HashMap::new(),
            armed: None,
            profile: None,
            state,
            program,
        };
        tracer.seize_all()?;
        if tracer.state.ended.is_none() {
            tracer.first_stop(functions)?;
        }
        Ok(tracer)
    }

    /// Finds where the program lies, when the kernel has loaded it: `spawn` returns a moment before. What it stops
    /// for first is the interruption, at its first instruction or later. It goes on only afterwards: a program that
    /// ends at once would be gone before it was looked at.
    fn first_stop(&mut self, functions: Option<Vec<(u64, u64)>>) -> Result<()> {
        let pid = self.state.pid;
        // One that has just ended is not interrupted: its end is what it stops for.
        let _ = tracee::interrupt(pid);
        let stop = tracee::wait(pid)?;
        if !matches!(stop, Stop::Exit(_) | Stop::Killed(_)) {
            self.locate(functions)?;
        }
        self.stopped(pid, stop)
    }

    fn locate(&mut self, functions: Option<Vec<(u64, u64)>>) -> Result<()> {
        let pid = self.state.pid;
        if self.program.movable {
            self.base = entry_of(pid)?.wrapping_sub(self.program.entry);
        }
        let base = self.base;
        self.ranges = match functions {
            None => own(pid)?,
            Some(found) => found
                .into_iter()
                .map(|(start, end)| (base.wrapping_add(start), base.wrapping_add(end)))
                .collect(),
        };
        Ok(())
    }

    /// All threads that are there; those that they start from now on come by themselves.
    fn seize_all(&mut self) -> Result<()> {
        let pid = self.state.pid;
        loop {
            let mut new = 0;
            for entry in fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
                let thread: i32 = entry.file_name().to_string_lossy().parse().unwrap_or(0);
                if thread == 0 || self.threads.contains_key(&thread) {
                    continue;
                }
                if let Err(error) = tracee::seize(thread, EVENTS) {
                    // A thread that was started by one that we have already is ours, too.
                    if thread == pid {
                        if let Some(stop) = tracee::ended(pid) {
                            self.know(pid);
                            self.over(pid, stop);
                            return Ok(());
                        }
                        return Err(Error::new(
                            Kind::Ptrace,
                            format!("the system does not let us trace: {error}"),
                        ));
                    }
                }
                self.know(thread);
                new += 1;
            }
            if new == 0 {
                return Ok(());
            }
        }
    }

    fn know(&mut self, thread: i32) {
        let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
        let process = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
        let process = process.and_then(|text| text.trim().parse().ok()).unwrap_or(thread);
        if let (false, Ok(memory)) = (self.memories.contains_key(&process), Memory::of(process)) {
            self.memories.insert(process, memory);
        }
        self.threads.entry(thread).or_insert_with(|| Thread { process, ..Thread::default() });
    }

    fn work(mut self, inbox: &Receiver<Order>) {
        let mut last = None;
        loop {
            while let Some((pid, stop)) = waiting() {
                // A thread that a signal has just killed answers no more; its end comes as a stop of its own.
                let _ = self.stopped(pid, stop);
                self.end_profile();
            }
            self.end_profile();
            let order = if self.profile.is_some() {
                thread::yield_now();
                inbox.try_recv().map_err(|error| error == std::sync::mpsc::TryRecvError::Disconnected)
            } else {
                inbox.recv_timeout(REST).map_err(|error| error == RecvTimeoutError::Disconnected)
            };
            match order {
                Ok(Order::Profile(left, longest, reply)) => self.begin_profile(left, longest, reply),
                Ok(Order::Arm(address, pick, reply)) => {
                    let _ = reply.send(self.arm(address, pick));
                }
                Ok(Order::State(reply)) => {
                    let _ = reply.send(self.seen());
                }
                Ok(Order::End(patience, reply)) => {
                    self.signal(if patience.is_zero() { libc::SIGKILL } else { libc::SIGTERM });
                    last = Some((Instant::now() + patience, reply));
                }
                Err(true) => return self.kill_all(),
                Err(false) => {}
            }
            if let Some((until, reply)) = last.take() {
                if self.state.ended.is_some() || Instant::now() >= until + LONGEST_END {
                    let _ = reply.send(self.seen());
                } else {
                    if Instant::now() >= until {
                        self.signal(libc::SIGKILL);
                    }
                    last = Some((until, reply));
                }
            }
        }
    }

    fn seen(&mut self) -> State {
        let count = |memory: &Memory| {
            let address = self.program.corrected?;
            memory.number(self.base.wrapping_add(address))
        };
        let now = self.memories.values().filter_map(count).sum::<u64>();
        self.state.corrected = self.state.corrected.max(now);
        self.state.said = self.child.last_words().unwrap_or_default();
        self.state.clone()
    }

    fn signal(&self, signal: i32) {
        if self.state.ended.is_none() {
            // SAFETY: a system call with plain numbers; the process was not waited for.
            unsafe { libc::kill(self.state.pid, signal) };
        }
    }

    fn kill_all(&mut self) {
        for process in self.memories.keys() {
            // SAFETY: a system call with plain numbers; we trace these processes and have not seen their end.
            unsafe { libc::kill(*process, libc::SIGKILL) };
        }
        let until = Instant::now() + Duration::from_secs(5);
        while !self.threads.is_empty() && Instant::now() < until {
            match waiting() {
                Some((pid, stop)) => {
                    let _ = self.stopped(pid, stop);
                }
                None => thread::sleep(REST),
            }
        }
    }

    fn stopped(&mut self, pid: i32, stop: Stop) -> Result<()> {
        if !self.threads.contains_key(&pid) {
            self.know(pid);
        }
        match stop {
            Stop::Exit(_) | Stop::Killed(_) => {
                self.over(pid, stop);
                Ok(())
            }
            Stop::Event(libc::PTRACE_EVENT_EXIT) => {
                self.seen();
                tracee::go_on(pid, 0)
            }
            // Whatever went wrong there: a thread that nobody lets go on would look like one that hangs.
            Stop::Trap => self.trapped(pid).or_else(|_| self.resume(pid, 0)),
            Stop::Signal(signal) => self.resume(pid, signal),
            Stop::Event(_) => self.resume(pid, 0),
        }
    }

    fn over(&mut self, pid: i32, stop: Stop) {
        let thread = self.threads.remove(&pid);
        if thread.is_some_and(|thread| thread.process != pid) {
            return;
        }
        self.memories.remove(&pid);
        let end = match stop {
            Stop::Exit(code) => End::Exit(code),
            Stop::Killed(signal) => End::Signal(signal),
            _ => return,
        };
        if pid == self.state.pid {
            self.state.ended = Some(end);
        } else if end != End::Exit(0) {
            self.state.lost.push(end);
        }
    }

    /// Lets a thread run, or execute one instruction while we look where threads are.
    fn resume(&mut self, pid: i32, signal: i32) -> Result<()> {
        let thread = self.threads.entry(pid).or_default();
        if self.profile.is_none() && !thread.flipping {
            thread.stepping = false;
            return tracee::go_on(pid, signal);
        }
        thread.stepping = true;
        tracee::step(pid, signal)
    }

    fn trapped(&mut self, pid: i32) -> Result<()> {
        let thread = self.threads.entry(pid).or_default();
        if std::mem::take(&mut thread.stepping) {
            if std::mem::take(&mut thread.flipping) {
                self.flip(pid)?;
            }
            if let Some(profile) = &mut self.profile {
                let address = tracee::at(pid)?;
                profile.left = profile.left.saturating_sub(1);
                if self.ranges.iter().any(|(start, end)| (*start..*end).contains(&address)) {
                    *profile.counts.entry(address).or_default() += 1;
                }
            }
            return self.resume(pid, 0);
        }
        let mut registers = tracee::registers(pid)?;
        let Some(armed) = self.armed.as_mut().filter(|armed| armed.address + 1 == registers.rip) else {
            return tracee::go_on(pid, libc::SIGTRAP);
        };
        registers.rip = armed.address;
        tracee::set_registers(pid, &registers)?;
        for memory in self.memories.values() {
            let _ = memory.write(armed.address, &[armed.own]);
        }
        if !std::mem::replace(&mut armed.taken, true) {
            self.threads.entry(pid).or_default().flipping = true;
        }
        self.resume(pid, 0)
    }

    fn arm(&mut self, address: u64, pick: u64) -> Result<()> {
        let memory = self.memories.get(&self.state.pid).ok_or_else(gone)?;
        let [own] = memory.read(address, 1)[..] else { return Err(gone()) };
        self.armed = Some(Armed { address, own, pick, taken: false });
        for memory in self.memories.values() {
            memory.write(address, &[BREAKPOINT])?;
        }
        Ok(())
    }

    /// The instruction at the armed address has just been executed.
    fn flip(&mut self, pid: i32) -> Result<()> {
        let (Some(armed), Some(memory)) = (&self.armed, self.memories.values().next()) else { return Ok(()) };
        let code = memory.read(armed.address, 15);
        let Some(flip) = Flip::draw(&targets(&code, armed.address), &mut Rng::new(armed.pick)) else {
            return Ok(());
        };
        flip.apply(pid)?;
        let in_file = armed.address.wrapping_sub(self.base);
        self.state.hit = Some(Hit {
            address: in_file,
            function: self.program.function_at(in_file).map(str::to_owned),
            instruction: spelled(&code, in_file),
            register: flip.place.name(),
            bit: flip.bit,
        });
        Ok(())
    }

    fn begin_profile(&mut self, left: u64, longest: Duration, reply: Sender<Vec<(u64, u64)>>) {
        self.profile = Some(Profile { left, until: Instant::now() + longest, counts: HashMap::new(), reply });
        for thread in self.threads.keys() {
            let _ = tracee::interrupt(*thread);
        }
    }

    /// Says what it found, only addresses that can be hit, when it is over.
    fn end_profile(&mut self) {
        let over = |profile: &Profile| profile.left == 0 || Instant::now() >= profile.until;
        let dead = self.state.ended.is_some();
        if !self.profile.as_ref().is_some_and(|profile| dead || over(profile)) {
            return;
        }
        if let (Some(profile), Some(memory)) = (self.profile.take(), self.memories.values().next()) {
            let can = |address: &u64| !targets(&memory.read(*address, 15), *address).is_empty();
            let mut counts: Vec<_> = profile.counts.into_iter().filter(|(address, _)| can(address)).collect();
            counts.sort_unstable();
            let _ = profile.reply.send(counts);
        }
    }
}

/// The next stop of any thread that this one traces; None: all run, or none is left.
fn waiting() -> Option<(i32, Stop)> {
    let mut status = 0;
    let how = libc::__WALL | libc::WNOHANG | libc::__WNOTHREAD;
    // SAFETY: `status` is ours.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, how) };
    (pid > 0).then(|| (pid, Stop::of(status)))
}
