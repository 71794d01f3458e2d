//! What a function on a PCI bus says of itself (§4.1.4): where its windows are, by its list of capabilities.
//! None of it is believed before it was looked at.

use core::fmt;

use super::Kind;
use super::pci::{COMMON_BYTES, Windows};

/// Registers of every function.
const FIRST_BAR: u8 = 0x10;
const BARS: u8 = 6;
const SUBSYSTEM: u8 = 0x2c;
const CAPABILITIES: u8 = 0x34;

const VIRTIO: u32 = 0x1af4;
/// Capabilities: the vendor's own, MSI-X.
const OF_VENDOR: u32 = 9;
const MESSAGES: u32 = 0x11;
/// Bytes of the largest virtio capability, and of an entry of the table of messages.
const CAPABILITY: u8 = 20;
const ENTRY: usize = 16;

/// A function's registers, of four bytes each.
pub trait Function {
    /// The register that holds this byte.
    fn read(&self, register: u8) -> u32;
}

/// A window that is nowhere, or where no memory is mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misplaced(u64);

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a PCI device has a window up to {:#x}, which is not mapped", self.0)
    }
}

/// What kind of virtio device it is, if it is one.
pub fn kind(function: &impl Function) -> Option<Kind> {
    let identity = function.read(0);
    if identity & 0xffff != VIRTIO {
        return None;
    }
    // Devices of the current version have their kind in their number, others in that of their subsystem.
    let device = identity >> 16;
    Kind::from_number(device.checked_sub(0x1040).unwrap_or_else(|| function.read(SUBSYSTEM) >> 16))
}

fn capabilities(function: &impl Function) -> impl Iterator<Item = u8> {
    let follow = move |at: u8| {
        let next = (function.read(at) >> 8) as u8 & 0xfc;
        (next != 0).then_some(next)
    };
    let first = function.read(CAPABILITIES) as u8 & 0xfc;
    // A list that goes round ends, too.
    core::iter::successors((first != 0).then_some(first), move |at| follow(*at)).take(48)
}

/// The address of `bytes` at `offset` of a window that firmware has put where `limit` is not reached.
fn place(
    function: &impl Function,
    bar: u8,
    offset: u32,
    bytes: usize,
    limit: u64,
) -> Result<usize, Misplaced> {
    if bar >= BARS {
        return Err(Misplaced(0));
    }
    let register = FIRST_BAR + 4 * bar;
    let low = function.read(register);
    let high = if low & 0b110 == 0b100 { function.read(register + 4) } else { 0 };
    let base = u64::from(high) << 32 | u64::from(low & !0xf);
    let end = base.saturating_add(u64::from(offset)).saturating_add(bytes as u64);
    if low & 1 != 0 || base == 0 || end > limit {
        return Err(Misplaced(end));
    }
    Ok(base as usize + offset as usize)
}

/// Where the capabilities say that the windows of a virtio device are; none on a legacy device.
///
/// # Errors
/// One is at or beyond `limit`, the first address that is not mapped.
pub fn windows(function: &impl Function, limit: u64) -> Result<Option<Windows>, Misplaced> {
    let mut windows = Windows::default();
    for at in capabilities(function) {
        let head = function.read(at);
        let kind = head >> 24;
        // The last of them may be cut by the end of the registers.
        if head & 0xff != OF_VENDOR || !matches!(kind, 1 | 2 | 4) || at > u8::MAX - CAPABILITY {
            continue;
        }
        let bytes = function.read(at + 12) as usize;
        let start = place(function, function.read(at + 4) as u8, function.read(at + 8), bytes, limit)?;
        match kind {
            // Registers that the processor could not reach at once are none.
            1 if bytes < COMMON_BYTES || !start.is_multiple_of(align_of::<u32>()) => {}
            2 if !start.is_multiple_of(align_of::<u16>()) => {}
            1 => windows.common = start,
            2 => {
                (windows.notify, windows.notify_bytes) = (start, bytes);
                windows.notify_step = function.read(at + 16) as usize;
            }
            _ => (windows.own, windows.own_bytes) = (start, bytes),
        }
    }
    Ok((windows.common != 0 && windows.notify != 0).then_some(windows))
}

