//! One run of the program under our eyes: from its entry to an instruction, and on to its end.

use std::time::{Duration, Instant};

use crate::child::{Start, Started};
use crate::error::{Error, Kind, Result};
use crate::outcome::End;
use crate::program::Program;
use crate::route::Route;
use crate::tracee::{self, Memory, Stop};

const EVENTS: i32 = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK;

const BREAKPOINT: u8 = 0xcc;

/// How long the end of what was killed may take; on a busy machine even that waits for a processor.
const LONGEST_END: Duration = Duration::from_secs(60);
/// Between two looks whether it has come.
const REST: Duration = Duration::from_millis(1);

/// A run that we hold.
pub struct Walk {
    /// The process, and what it writes.
    pub child: Started,
    /// What the addresses of the program's file must be raised by.
    pub base: u64,
    memory: Memory,
    /// Processes and threads that it has started: we trace them too.
    started: Vec<i32>,
    ended: bool,
}

/// What a step, or the way to a breakpoint, has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// There.
    Arrived,
    /// The program is about to end.
    Ending,
    /// It has started a thread or a process.
    Started,
}

impl Walk {
    /// Starts the program and stops it at its entry; what links it at run time is behind it then.
    pub fn begin(start: &Start, program: &Program) -> Result<Self> {
        let child = start.spawn(true)?;
        let pid = child.pid;
        let stopped = tracee::wait(pid)?;
        let memory = if stopped == Stop::Trap {
            Memory::of(pid)
        } else {
            let message = format!("`{}` cannot be traced: {stopped:?}", program.path.display());
            Err(Error::new(Kind::Ptrace, message))
        };
        let memory = memory.inspect_err(|_| {
            if !stopped.is_end() {
                quit(&[pid]);
            }
        })?;
        let mut walk = Self { child, base: 0, memory, started: Vec::new(), ended: false };
        tracee::options(pid, EVENTS)?;
        let entry = entry_of(pid)?;
        walk.base = if program.movable { entry.wrapping_sub(program.entry) } else { 0 };
        if walk.reach(entry, 1)? != Way::Arrived {
            let message = format!("`{}` ends before its own first instruction", program.path.display());
            return Err(Error::new(Kind::Program, message));
        }
        Ok(walk)
    }

    /// The process.
    pub fn pid(&self) -> i32 {
        self.child.pid
    }

    /// At most 15 bytes of code.
    pub fn code(&self, address: u64) -> Vec<u8> {
        self.memory.read(address, 15)
    }

    /// The number at an address of the program's file; 0 where there is none any more.
    pub fn counted(&self, address: Option<u64>) -> u64 {
        address.and_then(|address| self.memory.number(self.base.wrapping_add(address))).unwrap_or(0)
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Result<Way> {
        let mut signal = 0;
        loop {
            tracee::step(self.child.pid, signal)?;
            match self.stopped()? {
                Halt::Trap => return Ok(Way::Arrived),
                Halt::Signal(other) => signal = other,
                Halt::Way(way) => return Ok(way),
            }
        }
    }

    /// Goes a route of the run's stream; false: the program went another way.
    pub fn follow(&mut self, route: &Route) -> Result<bool> {
        for leg in &route.legs {
            let stands = leg != &route.legs[0] && tracee::at(self.child.pid)? == leg.address;
            if stands && self.step()? != Way::Arrived || self.reach(leg.address, leg.hits)? != Way::Arrived {
                return Ok(false);
            }
        }
        for _ in 0..route.walk {
            if self.step()? != Way::Arrived {
                return Ok(false);
            }
        }
        Ok(tracee::at(self.child.pid)? == route.to)
    }

    /// Runs on to the end; `corrected`: where the counter is. Gives the end and what the counter says.
    pub fn finish(&mut self, corrected: Option<u64>) -> Result<(End, u64)> {
        let (mut signal, mut count) = (0, 0);
        loop {
            tracee::go_on(self.child.pid, signal)?;
            signal = 0;
            match tracee::wait(self.child.pid)? {
                Stop::Exit(code) => return Ok((self.over(End::Exit(code)), count)),
                Stop::Killed(signal) => return Ok((self.over(End::Signal(signal)), count)),
                Stop::Event(libc::PTRACE_EVENT_EXIT) => count = self.counted(corrected),
                Stop::Event(_) => {
                    self.note_started();
                    self.quit();
                    return Ok((End::Astray, count));
                }
                Stop::Trap => signal = libc::SIGTRAP,
                Stop::Signal(other) => signal = other,
            }
        }
    }

    /// Ends the program, and what it has started.
    fn quit(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            let all: Vec<i32> = std::iter::once(self.child.pid).chain(self.started.drain(..)).collect();
            quit(&all);
        }
    }

    /// The process has stopped for something that it has started. Of another program in its own place, the number is
    /// its own.
    fn note_started(&mut self) {
        let other = tracee::message(self.child.pid).unwrap_or(0);
        if other > 0 && other != self.child.pid {
            self.started.push(other);
        }
    }

    fn over(&mut self, end: End) -> End {
        self.ended = true;
        end
    }

