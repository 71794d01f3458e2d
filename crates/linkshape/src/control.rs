//! Changes to a switch that runs: over a Unix socket, a line of JSON for each request and each answer.
//!
//! A thread listens, reads, checks and makes devices: nothing of that may hold up frames. The switch's own
//! thread is woken and only takes over what is ready.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use serde::{Deserialize, Serialize};

use crate::config::{Link, Port};
use crate::tap;

/// Longest silence of one who asks.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a line asks for.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    /// A port with a device that is to be made; one of this name gets it instead of its present one.
    Attach(Port),
    /// Another link for a port.
    Link(Link),
}

/// The answer: no error, or why not.
#[derive(Serialize)]
struct Answer {
    error: Option<String>,
}

/// What the switch is to take over, and where it says how that went.
pub(crate) struct Change {
    pub(crate) what: What,
    pub(crate) done: Sender<Result<(), String>>,
}

/// A change of a switch.
pub(crate) enum What {
    /// A port with its device.
    Attach(Port, OwnedFd),
    /// Another link for a port.
    Link(Link),
}

/// The switch's end.
pub(crate) struct Control {
    pub(crate) changes: Receiver<Change>,
    /// Readable when there are changes.
    pub(crate) wake: OwnedFd,
}

/// Listens at `path`, in place of whatever was there.
pub(crate) fn listen(path: &Path) -> io::Result<Control> {
    let _ = std::fs::remove_file(path);
    let listener = UnixListener::bind(path)?;
    let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
    let (sender, changes) = channel();
    let bell = wake.try_clone()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Who breaks off needs no answer.
            let _ = converse(&stream, &sender, &bell);
        }
    });
    Ok(Control { changes, wake })
}

fn converse(stream: &UnixStream, changes: &Sender<Change>, bell: &OwnedFd) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    for line in BufReader::new(stream).lines() {
        let error = ask(&line?, changes, bell).err();
        let answer = serde_json::to_string(&Answer { error })?;
        writeln!(&*stream, "{answer}")?;
    }
    Ok(())
}

fn ask(line: &str, changes: &Sender<Change>, bell: &OwnedFd) -> Result<(), String> {
    let request = serde_json::from_str(line).map_err(|error| format!("request: {error}"))?;
    let what = match request {
        Request::Attach(port) => {
            port.link.check()?;
            let device = tap::create(&port.device)
                .map_err(|error| format!("device `{}` of `{}`: {error}", port.device, port.link.name))?;
            What::Attach(port, device)
        }
        Request::Link(link) => {
            link.check()?;
            What::Link(link)
        }
    };
    let (done, answer) = channel();
    let gone = |_| "the switch has ended".to_owned();
    changes.send(Change { what, done }).map_err(|_| gone(()))?;
    rustix::io::write(bell, &1_u64.to_ne_bytes()).map_err(|error| error.to_string())?;
    answer.recv().map_err(|_| gone(()))?
}
