//! Where every frame has gone: what goes into a part is what comes out of it, by cause.

use serde::Serialize;

/// What happened to the frames of one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counters {
    /// Frames that entered it.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Lost on the wire.
    pub lost: u64,
    /// Dropped before a full queue.
    pub queue_full: u64,
    /// Dropped because too much was under way in the whole switch.
    pub overflow: u64,
    /// Dropped because the link was cut.
    pub cut: u64,
    /// Frames that came out at the other end.
    pub passed: u64,
    /// Frames that are still on their way.
    pub under_way: u64,
    /// Frames of cross-traffic; they are none of the above.
    pub cross_frames: u64,
}

impl Counters {
    /// Frames whose fate is known, and those under way: always `frames`.
    pub fn accounted(&self) -> u64 {
        self.lost + self.queue_full + self.overflow + self.cut + self.passed + self.under_way
    }
}

/// Both directions of a link, and what lies between them and the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PortCounters {
    /// From the host to the switch. What has passed went to one other port, or is one of the next two.
    pub up: Counters,
    /// Frames from here for a host that is here: a switch does not send them back.
    pub turned_back: u64,
    /// Frames from here that went to every other port, in `copies`.
    pub flooded: u64,
    /// How many frames that made.
    pub copies: u64,
    /// From the switch to the host. What has passed was `delivered` or `refused`.
    pub down: Counters,
    /// Frames handed to the host.
    pub delivered: u64,
    /// Frames that the host's device did not take: it is down, or its host is gone.
    pub refused: u64,
    /// Frames without readable addresses; they entered nothing.
    pub malformed: u64,
    /// How much later than meant half of those delivered were handed over, microseconds: the error of the
    /// emulation itself.
    pub late_us_p50: u64,
    /// The same for 99 % of them.
    pub late_us_p99: u64,
    /// The same at worst.
    pub late_us_max: u64,
}
