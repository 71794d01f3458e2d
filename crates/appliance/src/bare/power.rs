//! How a machine ends.

pub use super::arch::power::end;

/// How a machine ends, and the exit code of QEMU where it has an exit device (PCs).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As it was asked to: 33.
    Clean = 0x10,
    /// Something is wrong in the image: 35.
    Fault = 0x11,
    /// The machine or its command line is not what the image needs: 37.
    Refused = 0x12,
}
