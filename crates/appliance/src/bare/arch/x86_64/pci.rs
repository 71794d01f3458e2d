//! The first PCI bus, by ports: virtio devices, and the chipset's power button.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::interrupts;
use super::paging::MAPPED;
use super::ports::{in16, in32, out16, out32};
use crate::bare::devices::Found;
use crate::bare::refuse;
use crate::virtio::bus::{Function as _, Misplaced, kind, messages, windows};
use crate::virtio::pci::Pci;

const ADDRESS: u16 = 0xcf8;
const DATA: u16 = 0xcfc;

/// A register of every function: memory, and the right to be a bus master.
const COMMAND: u8 = 4;
const ENABLED: u32 = 0b110;
/// In the register of the messages' capability.
const MESSAGES_ON: u32 = 1 << 31;
/// Where messages go: the local APIC.
const LOCAL_APIC: u32 = 0xfee0_0000;

/// A function on the bus.
#[derive(Clone, Copy)]
struct Function(u32);

impl crate::virtio::bus::Function for Function {
    fn read(&self, register: u8) -> u32 {
        // SAFETY: the bus's configuration, which nothing else uses.
        unsafe {
            out32(ADDRESS, 1 << 31 | self.0 << 8 | u32::from(register & 0xfc));
            in32(DATA)
        }
    }
}

impl Function {
    fn write(self, register: u8, value: u32) {
        // SAFETY: as before; callers write to registers that they know.
        unsafe {
            out32(ADDRESS, 1 << 31 | self.0 << 8 | u32::from(register & 0xfc));
            out32(DATA, value);
        }
    }
}

/// Finds virtio devices, and has their messages delivered.
pub fn find(found: &mut Vec<Found>) {
    for number in 0..32 * 8 {
        let function = Function(number);
        let Some(kind) = kind(&function) else { continue };
        let Some(windows) = mapped(windows(&function, MAPPED)) else { continue };
        function.write(COMMAND, function.read(COMMAND) & 0xffff | ENABLED);
        let Some((at, first)) = mapped(messages(&function, MAPPED)) else {
            refuse("a PCI device has no MSI-X");
        };
        let number = found.len();
        deliver(first, number);
        function.write(at, function.read(at) | MESSAGES_ON);
        // SAFETY: its capabilities say where its windows are.
        let transport = Box::new(unsafe { Pci::new(windows) });
        found.push(Found { kind, transport, number });
    }
}

fn mapped<T>(found: Result<T, Misplaced>) -> T {
    found.unwrap_or_else(|why| refuse(&alloc::format!("{why}")))
}

/// Makes the message at this address the interrupt of the device of this number.
fn deliver(message: usize, number: usize) {
    let entry = core::ptr::with_exposed_provenance_mut::<u32>(message);
    for (word, value) in [LOCAL_APIC, 0, interrupts::vector_of(number).into(), 0].into_iter().enumerate() {
        // SAFETY: the first entry of the device's table.
        unsafe { entry.add(word).write_volatile(value) };
    }
}

/// The power registers of QEMU's q35 (Intel's ICH9): 0:31.0 says at which port.
pub struct Power {
    port: u16,
}

impl Power {
    const BRIDGE: Function = Function(31 << 3);
    const ICH9: u32 = 0x2918_8086;
    const PORT: u8 = 0x40;
    /// In the status and the enable register: the button. In the control register: sleep, in the state that
    /// is off.
    const BUTTON: u16 = 1 << 8;
    const OFF: u16 = 1 << 13;

    /// Finds the registers; the button is noticed from now on.
    pub fn find() -> Option<Self> {
        if Self::BRIDGE.read(0) != Self::ICH9 {
            return None;
        }
        let port = (Self::BRIDGE.read(Self::PORT) & 0xff80) as u16;
        if port == 0 {
            return None;
        }
        // SAFETY: the enable register.
        unsafe { out16(port + 2, Self::BUTTON) };
        Some(Self { port })
    }

    /// Whether the button was pressed since the last call.
    pub fn is_pressed(&self) -> bool {
        // SAFETY: the status register, where writing a one clears it.
        unsafe {
            let pressed = in16(self.port) & Self::BUTTON != 0;
            if pressed {
                out16(self.port, Self::BUTTON);
            }
            pressed
        }
    }

    /// Turns the machine off.
    pub fn off(&self) {
        // SAFETY: the control register.
        unsafe { out16(self.port + 4, Self::OFF) };
    }
}
