//! Clock and entropy of the operating system.

use alloc::format;
use core::time::Duration;
use std::fs::File;
use std::io::Read;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::HostError;

const DEVICE: &str = "/dev/urandom";

/// The parts of a host that do not depend on where uploads go.
pub(super) struct System {
    entropy: File,
    start: Instant,
}

impl System {
    pub(super) fn new() -> Result<Self, HostError> {
        let entropy = File::open(DEVICE).map_err(|error| HostError(format!("{DEVICE}: {error}")))?;
        Ok(Self { entropy, start: Instant::now() })
    }

    /// Seconds since 1970; 0 for a clock set before that.
    pub(super) fn now_s(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }

    /// Monotonic time since the start: a cache must not stretch when someone sets the clock.
    pub(super) fn uptime(&self) -> Duration {
        self.start.elapsed()
    }

    /// # Panics
    /// When the open device stops giving bytes: a session id from anything else would be worse.
    pub(super) fn entropy(&self, bytes: &mut [u8]) {
        (&self.entropy).read_exact(bytes).expect("the entropy device gives bytes");
    }
}
