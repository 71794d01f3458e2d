//! The access log: written by a thread of its own, so that no request waits for a disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use std::{error, fmt, thread};

use super::line::{Entry, LogFormat};

/// Most lines that may wait to be written. Further lines are dropped and counted.
const WAITING: usize = 8192;
/// How long lines are gathered before they are written: a busy server then writes many at once and wakes the
/// thread rarely.
const GATHER: Duration = Duration::from_millis(20);

/// Why a log cannot be written to, in a sentence that names the file.
#[derive(Debug)]
pub struct LogError(PathBuf, io::Error);

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write the log {}: {}", self.0.display(), self.1)
    }
}

impl error::Error for LogError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.1)
    }
}

enum Message {
    Line(Entry),
    /// Lines from here on go there.
    Target(File),
}

#[derive(Debug, Default)]
struct Counts {
    written: AtomicU64,
    dropped: AtomicU64,
}

/// A log of requests. Dropping it writes what waits.
pub struct AccessLog {
    /// None: the standard output.
    path: Option<PathBuf>,
    /// None once it ends.
    lines: Option<SyncSender<Message>>,
    counts: Arc<Counts>,
    thread: Option<JoinHandle<()>>,
}

impl AccessLog {
    /// Appends to the file at `path`, or writes to the standard output.
    ///
    /// # Errors
    /// The file cannot be opened, or the system gave no thread.
    pub fn open(path: Option<PathBuf>, format: LogFormat) -> Result<Self, LogError> {
        let target: Box<dyn Write + Send> = match &path {
            Some(path) => Box::new(append_to(path)?),
            None => Box::new(io::stdout()),
        };
        let (lines, received) = sync_channel(WAITING);
        let counts = Arc::<Counts>::default();
        let writer =
            Writer { target, format, counts: counts.clone(), batch: Vec::new(), lines: 0, failing: false };
        let thread = Builder::new()
            .name("access-log".into())
            .spawn(move || writer.run(&received))
            .map_err(|error| LogError(path.clone().unwrap_or_default(), error))?;
        Ok(Self { path, lines: Some(lines), counts, thread: Some(thread) })
    }

    /// Opens the file anew, which may have been renamed: lines from now on go to the new one.
    ///
    /// # Errors
    /// It cannot be opened; then the old one stays in use.
    pub fn reopen(&self) -> Result<(), LogError> {
        if let (Some(path), Some(lines)) = (&self.path, &self.lines) {
            let file = append_to(path)?;
            // The thread ends after this sender only.
            let _ = lines.send(Message::Target(file));
        }
        Ok(())
    }

    /// Lines written, and lines lost because too many waited or the target took none.
    pub fn counts(&self) -> (u64, u64) {
        (self.counts.written.load(Ordering::Relaxed), self.counts.dropped.load(Ordering::Relaxed))
    }

    /// Takes a line if there is room for it; never waits.
    pub(super) fn push(&self, entry: Entry) {
        let Some(lines) = &self.lines else { return };
        if lines.try_send(Message::Line(entry)).is_err() {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for AccessLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessLog").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        self.lines = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so on stderr; there is nothing left to save.
            let _ = thread.join();
        }
    }
}

fn append_to(path: &Path) -> Result<File, LogError> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| LogError(path.to_owned(), error))
}

/// The thread's side.
struct Writer {
    target: Box<dyn Write + Send>,
    format: LogFormat,
    counts: Arc<Counts>,
    batch: Vec<u8>,
    /// Lines in the batch.
    lines: u64,
    /// Whether the last batch was lost: that is said once.
    failing: bool,
}

impl Writer {
    fn run(mut self, received: &Receiver<Message>) {
        while let Ok(first) = received.recv() {
            thread::sleep(GATHER);
            self.take(first);
            while let Ok(next) = received.try_recv() {
                self.take(next);
            }
            self.write();
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Line(entry) => {
                entry.write(self.format, &mut self.batch);
                self.lines += 1;
            }
            Message::Target(file) => {
                self.write();
                self.target = Box::new(file);
            }
        }
    }

    fn write(&mut self) {
        let written = self.target.write_all(&self.batch).and_then(|()| self.target.flush());
        let count = if written.is_ok() { &self.counts.written } else { &self.counts.dropped };
        count.fetch_add(self.lines, Ordering::Relaxed);
        if let (Err(error), false) = (&written, self.failing) {
            eprintln!("the access log loses lines: {error}");
        }
        self.failing = written.is_err();
        self.batch.clear();
        self.lines = 0;
    }
}
