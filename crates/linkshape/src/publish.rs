//! Counters to a file, on a thread of its own: a slow disk must not hold up frames.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde::Serialize;

use crate::counters::PortCounters;

/// One port in the file.
#[derive(Serialize)]
struct Line<'a> {
    port: &'a str,
    #[serde(flatten)]
    counters: PortCounters,
}

/// Starts the thread, which is sent all ports with their names; it ends when the sender is dropped.
pub(crate) fn publisher(path: PathBuf) -> Sender<Vec<(String, PortCounters)>> {
    let (sender, receiver) = channel::<Vec<(String, PortCounters)>>();
    thread::spawn(move || {
        for counters in receiver {
            // Counters are a courtesy: a full disk does not end the network.
            let _ = write(&path, &counters);
        }
    });
    sender
}

/// Replaces the file in one step, so that a reader never sees half of it.
fn write(path: &Path, counters: &[(String, PortCounters)]) -> io::Result<()> {
    let lines: Vec<_> = counters.iter().map(|(port, counters)| Line { port, counters: *counters }).collect();
    let draft = path.with_extension("draft");
    std::fs::write(&draft, serde_json::to_vec(&lines)?)?;
    std::fs::rename(&draft, path)
}
