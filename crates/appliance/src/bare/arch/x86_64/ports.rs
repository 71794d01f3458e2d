//! I/O ports and other instructions that no operating system stands in the way of.

use core::arch::asm;

/// Writes a byte to a port.
///
/// # Safety
/// What the device at the port does is what the caller wants.
pub unsafe fn out8(port: u16, value: u8) {
    // SAFETY: as the caller promises.
    unsafe { asm!("out dx, al", in("dx") port, in("al") value, options(nomem, nostack, preserves_flags)) };
}

/// Reads a byte from a port.
///
/// # Safety
/// As [`out8`].
pub unsafe fn in8(port: u16) -> u8 {
    let value: u8;
    // SAFETY: as the caller promises.
    unsafe { asm!("in al, dx", in("dx") port, out("al") value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Writes two bytes to a port.
///
/// # Safety
/// As [`out8`].
#[cfg(any(feature = "pci", feature = "tls"))]
pub unsafe fn out16(port: u16, value: u16) {
    // SAFETY: as the caller promises.
    unsafe { asm!("out dx, ax", in("dx") port, in("ax") value, options(nomem, nostack, preserves_flags)) };
}

/// Reads two bytes from a port.
///
/// # Safety
/// As [`out8`].
#[cfg(feature = "pci")]
pub unsafe fn in16(port: u16) -> u16 {
    let value: u16;
    // SAFETY: as the caller promises.
    unsafe { asm!("in ax, dx", in("dx") port, out("ax") value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Writes four bytes to a port.
///
/// # Safety
/// As [`out8`].
#[cfg(feature = "pci")]
pub unsafe fn out32(port: u16, value: u32) {
    // SAFETY: as the caller promises.
    unsafe { asm!("out dx, eax", in("dx") port, in("eax") value, options(nomem, nostack, preserves_flags)) };
}

/// Reads four bytes from a port.
///
/// # Safety
/// As [`out8`].
#[cfg(feature = "pci")]
pub unsafe fn in32(port: u16) -> u32 {
    let value: u32;
    // SAFETY: as the caller promises.
    unsafe { asm!("in eax, dx", in("dx") port, out("eax") value, options(nomem, nostack, preserves_flags)) };
    value
}
