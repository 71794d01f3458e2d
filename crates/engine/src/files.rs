//! Open files: every user holds one for its connection.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that the process may still open while the run lasts: the record's, name look-ups.
const SPARE: u64 = 64;

/// Raises the soft limit of open files to the hard one and makes sure that there are enough for `users`.
///
/// # Errors
/// A sentence with the numbers: a run that starts anyway would count its own lack of files as failures of the server.
pub(crate) fn allow(users: u64) -> Result<(), String> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Where that is refused, the soft limit may still be enough.
    let allowed = setrlimit(Resource::Nofile, raised).map_or(limit.current, |()| limit.maximum);
    let besides = open_now() + SPARE;
    match allowed {
        Some(allowed) if allowed < users + besides => Err(format!(
            "{users} users need {} open files, one for each connection and {besides} besides, and the system allows \
             {allowed}: raise the limit (`ulimit -Hn`), or run at most {} users from here and the rest from other agents",
            users + besides,
            allowed.saturating_sub(besides),
        )),
        _ => Ok(()),
    }
}

/// Files that the process has open.
fn open_now() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64)
}
