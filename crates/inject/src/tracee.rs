//! A process that we trace: its stops, registers and memory. The only place that calls `ptrace`.

use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::os::unix::fs::FileExt;

use crate::error::{Error, Kind, Result};

/// Registers of a thread.
pub type Registers = libc::user_regs_struct;

/// What a thread has stopped for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A single step or a breakpoint.
    Trap,
    /// A signal, which it has not received yet.
    Signal(i32),
    /// One of `PTRACE_EVENT_*`.
    Event(i32),
    /// It ended by this exit code.
    Exit(i32),
    /// It ended by this signal.
    Killed(i32),
}

impl Stop {
    /// From the status that `waitpid` gave.
    pub fn of(status: i32) -> Self {
        if libc::WIFEXITED(status) {
            Self::Exit(libc::WEXITSTATUS(status))
        } else if libc::WIFSIGNALED(status) {
            Self::Killed(libc::WTERMSIG(status))
        } else if status >> 16 != 0 {
            Self::Event(status >> 16)
        } else if libc::WSTOPSIG(status) == libc::SIGTRAP {
            Self::Trap
        } else {
            Self::Signal(libc::WSTOPSIG(status))
        }
    }

    /// Whether there is nothing left to wait for.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Exit(_) | Self::Killed(_))
    }
}

/// Waits until the thread `pid` stops or ends.
pub fn wait(pid: i32) -> Result<Stop> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is ours.
        if unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) } == pid {
            return Ok(Stop::of(status));
        }
        if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return Err(Error::last("waiting for the program"));
        }
    }
}

/// What the thread `pid` has stopped for or ended by, without waiting; None: it runs, or its stop is known.
pub fn look(pid: i32) -> Result<Option<Stop>> {
    let mut status = 0;
    // SAFETY: `status` is ours.
    match unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL | libc::WNOHANG) } {
        -1 => Err(Error::last("looking at the program")),
        found => Ok((found == pid).then(|| Stop::of(status))),
    }
}

/// How a child that is not traced has ended; None while it lives.
pub fn ended(pid: i32) -> Option<Stop> {
    look(pid).ok().flatten().filter(|stop| stop.is_end())
}

/// Executes one instruction; `signal`: it receives that first, 0 for none.
///
/// A thread that was killed where it stood does not stand there any more. That is no error, here and in `go_on`: the
/// next thing to wait for is its end.
pub fn step(pid: i32, signal: i32) -> Result<()> {
    resume(libc::PTRACE_SINGLESTEP, pid, signal, "stepping")
}

/// Lets it run.
pub fn go_on(pid: i32, signal: i32) -> Result<()> {
    resume(libc::PTRACE_CONT, pid, signal, "continuing")
}

fn resume(request: libc::c_uint, pid: i32, signal: i32, what: &str) -> Result<()> {
    match call(request, pid, 0, signal as usize) {
        Err(error) if error.raw_os_error() != Some(libc::ESRCH) => Err(failed(what, &error)),
        _ => Ok(()),
    }
}

/// The number that belongs to an event: the new thread or process.
pub fn message(pid: i32) -> Result<i32> {
    let mut found: libc::c_ulong = 0;
    ask(libc::PTRACE_GETEVENTMSG, pid, 0, (&raw mut found) as usize, "reading an event")?;
    Ok(i32::try_from(found).unwrap_or(0))
}

/// Sets what we are told of.
pub fn options(pid: i32, options: i32) -> Result<()> {
    ask(libc::PTRACE_SETOPTIONS, pid, 0, options as usize, "asking for events")
}

/// Begins to trace a thread that runs.
pub fn seize(pid: i32, options: i32) -> Result<()> {
    ask(libc::PTRACE_SEIZE, pid, 0, options as usize, "tracing")
}

/// Stops a thread that was seized, soon.
pub fn interrupt(pid: i32) -> Result<()> {
    ask(libc::PTRACE_INTERRUPT, pid, 0, 0, "stopping")
}

/// The address of the next instruction.
pub fn at(pid: i32) -> Result<u64> {
    let place = offset_of!(Registers, rip) as *mut c_void;
    // SAFETY: the C library's call reads one word of the thread's registers.
    match unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, pid, place, 0) } {
        -1 => Err(Error::last("reading the next address")),
        address => Ok(address as u64),
    }
}

/// All registers but vectors.
pub fn registers(pid: i32) -> Result<Registers> {
    let mut found = MaybeUninit::<Registers>::uninit();
    ask(libc::PTRACE_GETREGS, pid, 0, found.as_mut_ptr() as usize, "reading registers")?;
    // SAFETY: the call has filled it.
    Ok(unsafe { found.assume_init() })
}

/// Sets them.
pub fn set_registers(pid: i32, registers: &Registers) -> Result<()> {
    ask(libc::PTRACE_SETREGS, pid, 0, std::ptr::from_ref(registers) as usize, "writing registers")
}

const NT_X86_XSTATE: usize = 0x202;
const MOST_XSTATE: usize = 16 << 10;

/// The area of vector registers, as `XSAVE` lays it out.
pub fn vectors(pid: i32) -> Result<Vec<u8>> {
    let mut area = vec![0_u8; MOST_XSTATE];
    let mut place = libc::iovec { iov_base: area.as_mut_ptr().cast::<c_void>(), iov_len: area.len() };
    ask(libc::PTRACE_GETREGSET, pid, NT_X86_XSTATE, (&raw mut place) as usize, "reading vectors")?;
    area.truncate(place.iov_len);
    Ok(area)
}

/// Sets it.
pub fn set_vectors(pid: i32, area: &mut [u8]) -> Result<()> {
    let mut place = libc::iovec { iov_base: area.as_mut_ptr().cast::<c_void>(), iov_len: area.len() };
    ask(libc::PTRACE_SETREGSET, pid, NT_X86_XSTATE, (&raw mut place) as usize, "writing vectors")
}

/// Memory of a process, wherever its threads are. It must not execute another program meanwhile.
pub struct Memory {
    file: File,
}

impl Memory {
    /// Of a process that we trace.
    pub fn of(pid: i32) -> Result<Self> {
        Ok(Self { file: OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/mem"))? })
    }

    /// As many bytes as are mapped from an address on, at most `most`.
    pub fn read(&self, address: u64, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; most];
        let length = self.file.read_at(&mut bytes, address).unwrap_or(0);
        bytes.truncate(length);
        bytes
    }

    /// The number at an address; None where nothing is mapped.
    pub fn number(&self, address: u64) -> Option<u64> {
        self.read(address, 8).try_into().ok().map(u64::from_le_bytes)
    }

    /// Writes, also where the program itself may not.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.file.write_all_at(bytes, address)?)
    }
}

fn ask(request: libc::c_uint, pid: i32, address: usize, data: usize, what: &str) -> Result<()> {
    call(request, pid, address, data).map_err(|error| failed(what, &error))
}

fn call(request: libc::c_uint, pid: i32, address: usize, data: usize) -> io::Result<()> {
    let (address, data) = (address as *mut c_void, data as *mut c_void);
    // SAFETY: every caller passes what its request reads or writes, alive until the call returns.
    if unsafe { libc::ptrace(request, pid, address, data) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn failed(what: &str, error: &io::Error) -> Error {
    Error::new(Kind::System, format!("{what}: {error}"))
}

const _: () = assert!(size_of::<usize>() == 8);
