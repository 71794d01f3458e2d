//! Registers of devices, at addresses that the device tree tells.

/// Reads 32 bits.
///
/// # Safety
/// There is such a register.
pub unsafe fn read(address: usize) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { core::ptr::with_exposed_provenance::<u32>(address).read_volatile() }
}

/// Writes 32 bits.
///
/// # Safety
/// There is such a register, and what it does is what the caller wants.
pub unsafe fn write(address: usize, value: u32) {
    // SAFETY: as the caller promises.
    unsafe { core::ptr::with_exposed_provenance_mut::<u32>(address).write_volatile(value) };
}

/// Reads a register of the processor by its name.
macro_rules! read_own {
    ($name:literal) => {{
        let value: u64;
        // SAFETY: reading it changes nothing that the compiler knows of.
        unsafe { core::arch::asm!(concat!("mrs {}, ", $name), out(reg) value, options(nostack)) };
        value
    }};
}

/// Writes a register of the processor by its name; what follows sees it.
macro_rules! write_own {
    ($name:literal, $value:expr) => {{
        let value: u64 = $value;
        // SAFETY: the caller means what the register does.
        unsafe { core::arch::asm!(concat!("msr ", $name, ", {}"), "isb", in(reg) value, options(nostack)) };
    }};
}

pub(super) use {read_own, write_own};
