//! Frames to TCP/IP: what stands between a network card and smoltcp.

pub mod announce;
pub mod checksum;
#[cfg(any(test, feature = "guard"))]
mod cookies;
pub mod frame;
mod gate;
#[cfg(any(test, feature = "guard"))]
mod guard;
#[cfg(any(test, feature = "guard"))]
mod neighbours;
#[cfg(any(test, feature = "guard"))]
mod opening;
mod screen;
#[cfg(feature = "ipv6")]
pub(crate) mod six;
mod wire;

pub use gate::Gate;
pub use screen::Flow;
#[cfg(feature = "ipv6")]
pub use six::{Dropped, Link};
pub use wire::Wire;
#[cfg(feature = "ipv6")]
pub(crate) use wire::send_whole;

/// Whether strangers are kept from what is not theirs.
pub const GUARDED: bool = cfg!(any(test, feature = "guard"));

/// What the card does about checksums of frames that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offload {
    /// It completes a sum that began with the pseudo-header.
    pub completes_sent: bool,
}

/// Whether the card has verified the checksums of a frame that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified(pub bool);

/// Frames from others, one at a time.
pub trait Incoming {
    /// The next frame; the same until [`Incoming::done`].
    fn peek(&mut self) -> Option<(&mut [u8], Verified)>;

    /// The frame is no longer needed.
    fn done(&mut self);

    /// Gives the card the room of all frames that are done.
    fn flush(&mut self);
}

/// What becomes of a frame that was filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// It is sent as it is.
    Whole,
    /// It is sent when the card has completed its checksum: from where to sum, and where in that to write.
    Unsealed(u16, u16),
    /// It is not sent.
    Withheld,
}

/// Frames to others.
pub trait Outgoing {
    /// What the card does about checksums.
    fn offload(&self) -> Offload;

    /// Whether a frame can be sent.
    fn has_room(&mut self) -> bool;

    /// Has a frame of so many bytes filled, and queues it unless `fill` says otherwise.
    fn send<R>(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8]) -> (R, Departure)) -> R;

    /// Tells the card of all that was queued.
    fn flush(&mut self);
}
