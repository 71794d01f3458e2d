//! The program as a child of ours: the same each time, within bounds, its output kept.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::FromRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::error::{Error, Kind, Result};

/// What is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program.
    pub path: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
    /// What it reads; None: nothing.
    pub stdin: Option<PathBuf>,
    /// Bytes that it may write to a file; None: as many as it likes.
    pub most_output: Option<u64>,
    /// Bytes of memory that it may ask for.
    pub most_memory: Option<u64>,
}

/// A child and the file that keeps its output.
pub struct Started {
    /// Its number.
    pub pid: i32,
    output: File,
    errors: File,
}

impl Start {
    /// Starts it. `traced`: it stops before its first instruction, for the thread that called us.
    pub fn spawn(&self, traced: bool) -> Result<Started> {
        let (output, errors) = (kept("output")?, kept("errors")?);
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).stdout(output.try_clone()?).stderr(errors.try_clone()?);
        command.stdin(match &self.stdin {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
        command.process_group(0);
        let (most_output, most_memory) = (self.most_output, self.most_memory);
        // SAFETY: between fork and exec it makes only system calls.
        unsafe {
            command.pre_exec(move || prepared(traced, most_output, most_memory));
        }
        let child = command.spawn().map_err(|error| self.refused(&error))?;
        Ok(Started { pid: number_of(&child), output, errors })
    }

    fn refused(&self, error: &io::Error) -> Error {
        let shown = self.path.display();
        if error.raw_os_error() == Some(libc::EPERM) {
            return Error::new(Kind::Ptrace, format!("the system does not let us trace `{shown}`: {error}"));
        }
        Error::new(Kind::Program, format!("`{shown}` cannot be executed: {error}"))
    }
}

impl Started {
    /// All that it has written to its standard output.
    pub fn output(&mut self) -> Result<Vec<u8>> {
        whole(&mut self.output)
    }

    /// The end of what it has written to its standard error.
    pub fn last_words(&mut self) -> Result<String> {
        let text = String::from_utf8_lossy(&whole(&mut self.errors)?).into_owned();
        Ok(text.trim().lines().next_back().unwrap_or_default().to_owned())
    }
}

fn number_of(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap_or(i32::MAX)
}

fn whole(file: &mut File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file in memory, so that no program waits for a reader of its output.
fn kept(name: &str) -> Result<File> {
    let name = std::ffi::CString::new(name).map_err(io::Error::from)?;
    // SAFETY: the name ends with a zero.
    let number = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if number < 0 {
        return Err(Error::last("making a file in memory"));
    }
    // SAFETY: the call has just opened it for us.
    Ok(unsafe { File::from_raw_fd(number) })
}

/// In the child: at the same addresses each time, no core files, within bounds.
fn prepared(traced: bool, most_output: Option<u64>, most_memory: Option<u64>) -> io::Result<()> {
    let limits =
        [(libc::RLIMIT_CORE, Some(0)), (libc::RLIMIT_FSIZE, most_output), (libc::RLIMIT_AS, most_memory)];
    // SAFETY: system calls, with structures that live as long as they take.
    unsafe {
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        for (which, limit) in limits {
            let Some(limit) = limit else { continue };
            let both = libc::rlimit { rlim_cur: limit, rlim_max: limit };
            libc::setrlimit(which, &raw const both);
        }
        if traced && libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) == -1 {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
    }
    Ok(())
}
