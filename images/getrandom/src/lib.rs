//! Random bytes for packages that would ask an operating system: those of the library OS, from the hypervisor
//! and the processor.
#![no_std]

unsafe extern "Rust" {
    /// Defined by the library OS.
    safe fn loadstone_entropy(bytes: &mut [u8]);
}

/// There is no failure: a machine without a source of entropy ends.
pub type Error = core::convert::Infallible;

/// Fills `bytes` with what nobody can predict.
///
/// # Errors
/// None.
pub fn getrandom(bytes: &mut [u8]) -> Result<(), Error> {
    loadstone_entropy(bytes);
    Ok(())
}
