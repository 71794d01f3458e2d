//! The day as a PC's real-time clock tells it.

/// Seconds since 1970 of the clock's registers: second, minute, hour, day, month, year of this century, status B. None when
/// there is no clock.
pub fn from_registers(registers: &[u8; 8]) -> Option<u64> {
    let binary = registers[6] & 4 != 0;
    let number = |value: u8| if binary { value } else { (value >> 4) * 10 + (value & 15) };
    let twelve_hours = registers[6] & 2 == 0;
    let afternoon = twelve_hours && registers[2] & 0x80 != 0;
    let hour = number(if twelve_hours { registers[2] & 0x7f } else { registers[2] });
    let hour = if twelve_hours { hour % 12 + 12 * u8::from(afternoon) } else { hour };
    let [second, minute, day, month, year] = [0, 1, 3, 4, 5].map(|at| number(registers[at]));
    if second > 59 || minute > 59 || hour > 23 || !(1..=31).contains(&day) || !(1..=12).contains(&month) {
        return None;
    }
    // Days since 1 March 2000, the year beginning in March so that the leap day is its last.
    let (year, month) = (u64::from(year), u64::from(month));
    let (year, month) = if month <= 2 { (year.checked_sub(1)?, month + 9) } else { (year, month - 3) };
    let days = year * 365 + year / 4 + (153 * month + 2) / 5 + u64::from(day) - 1;
    /// 1 March 2000.
    const START_S: u64 = 951_868_800;
    Some(START_S + days * 86_400 + u64::from(hour) * 3600 + u64::from(minute) * 60 + u64::from(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_a_day() {
        // 24 hours, decimal digits: 22 November 2026, 04:05:06.
        assert_eq!(from_registers(&[0x06, 0x05, 0x04, 0x22, 0x11, 0x26, 2, 0]), Some(1_795_320_306));
        // 12 hours, binary: 29 February 2028, 11:59:59 in the afternoon.
        assert_eq!(from_registers(&[59, 59, 0x8b, 29, 2, 28, 4, 0]), Some(1_835_481_599));
        // Midnight is twelve in the morning.
        assert_eq!(from_registers(&[0, 0, 12, 1, 3, 0x00, 4, 0]), from_registers(&[0, 0, 0, 1, 3, 0, 6, 0]));
        assert_eq!(from_registers(&[0xff; 8]), None);
        assert_eq!(from_registers(&[0; 8]), None);
    }
}