/// The register that switches messages on, and the address of the first of them; none where there are none.
///
/// # Errors
/// As [`windows`].
pub fn messages(function: &impl Function, limit: u64) -> Result<Option<(u8, usize)>, Misplaced> {
    let Some(at) = capabilities(function).find(|at| function.read(*at) & 0xff == MESSAGES) else {
        return Ok(None);
    };
    let Some(register) = at.checked_add(4) else { return Ok(None) };
    let table = function.read(register);
    Ok(Some((at, place(function, (table & 7) as u8, table & !7, ENTRY, limit)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers as told; others are zero.
    struct Told(&'static [(u8, u32)]);

    impl Function for Told {
        fn read(&self, register: u8) -> u32 {
            self.0.iter().find(|(at, _)| *at == register & 0xfc).map_or(0, |(_, value)| *value)
        }
    }

    const LIMIT: u64 = 4 << 30;

    #[test]
    fn windows_are_where_the_capabilities_say() {
        let function = Told(&[
            (0, 0x1041_1af4),
            (0x10, 0xfe00_0004),
            (0x34, 0x40),
            (0x40, 0x0100_5009),
            (0x48, 0x1000),
            (0x4c, 56),
            (0x50, 0x0200_7009),
            (0x58, 0x2000),
            (0x5c, 8),
            (0x60, 4),
            (0x70, 0x0400_8009),
            (0x78, 0x3000),
            (0x7c, 6),
            (0x80, 0x0000_0011),
            (0x84, 0x4000),
        ]);
        let windows = windows(&function, LIMIT).unwrap().unwrap();
        assert_eq!(kind(&function), Some(Kind::Net));
        assert_eq!((windows.common, windows.own, windows.own_bytes), (0xfe00_1000, 0xfe00_3000, 6));
        assert_eq!((windows.notify, windows.notify_bytes, windows.notify_step), (0xfe00_2000, 8, 4));
        assert_eq!(messages(&function, LIMIT), Ok(Some((0x80, 0xfe00_4000))));
    }

    #[test]
    fn what_is_no_window_is_refused() {
        // A window that is not there, in ports, without an address, beyond what is mapped.
        let bars: [&[(u8, u32)]; 4] = [
            &[(0x34, 0x40), (0x40, 0x0100_0009), (0x44, 200)],
            &[(0x34, 0x40), (0x40, 0x0100_0009), (0x10, 0xc001)],
            &[(0x34, 0x40), (0x40, 0x0100_0009)],
            &[(0x34, 0x40), (0x40, 0x0100_0009), (0x10, 0xfff0_0004), (0x14, 1), (0x48, u32::MAX)],
        ];
        for registers in bars {
            assert!(windows(&Told(registers), LIMIT).is_err(), "{registers:x?}");
        }
        // Cut by the end of the registers; too small for what is in it.
        let cut: &[(u8, u32)] = &[(0x34, 0xfc), (0xfc, 0x0100_0009), (0x10, 0xfe00_0004)];
        let small: &[(u8, u32)] = &[(0x34, 0x40), (0x40, 0x0100_0009), (0x10, 0xfe00_0004), (0x4c, 55)];
        let odd: &[(u8, u32)] =
            &[(0x34, 0x40), (0x40, 0x0100_0009), (0x10, 0xfe00_0004), (0x48, 0x1002), (0x4c, 56)];
        for registers in [cut, small, odd] {
            assert_eq!(windows(&Told(registers), LIMIT), Ok(None), "{registers:x?}");
        }
        let table: &[(u8, u32)] = &[(0x34, 0x40), (0x40, 0x11), (0x44, 0xffff_fff8), (0x10, 0xffff_0000)];
        assert!(messages(&Told(table), LIMIT).is_err());
        let cut: &[(u8, u32)] = &[(0x34, 0xfc), (0xfc, 0x11)];
        assert_eq!(messages(&Told(cut), LIMIT), Ok(None));
    }
}