    /// Runs until an address is reached the `hits`-th time; where it stands already counts.
    fn reach(&mut self, address: u64, hits: u32) -> Result<Way> {
        let pid = self.child.pid;
        let own = self.memory.read(address, 1);
        let [own] = own[..] else { return Err(Error::new(Kind::System, "no code where code was")) };
        for hit in 1..=hits {
            self.memory.write(address, &[BREAKPOINT])?;
            let mut signal = 0;
            loop {
                tracee::go_on(pid, signal)?;
                match self.stopped()? {
                    Halt::Signal(other) => signal = other,
                    Halt::Way(way) => return Ok(way),
                    Halt::Trap => {
                        let mut registers = tracee::registers(pid)?;
                        if registers.rip == address + 1 {
                            registers.rip = address;
                            self.memory.write(address, &[own])?;
                            tracee::set_registers(pid, &registers)?;
                            break;
                        }
                        signal = libc::SIGTRAP;
                    }
                }
            }
            if hit < hits {
                match self.step()? {
                    Way::Arrived => {}
                    other => return Ok(other),
                }
            }
        }
        Ok(Way::Arrived)
    }

    fn stopped(&mut self) -> Result<Halt> {
        Ok(match tracee::wait(self.child.pid)? {
            Stop::Trap => Halt::Trap,
            Stop::Signal(signal) => Halt::Signal(signal),
            Stop::Event(libc::PTRACE_EVENT_EXIT) => Halt::Way(Way::Ending),
            Stop::Event(_) => {
                self.note_started();
                Halt::Way(Way::Started)
            }
            Stop::Exit(_) | Stop::Killed(_) => {
                self.ended = true;
                Halt::Way(Way::Ending)
            }
        })
    }
}

enum Halt {
    Trap,
    Signal(i32),
    Way(Way),
}

impl Drop for Walk {
    fn drop(&mut self) {
        self.quit();
    }
}

/// Kills processes and threads that we trace, of which the first leads its group, and waits for their end.
///
/// Who stands in a stop has to go on, also in one that was waited for before: a thread that tells of its end is no
/// more woken by a signal, and has nothing else to tell. A leader ends after its threads, so all are seen in turn.
fn quit(pids: &[i32]) {
    // SAFETY: system calls with plain numbers; we trace these threads and have not seen their end.
    unsafe { libc::kill(-pids[0], libc::SIGKILL) };
    for pid in pids {
        // SAFETY: as above.
        unsafe { libc::kill(*pid, libc::SIGKILL) };
    }
    let (mut left, until) = (pids.to_vec(), Instant::now() + LONGEST_END);
    loop {
        left.retain(|pid| {
            let _ = tracee::go_on(*pid, 0);
            tracee::look(*pid).is_ok_and(|stop| !stop.is_some_and(Stop::is_end))
        });
        if left.is_empty() || Instant::now() >= until {
            return;
        }
        std::thread::sleep(REST);
    }
}

/// `AT_ENTRY` of what the kernel tells the program.
pub fn entry_of(pid: i32) -> Result<u64> {
    let words = std::fs::read(format!("/proc/{pid}/auxv"))?;
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or(0);
    let found = words.chunks_exact(16).find(|pair| word(&pair[..8]) == libc::AT_ENTRY);
    found.map(|pair| word(&pair[8..])).ok_or_else(|| Error::new(Kind::System, "the program has no entry"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;

    use super::*;
    use crate::watch::Watch;

    fn begun(path: &Path, arguments: &[&str]) -> Walk {
        let arguments = arguments.iter().map(Into::into).collect();
        let start = Start { path: path.into(), arguments, stdin: None, most_output: None, most_memory: None };
        Walk::begin(&start, &Program::read(path).unwrap()).unwrap()
    }

    /// In a thread of its own: what is tested has waited for ever.
    fn within_a_minute(work: impl FnOnce() + Send + 'static) {
        let (done, ended) = channel();
        std::thread::spawn(move || {
            work();
            let _ = done.send(());
        });
        ended.recv_timeout(Duration::from_secs(60)).expect("it still waits for the program");
    }

    /// Not one that only its own parent has not looked after yet.
    fn lives(pid: i32) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|text| !text.contains("State:\tZ"))
    }

    /// Twenty times: it may be killed where it stands, or while it executes, and only then its end is a stop.
    #[test]
    fn a_program_that_is_killed_on_its_way_is_left_behind_at_once() {
        within_a_minute(|| {
            for round in 1..=20 {
                let mut walk = begun(Path::new("/bin/sh"), &["-c", "while :; do :; done"]);
                let (pid, never) = (walk.pid(), Arc::new(AtomicBool::new(false)));
                let watch = Watch::new(pid, Duration::from_millis(round), never).unwrap();
                while walk.step().unwrap() == Way::Arrived {}
                assert!(watch.late());
                drop(walk);
                assert!(!lives(pid));
            }
        });
    }

    #[test]
    fn a_program_that_ends_on_its_way_is_left_behind_at_once() {
        within_a_minute(|| {
            let mut walk = begun(Path::new("/bin/true"), &[]);
            let pid = walk.pid();
            while walk.step().unwrap() == Way::Arrived {}
            drop(walk);
            assert!(!lives(pid));
        });
    }

    #[test]
    fn what_a_program_starts_ends_with_it() {
        within_a_minute(|| {
            let own = std::env::current_exe().unwrap();
            let a_process = begun(Path::new("/bin/sh"), &["-c", "/bin/true; /bin/true"]);
            let a_thread = begun(
                &own,
                &["--exact", "route::tests::every_route_leads_to_its_instruction", "--test-threads", "2"],
            );
            for mut walk in [a_process, a_thread] {
                tracee::go_on(walk.pid(), 0).unwrap();
                assert!(matches!(walk.stopped().unwrap(), Halt::Way(Way::Started)));
                let started = walk.started.clone();
                assert!(started.len() == 1 && lives(started[0]) && lives(walk.pid()));
                let pid = walk.pid();
                drop(walk);
                assert!(!lives(pid) && !lives(started[0]));
            }
        });
    }
}
