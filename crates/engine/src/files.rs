//! Open files: every user, or session, holds one for its connection.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that the process may still open while the run lasts: the record's, name look-ups.
const SPARE: u64 = 64;

/// Raises the soft limit of open files to the hard one and makes sure that there are enough for `count` of `what`
/// with connections to so many `hosts` each.
///
/// # Errors
/// A sentence with the numbers: a run that starts anyway would count its own lack of files as failures of the
/// server.
pub(crate) fn allow(count: u64, hosts: u64, what: &str) -> Result<(), String> {
    let (allowed, besides) = limits();
    let needed = count * hosts + besides;
    match allowed {
        Some(allowed) if allowed < needed => Err(format!(
            "{count} {what} need {needed} open files, one for each connection and {besides} besides, and the system \
             allows {allowed}: raise the limit (`ulimit -Hn`), or run at most {} {what} from here and the rest from \
             other agents",
            allowed.saturating_sub(besides) / hosts,
        )),
        _ => Ok(()),
    }
}

/// How many connections an open workload may have at once, with the soft limit raised.
///
/// # Errors
/// A sentence when there is not room for one connection for each of the `threads`.
pub(crate) fn room(threads: u64) -> Result<u64, String> {
    let (allowed, besides) = limits();
    let room = allowed.map_or(u64::MAX, |allowed| allowed.saturating_sub(besides));
    if room < threads {
        return Err(format!(
            "no open file is left for sessions, {besides} are in use: raise the limit (`ulimit -Hn`)"
        ));
    }
    Ok(room)
}

/// How many files may be open, after raising the soft limit to the hard one, and how many the run has besides
/// its connections.
fn limits() -> (Option<u64>, u64) {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Where that is refused, the soft limit may still be enough.
    let allowed = setrlimit(Resource::Nofile, raised).map_or(limit.current, |()| limit.maximum);
    (allowed, open_now() + SPARE)
}

/// Files that the process has open.
fn open_now() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64)
}
