//! Ends the process when people insist. Nothing here needs Python, so that it happens wherever Python is: in
//! a call that takes hours, in an import, in its own end.

use std::collections::HashSet;
use std::fs;
use std::io::{IsTerminal, Write, stderr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};

/// After the second signal Python has this long to put things away.
const GRACE: Duration = Duration::from_secs(1);
/// After a first signal that nobody prepared for, Python has this long to notice it.
const NOTICE: Duration = Duration::from_secs(2);
/// What the terminal is told may stand in the way of the end no longer than this.
const SAYING: Duration = Duration::from_millis(100);
/// Processes that are ended may have started others: so often is looked again.
const ROUNDS: u32 = 20;
/// Exit code of a command that was ended.
const INTERRUPTED: i32 = 130;

/// A handler of Python's has seen the first signal.
static NOTICED: AtomicBool = AtomicBool::new(false);
/// How many handlers are prepared for a first signal: it is theirs, however long what it ends takes.
static PREPARED: AtomicI32 = AtomicI32::new(0);
/// Where the numbers of signals are written.
static TOLD: OnceLock<OwnedFd> = OnceLock::new();
/// No signal has this number: whoever writes it wants to know that all before it were read.
const CATCH_UP: u8 = 0;
static CAUGHT_UP: AtomicBool = AtomicBool::new(false);
/// The first signal came.
static ASKED: AtomicBool = AtomicBool::new(false);
/// The second signal came.
static INSISTED: AtomicBool = AtomicBool::new(false);

#[pyfunction]
pub fn watch_signals() -> PyResult<i32> {
    let (signals, told) = pipe_with(PipeFlags::CLOEXEC).map_err(std::io::Error::from)?;
    ioctl_fionbio(&told, true).map_err(std::io::Error::from)?;
    thread::Builder::new().name("signals".into()).spawn(move || follow(&signals))?;
    Ok(TOLD.get_or_init(|| told).as_raw_fd())
}

#[pyfunction]
pub fn signal_noticed() {
    NOTICED.store(true, Ordering::Relaxed);
}

#[pyfunction]
pub fn signal_handlers(change: i32) {
    PREPARED.fetch_add(change, Ordering::Relaxed);
}

#[pyfunction]
pub fn end_children_if_asked(py: Python<'_>, numbers: Vec<i32>) -> PyResult<()> {
    py.detach(|| {
        take(numbers)?;
        if asked() {
            end_descendants();
        }
        Ok(())
    })
}

/// These signals need Python no longer.
fn take(numbers: Vec<i32>) -> std::io::Result<()> {
    for number in numbers {
        let handler: extern "C" fn(i32) = tell;
        // SAFETY: the handler only makes a system call, which it may do wherever the process is.
        if unsafe { libc::signal(number, handler as libc::sighandler_t) } == libc::SIG_ERR {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// A handler without Python: `follow` is told.
extern "C" fn tell(number: i32) {
    if let Some(told) = TOLD.get() {
        // Straight to the kernel: the `errno` of what is interrupted stays.
        let _ = write(told, &[number as u8]);
    }
}

/// Whether a signal has come. One that came just now has been read when what follows it has.
fn asked() -> bool {
    CAUGHT_UP.store(false, Ordering::Relaxed);
    let told = TOLD.get().is_some_and(|told| write(told, &[CATCH_UP]).is_ok());
    let until = Instant::now() + GRACE;
    while told && Instant::now() < until {
        if INSISTED.load(Ordering::Relaxed) || CAUGHT_UP.load(Ordering::Relaxed) {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    ASKED.load(Ordering::Relaxed)
}

/// Reads the numbers of signals as they come, for as long as the process lives.
fn follow(signals: &OwnedFd) {
    let (mut count, mut notice_by) = (0, None);
    let mut numbers = [0; 64];
    loop {
        if !is_ready(signals, notice_by) {
            notice_by = None;
            if !NOTICED.load(Ordering::Relaxed) && PREPARED.load(Ordering::Relaxed) == 0 {
                leave();
            }
            continue;
        }
        let length = match read(signals, &mut numbers) {
            Ok(0) => return,
            Ok(length) => length,
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        let ends = |number: &&u8| matches!(i32::from(**number), libc::SIGINT | libc::SIGTERM);
        count += numbers[..length].iter().filter(ends).count();
        ASKED.store(count > 0, Ordering::Relaxed);
        if numbers[..length].contains(&CATCH_UP) && count < 2 {
            CAUGHT_UP.store(true, Ordering::Relaxed);
        }
        match count {
            0 => {}
            1 => notice_by = notice_by.or_else(|| Some(Instant::now() + NOTICE)),
            _ => {
                INSISTED.store(true, Ordering::Relaxed);
                // What our processes leave behind becomes ours, and is found. Without it only that is not.
                let _ = set_child_subreaper(Some(getpid()));
                thread::sleep(GRACE);
                leave();
            }
        }
    }
}

/// Waits until there is something to read; false when it is `by` before.
fn is_ready(signals: &OwnedFd, by: Option<Instant>) -> bool {
    loop {
        let left = by.map(|by| by.saturating_duration_since(Instant::now()));
        let left = left
            .map(|left| Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) });
        match poll(&mut [PollFd::new(signals, PollFlags::IN)], left.as_ref()) {
            Ok(0) => return false,
            Err(Errno::INTR) => {}
            _ => return true,
        }
    }
}

fn leave() -> ! {
    let (said, all) = channel();
    // A terminal that is held up (Ctrl-S) takes nothing: whoever writes to it waits.
    thread::spawn(move || {
        if stderr().is_terminal() {
            // A progress bar has hidden the cursor.
            let _ = stderr().write_all(b"\x1b[?25h\nended at once\n");
        }
        let _ = said.send(());
    });
    end_descendants();
    let _ = all.recv_timeout(SAYING);
    // SAFETY: ends the process; nothing of it runs afterwards. Destructors of libraries are left out on
    // purpose: they may wait for threads that are in the middle of something.
    unsafe { libc::_exit(INTERRUPTED) }
}

/// Kills what this process started, and what that started.
fn end_descendants() {
    for _ in 0..ROUNDS {
        let found = descendants();
        if found.is_empty() {
            return;
        }
        for process in found {
            // One that has ended meanwhile is as good.
            let _ = kill_process(process, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Processes that live and descend from this one.
fn descendants() -> Vec<Pid> {
    let mut known = HashSet::from([getpid().as_raw_nonzero().get()]);
    let mut others = processes();
    let mut found = Vec::new();
    loop {
        let before = others.len();
        others.retain(|process| {
            let ours = known.contains(&process.parent);
            if ours {
                known.insert(process.id);
                found.extend(Pid::from_raw(process.id).filter(|_| process.lives));
            }
            !ours
        });
        if others.len() == before {
            return found;
        }
    }
}

struct Process {
    id: i32,
    parent: i32,
    lives: bool,
}

/// All processes that can be seen.
fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|id: i32| {
            let status = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // Behind the program's name, which may hold anything: state, parent (proc(5)).
            let mut fields = status.rsplit_once(')')?.1.split_ascii_whitespace();
            let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
            Some(Process { id, parent, lives: !matches!(state, "Z" | "X") })
        })
        .collect()
}
