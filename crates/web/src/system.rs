//! Clock and entropy: what a site needs of its surroundings.

use alloc::format;
use alloc::string::String;
use core::time::Duration;
use std::fs::File;
use std::io::Read;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

const DEVICE: &str = "/dev/urandom";

/// Clock and entropy of the operating system.
pub struct System {
    entropy: File,
    start: Instant,
}

impl System {
    /// Opens the entropy device.
    ///
    /// # Errors
    /// A sentence when there is none.
    pub fn new() -> Result<Self, String> {
        let entropy = File::open(DEVICE).map_err(|error| format!("{DEVICE}: {error}"))?;
        Ok(Self { entropy, start: Instant::now() })
    }

    /// Seconds since 1970; 0 for a clock set before that.
    pub fn now_s(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }

    /// Monotonic time since the start: a cache must not stretch when someone sets the clock.
    pub fn uptime(&self) -> Duration {
        self.start.elapsed()
    }

    /// Fills `bytes` with unpredictable bytes.
    ///
    /// # Panics
    /// When the open device stops giving bytes: a session id from anything else would be worse.
    pub fn entropy(&self, bytes: &mut [u8]) {
        (&self.entropy).read_exact(bytes).expect("the entropy device gives bytes");
    }
}
