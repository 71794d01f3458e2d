//! Open files: every connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that the server itself may still open.
const SPARE: u64 = 32;
/// Files that the application may have open for the request of one worker: a database's, an upload's.
const SPARE_PER_WORKER: u64 = 4;
/// Connections of a server with no bound of its own, at most: each has a byte set aside.
const MOST: usize = 1 << 20;

/// Raises the soft limit of open files to the hard one. Returns how many of the `wanted` connections (0: as
/// many as possible) fit below it when the application keeps `kept` files open. If fewer fit than wanted,
/// stderr says so.
pub(crate) fn connections_that_fit(wanted: usize, workers: usize, kept: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // If that is refused, the soft limit stays the bound.
    let allowed = setrlimit(Resource::Nofile, raised).map_or(limit.current, |()| limit.maximum);
    let most = if wanted == 0 { MOST } else { wanted };
    let Some(allowed) = allowed else { return most };
    let room =
        allowed.saturating_sub(open_now() + SPARE + SPARE_PER_WORKER * workers as u64 + kept as u64).max(1);
    let fit = most.min(usize::try_from(room).unwrap_or(usize::MAX));
    if fit < wanted {
        eprintln!(
            "serving at most {fit} connections instead of {wanted}: the system allows {allowed} open files (`ulimit -n`)"
        );
    }
    fit
}

/// Files that the process has open.
pub(crate) fn open_now() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64)
}
