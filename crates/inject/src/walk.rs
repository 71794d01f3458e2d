//! One run of the program under our eyes: from its entry to an instruction, and on to its end.

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

/// A run that we hold.
pub struct Walk {
    /// The process, and what it writes.
    pub child: Started,
    /// What the addresses of the program's file must be raised by.
    pub base: u64,
    memory: Memory,
    ended: bool,
}

/// What a step, or the way to a breakpoint, has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// There.
    Arrived,
    /// The program is about to end.
    Ending,
    /// It has started a thread or a process, this one.
    Started(i32),
}

impl Walk {
    /// Starts the program and stops it at its entry; what links it at run time is behind it then.
    pub fn begin(start: &Start, program: &Program) -> Result<Self> {
        let child = start.spawn(true)?;
        let pid = child.pid;
        let stopped = tracee::wait(pid)?;
        if stopped != Stop::Trap {
            return Err(Error::new(
                Kind::Ptrace,
                format!("`{}` cannot be traced: {stopped:?}", program.path.display()),
            ));
        }
        let memory = Memory::of(pid);
        let mut walk = Self { child, base: 0, memory: memory?, ended: false };
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
                    self.quit_started();
                    return Ok((End::Astray, count));
                }
                Stop::Trap => signal = libc::SIGTRAP,
                Stop::Signal(other) => signal = other,
            }
        }
    }

    /// Ends the program, and what it has just started.
    pub fn quit_started(&mut self) {
        let other = tracee::message(self.child.pid).unwrap_or(0);
        kill(self.child.pid);
        if other > 0 && other != self.child.pid {
            // SAFETY: a system call with plain numbers; the number is that of a thread we trace.
            unsafe { libc::kill(other, libc::SIGKILL) };
            reap(other);
        }
        self.quit();
    }

    fn quit(&mut self) {
        if !self.ended {
            kill(self.child.pid);
            reap(self.child.pid);
            self.ended = true;
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
            Stop::Event(_) => Halt::Way(Way::Started(tracee::message(self.child.pid).unwrap_or(0))),
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

fn kill(pid: i32) {
    // SAFETY: system calls with plain numbers; the process is a child of ours that was not waited for, and
    // leads its group.
    unsafe {
        libc::kill(-pid, libc::SIGKILL);
        libc::kill(pid, libc::SIGKILL);
    }
}

/// Waits for the end of a thread that was killed. One that stops once more, to tell of its end, goes on.
fn reap(pid: i32) {
    while let Ok(stop) = tracee::wait(pid) {
        if matches!(stop, Stop::Exit(_) | Stop::Killed(_)) {
            return;
        }
        let _ = tracee::go_on(pid, 0);
    }
}

/// `AT_ENTRY` of what the kernel tells the program.
pub fn entry_of(pid: i32) -> Result<u64> {
    let words = std::fs::read(format!("/proc/{pid}/auxv"))?;
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or(0);
    let found = words.chunks_exact(16).find(|pair| word(&pair[..8]) == libc::AT_ENTRY);
    found.map(|pair| word(&pair[8..])).ok_or_else(|| Error::new(Kind::System, "the program has no entry"))
}
