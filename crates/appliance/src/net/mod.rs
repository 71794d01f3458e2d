//! Frames to TCP/IP: what stands between a network card and smoltcp.

pub mod announce;
pub mod checksum;
pub mod frame;
#[cfg(any(test, feature = "guard"))]
mod guard;
#[cfg(any(test, feature = "guard"))]
mod neighbours;
mod screen;
mod wire;

pub use screen::Flow;
pub use wire::{Gate, Wire};

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

/// Frames to others.
pub trait Outgoing {
    /// What the card does about checksums.
    fn offload(&self) -> Offload;

    /// Whether a frame can be sent.
    fn has_room(&mut self) -> bool;

    /// Has a frame of so many bytes filled, and queues it. `fill` also returns what checksum the card is to
    /// complete: from where to sum, and where in that to write.
    fn send<R>(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8]) -> (R, Option<(u16, u16)>)) -> R;

    /// Tells the card of all that was queued.
    fn flush(&mut self);
}
