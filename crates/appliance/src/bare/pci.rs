//! The first PCI bus, by ports: virtio devices, and the chipset's power button.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::devices::Found;
use super::paging::MAPPED;
use super::ports::{in16, in32, out16, out32};
use super::{interrupts, refuse};
use crate::virtio::Kind;
use crate::virtio::pci::{Pci, Windows};

const ADDRESS: u16 = 0xcf8;
const DATA: u16 = 0xcfc;

/// Registers of every function.
const COMMAND: u8 = 4;
const FIRST_BAR: u8 = 0x10;
const SUBSYSTEM: u8 = 0x2c;
const CAPABILITIES: u8 = 0x34;
/// Memory, and the right to be a bus master.
const ENABLED: u32 = 0b110;

const VIRTIO: u32 = 0x1af4;
/// Capabilities: the vendor's own, MSI-X.
const OF_VENDOR: u32 = 9;
const MESSAGES: u32 = 0x11;
const MESSAGES_ON: u32 = 1 << 31;
/// Where messages go: the local APIC.
const LOCAL_APIC: u32 = 0xfee0_0000;

/// A function on the bus.
#[derive(Clone, Copy)]
struct Function(u32);

impl Function {
    fn read(self, register: u8) -> u32 {
        // SAFETY: the bus's configuration, which nothing else uses.
        unsafe {
            out32(ADDRESS, 1 << 31 | self.0 << 8 | u32::from(register & 0xfc));
            in32(DATA)
        }
    }

    fn write(self, register: u8, value: u32) {
        // SAFETY: as before; callers write to registers that they know.
        unsafe {
            out32(ADDRESS, 1 << 31 | self.0 << 8 | u32::from(register & 0xfc));
            out32(DATA, value);
        }
    }

    fn capabilities(self) -> impl Iterator<Item = u8> {
        let follow = move |at: u8| {
            let next = (self.read(at) >> 8) as u8 & 0xfc;
            (next != 0).then_some(next)
        };
        let first = self.read(CAPABILITIES) as u8 & 0xfc;
        // A list that goes round ends, too.
        core::iter::successors((first != 0).then_some(first), move |at| follow(*at)).take(48)
    }

    /// The address of a window, where firmware has put it.
    fn window(self, bar: u8) -> usize {
        let register = FIRST_BAR + 4 * bar;
        let low = self.read(register);
        let high = if low & 0b110 == 0b100 { self.read(register + 4) } else { 0 };
        let address = u64::from(high) << 32 | u64::from(low & !0xf);
        if low & 1 != 0 || address == 0 || address >= MAPPED {
            refuse(&alloc::format!("a PCI device's window lies at {address:#x}, which is not mapped"));
        }
        address as usize
    }
}

/// Finds virtio devices, and has their messages delivered.
pub(super) fn find(found: &mut Vec<Found>) {
    for number in 0..32 * 8 {
        let function = Function(number);
        let identity = function.read(0);
        if identity & 0xffff != VIRTIO {
            continue;
        }
        // Devices of the current version have their kind in their number, others in that of their subsystem.
        let device = identity >> 16;
        let kind = if device >= 0x1040 { device - 0x1040 } else { function.read(SUBSYSTEM) >> 16 };
        let (Some(kind), Some(windows)) = (Kind::from_number(kind), windows(function)) else { continue };
        function.write(COMMAND, function.read(COMMAND) & 0xffff | ENABLED);
        let number = found.len();
        deliver_messages(function, number);
        // SAFETY: its capabilities say where its windows are.
        let transport = Box::new(unsafe { Pci::new(windows) });
        found.push(Found { kind, transport, number });
    }
}

/// Where the capabilities say that the windows are; none on a legacy device.
fn windows(function: Function) -> Option<Windows> {
    let mut windows = Windows::default();
    for at in function.capabilities() {
        let head = function.read(at);
        if head & 0xff != OF_VENDOR {
            continue;
        }
        let kind = head >> 24;
        if !(1..=4).contains(&kind) || kind == 3 {
            continue;
        }
        let length = function.read(at + 12) as usize;
        let place = function.window(function.read(at + 4) as u8) + function.read(at + 8) as usize;
        if place + length > MAPPED as usize {
            refuse(&alloc::format!(
                "a PCI device's window ends at {:#x}, which is not mapped",
                place + length
            ));
        }
        match kind {
            1 => windows.common = place,
            2 => {
                (windows.notify, windows.notify_bytes) = (place, length);
                windows.notify_step = function.read(at + 16) as usize;
            }
            _ => windows.own = place,
        }
    }
    (windows.common != 0 && windows.notify != 0).then_some(windows)
}

/// Makes the first MSI-X message the interrupt of the device of this number.
fn deliver_messages(function: Function, number: usize) {
    let Some(at) = function.capabilities().find(|at| function.read(*at) & 0xff == MESSAGES) else {
        refuse("a PCI device has no MSI-X");
    };
    let table = function.read(at + 4);
    let entry = function.window((table & 7) as u8) + (table & !7) as usize;
    let entry = core::ptr::with_exposed_provenance_mut::<u32>(entry);
    for (word, value) in [LOCAL_APIC, 0, interrupts::vector_of(number).into(), 0].into_iter().enumerate() {
        // SAFETY: the first entry of the device's table.
        unsafe { entry.add(word).write_volatile(value) };
    }
    function.write(at, function.read(at) | MESSAGES_ON);
}

/// The power registers of QEMU's q35 (Intel's ICH9): 0:31.0 says at which port.
pub(super) struct Power {
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
