//! The day as a PC's real-time clock tells it.

use time::{Date, Month};

/// Seconds since 1970 of the clock's registers: second, minute, hour, day, month, year of this century,
/// status B. None when there is no clock.
pub fn from_registers(registers: &[u8; 8]) -> Option<u64> {
    let binary = registers[6] & 4 != 0;
    let number = |value: u8| if binary { value } else { (value >> 4) * 10 + (value & 15) };
    let twelve_hours = registers[6] & 2 == 0;
    let afternoon = twelve_hours && registers[2] & 0x80 != 0;
    let hour = number(if twelve_hours { registers[2] & 0x7f } else { registers[2] });
    let hour = if twelve_hours { hour % 12 + 12 * u8::from(afternoon) } else { hour };
    let [second, minute, day, month, year] = [0, 1, 3, 4, 5].map(|at| number(registers[at]));
    let date = Date::from_calendar_date(2000 + i32::from(year), Month::try_from(month).ok()?, day).ok()?;
    date.with_hms(hour, minute, second).ok()?.assume_utc().unix_timestamp().try_into().ok()
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
        // 30 February.
        assert_eq!(from_registers(&[0, 0, 0, 0x30, 2, 0x26, 2, 0]), None);
    }
}
