//! The serial port (PL011).

use core::sync::atomic::{AtomicUsize, Ordering};

use super::registers::{read, write};

const DATA: usize = 0;
const FLAGS: usize = 0x18;
const CONTROL: usize = 0x30;
const INTERRUPTS: usize = 0x38;
const INTERRUPTS_DONE: usize = 0x44;
const EMPTY: u32 = 1 << 4;
const FULL: u32 = 1 << 5;
/// Port, sender and receiver are on.
const ON: u32 = 1 | 1 << 8 | 1 << 9;
/// A byte has come.
const RECEIVED: u32 = 1 << 4;
/// Looks at the flags before a byte is dropped: a port that nobody reads must not hold up the machine.
const PATIENCE: u32 = 100_000;

/// Where the port is; where QEMU has it, until the device tree is read.
static BASE: AtomicUsize = AtomicUsize::new(0x0900_0000);

fn base() -> usize {
    BASE.load(Ordering::Relaxed)
}

/// Sets the port at this address up, with an interrupt for each byte that comes.
pub fn start(address: u64) {
    BASE.store(address as usize, Ordering::Relaxed);
    // SAFETY: registers of the port, by the device tree.
    unsafe {
        write(base() + CONTROL, ON);
        write(base() + INTERRUPTS, RECEIVED);
    }
}

/// Writes a byte.
pub fn put(byte: u8) {
    // SAFETY: registers of the port.
    unsafe {
        for _ in 0..PATIENCE {
            if read(base() + FLAGS) & FULL == 0 {
                break;
            }
        }
        write(base() + DATA, byte.into());
    }
}

/// A byte that has come.
pub fn take() -> Option<u8> {
    // SAFETY: registers of the port.
    unsafe { (read(base() + FLAGS) & EMPTY == 0).then(|| read(base() + DATA) as u8) }
}

/// Takes the interrupt back: the byte that raised it is still there.
pub(super) fn quiet() {
    // SAFETY: a register of the port.
    unsafe { write(base() + INTERRUPTS_DONE, RECEIVED) };
}
