//! Dates of HTTP: written as IMF-fixdate, read in any of the forms that were ever sent.

/// Length of an IMF-fixdate.
pub const DATE_LEN: usize = 29;

const DAYS: &[u8; 21] = b"ThuFriSatSunMonTueWed";
const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
const SECONDS_PER_DAY: u64 = 86_400;
/// Last second of the year 9999; later times do not fit the format.
const LAST: u64 = 253_402_300_799;

/// `unix_s` (seconds since 1970 UTC) as `Sun, 06 Nov 1994 08:49:37 GMT`; times after the year 9999
/// are written as its last second.
///
/// ```
/// assert_eq!(&loadstone_http::format_date(784_111_777), b"Sun, 06 Nov 1994 08:49:37 GMT");
/// ```
pub fn format_date(unix_s: u64) -> [u8; DATE_LEN] {
    let unix_s = unix_s.min(LAST);
    let (days, second) = (unix_s / SECONDS_PER_DAY, unix_s % SECONDS_PER_DAY);
    let (year, month, day) = civil_from_days(days);
    let mut out = *b"Thu, 01 Jan 1970 00:00:00 GMT";
    let weekday = (days % 7) as usize * 3;
    out[..3].copy_from_slice(&DAYS[weekday..weekday + 3]);
    let name = (month as usize - 1) * 3;
    out[8..11].copy_from_slice(&MONTHS[name..name + 3]);
    for (at, value) in [
        (5, day),
        (12, year / 100),
        (14, year % 100),
        (17, second / 3600),
        (20, second / 60 % 60),
        (23, second % 60),
    ] {
        out[at] = b'0' + (value / 10) as u8;
        out[at + 1] = b'0' + (value % 10) as u8;
    }
    out
}

/// Seconds since 1970 UTC of a date in any form of RFC 9110 §5.6.7 or of a cookie's `Expires`;
/// none when it is no date after 1970. The algorithm is that of RFC 6265 §5.1.1.
///
/// ```
/// use loadstone_http::parse_date;
/// assert_eq!(parse_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
/// assert_eq!(parse_date("Sunday, 06-Nov-94 08:49:37 GMT"), Some(784_111_777));
/// assert_eq!(parse_date("Sun Nov  6 08:49:37 1994"), Some(784_111_777));
/// assert_eq!(parse_date("yesterday"), None);
/// ```
pub fn parse_date(text: &str) -> Option<u64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == ':')).filter(|t| !t.is_empty()) {
        if time.is_none() && token.contains(':') {
            time = Some(parse_time(token)?);
        } else if token.bytes().all(|b| b.is_ascii_digit()) {
            let value: u64 = token.parse().ok().filter(|_| token.len() <= 4)?;
            if day.is_none() && token.len() <= 2 {
                day = Some(value);
            } else if year.is_none() {
                // Two digits: RFC 6265 puts 70 to 99 in the last century.
                let century = [2000, 1900][usize::from(value >= 70)];
                year = Some(if token.len() == 2 { century + value } else { value });
            }
        } else if month.is_none() {
            month = parse_month(token);
        }
    }
    let (day, month, year) = (day?, month?, year?);
    if year < 1970 || day == 0 || day > days_in_month(year, month) {
        return None;
    }
    Some(days_from_civil(year, month, day) * SECONDS_PER_DAY + time?)
}

fn parse_time(token: &str) -> Option<u64> {
    let mut parts = token.split(':').map(|part| part.parse::<u64>().ok().filter(|_| part.len() <= 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    (parts.next().is_none() && hour < 24 && minute < 60 && second < 60)
        .then_some(hour * 3600 + minute * 60 + second)
}

fn parse_month(token: &str) -> Option<u64> {
    let name = token.as_bytes().get(..3)?;
    MONTHS.chunks_exact(3).position(|month| month.eq_ignore_ascii_case(name)).map(|at| at as u64 + 1)
}

fn days_in_month(year: u64, month: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date in the Gregorian calendar. The year is taken to begin in March, so that the leap
/// day is its last and month lengths follow (153 m + 2) / 5; an era is 400 years = 146,097 days, and
/// 719,468 days lie between 0000-03-01 and the epoch.
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a day since 1970-01-01: the inverse of `days_from_civil`.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_dates() {
        for (unix_s, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_222_992_000, "Fri, 03 Oct 2008 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (LAST, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] {
            assert_eq!(core::str::from_utf8(&format_date(unix_s)).unwrap(), text);
            assert_eq!(parse_date(text), Some(unix_s));
        }
        assert_eq!(format_date(u64::MAX), format_date(LAST));
    }

    #[test]
    fn cookie_dates_are_read() {
        assert_eq!(parse_date("Thu, 01-Jan-1970 00:00:01 GMT"), Some(1));
        assert_eq!(parse_date("Wed, 21 Oct 2015 7:28:00 GMT"), Some(1_445_412_480));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "Sun, 06 Nov 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT",
            "99999999999999999999",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(unix_s in 0..=LAST) {
            let date = format_date(unix_s);
            prop_assert_eq!(parse_date(core::str::from_utf8(&date).unwrap()), Some(unix_s));
        }

        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = parse_date(&text);
        }
    }
}
