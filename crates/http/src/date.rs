//! Dates of HTTP: written as IMF-fixdate, read in any of the forms that were ever sent.

use time::{Date, Month, OffsetDateTime, Time};

/// Length of an IMF-fixdate.
pub const DATE_LEN: usize = 29;

const DAYS: &[u8; 21] = b"MonTueWedThuFriSatSun";
const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
/// Last second of the year 9999; later times do not fit the format.
const LAST: OffsetDateTime = Date::MAX.with_time(Time::MAX).assume_utc();

/// `unix_s` (seconds since 1970 UTC) as `Sun, 06 Nov 1994 08:49:37 GMT`; times after the year 9999
/// are written as its last second.
///
/// ```
/// assert_eq!(&loadstone_http::format_date(784_111_777), b"Sun, 06 Nov 1994 08:49:37 GMT");
/// ```
pub fn format_date(unix_s: u64) -> [u8; DATE_LEN] {
    let unix_s = i64::try_from(unix_s).unwrap_or(i64::MAX);
    let at = OffsetDateTime::from_unix_timestamp(unix_s).unwrap_or(LAST);
    let mut out = *b"Thu, 01 Jan 1970 00:00:00 GMT";
    let weekday = usize::from(at.weekday().number_days_from_monday()) * 3;
    out[..3].copy_from_slice(&DAYS[weekday..weekday + 3]);
    let name = (usize::from(u8::from(at.month())) - 1) * 3;
    out[8..11].copy_from_slice(&MONTHS[name..name + 3]);
    let (year, [hour, minute, second]) = (at.year(), [at.hour(), at.minute(), at.second()]);
    let (century, of_century) = ((year / 100) as u8, (year % 100) as u8);
    for (place, value) in
        [(5, at.day()), (12, century), (14, of_century), (17, hour), (20, minute), (23, second)]
    {
        out[place] = b'0' + value / 10;
        out[place + 1] = b'0' + value % 10;
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
            let value: u16 = token.parse().ok().filter(|_| token.len() <= 4)?;
            if day.is_none() && token.len() <= 2 {
                day = Some(value as u8);
            } else if year.is_none() {
                // Two digits: RFC 6265 puts 70 to 99 in the last century.
                let century = [2000, 1900][usize::from(value >= 70)];
                year = Some(if token.len() == 2 { century + value } else { value });
            }
        } else if month.is_none() {
            month = parse_month(token);
        }
    }
    let date = Date::from_calendar_date(year?.into(), month?, day?).ok()?;
    date.with_time(time?).assume_utc().unix_timestamp().try_into().ok()
}

fn parse_time(token: &str) -> Option<Time> {
    let mut parts = token.split(':').map(|part| part.parse::<u8>().ok().filter(|_| part.len() <= 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    Time::from_hms(hour, minute, second).ok().filter(|_| parts.next().is_none())
}

fn parse_month(token: &str) -> Option<Month> {
    let name = token.as_bytes().get(..3)?;
    let at = MONTHS.chunks_exact(3).position(|month| month.eq_ignore_ascii_case(name))?;
    Month::try_from(at as u8 + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAST_S: u64 = 253_402_300_799;

    #[test]
    fn known_dates() {
        for (unix_s, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_222_992_000, "Fri, 03 Oct 2008 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (LAST_S, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] {
            assert_eq!(core::str::from_utf8(&format_date(unix_s)).unwrap(), text);
            assert_eq!(parse_date(text), Some(unix_s));
        }
        assert_eq!(format_date(u64::MAX), format_date(LAST_S));
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
        fn what_is_written_is_read(unix_s in 0..=LAST_S) {
            let date = format_date(unix_s);
            prop_assert_eq!(parse_date(core::str::from_utf8(&date).unwrap()), Some(unix_s));
        }

        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = parse_date(&text);
        }
    }
}
