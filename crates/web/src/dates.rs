//! Days and times in the site's own formats, without a time zone and without a clock.

mod stored;

use alloc::string::String;

use time::{Date, Month, util};

use crate::html::{Html, Show, Two, html};

/// A day, counted from 1970-01-01, in the proleptic Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

/// A minute of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// The day.
    pub day: Day,
    /// 0..24.
    pub hour: u32,
    /// 0..60.
    pub minute: u32,
}

/// Year, month 1..=12 and day of the month 1..=31.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// The year.
    pub year: i32,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
}

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const MONTH_RFC822: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The Julian day of 1970-01-01.
const EPOCH: i32 = 2_440_588;

/// English name of a month from 1 to 12.
pub fn month_name(month: u32) -> &'static str {
    MONTHS[(month as usize + 11) % 12]
}

/// Number of days of a month from 1 to 12.
pub fn month_length(year: i32, month: u32) -> u32 {
    month_of(month).map_or(0, |month| util::days_in_month(month, year).into())
}

impl Day {
    /// 0001-01-01.
    pub const FIRST: Self = Self(-719_162);
    /// 9999-12-31.
    pub const LAST: Self = Self(2_932_896);

    /// The day of a civil date; `None` when there is no such date or the year is not 1..=9999.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        let date = Date::from_calendar_date(year, month_of(month)?, day.try_into().ok()?).ok()?;
        (year >= 1).then(|| Self(date.to_julian_day() - EPOCH))
    }

    /// Reads `2008-10-22`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return None;
        }
        Self::new(number(&bytes[..4])? as i32, number(&bytes[5..7])?, number(&bytes[8..])?)
    }

    /// Year, month and day of the month; days beyond the calendar count as its first or last.
    pub fn civil(self) -> Civil {
        let date = self.date();
        Civil { year: date.year(), month: u8::from(date.month()).into(), day: date.day().into() }
    }

    /// 0 for Sunday to 6 for Saturday.
    pub fn weekday(self) -> usize {
        self.date().weekday().number_days_from_sunday().into()
    }

    fn date(self) -> Date {
        let within = self.clamp(Self::FIRST, Self::LAST);
        Date::from_julian_day(within.0 + EPOCH).unwrap_or(Date::MAX)
    }

    /// `2008-10-22`, as stored and as in links.
    pub fn iso(self) -> String {
        let mut page = Html::default();
        Iso(self).show(&mut page);
        String::from_utf8_lossy(page.as_bytes()).into_owned()
    }

    /// `Wed, 22 Oct 2008 hh:mm:00 GMT`, as RSS wants it.
    pub fn show_rfc822(self, hour: u32, minute: u32, page: &mut Html) {
        let civil = self.civil();
        let month = MONTH_RFC822[civil.month as usize - 1];
        html!(page, &WEEKDAYS[self.weekday()][..3], ", ", Two(civil.day), " ", month, " ", civil.year);
        html!(page, " ", Two(hour), ":", Two(minute), ":00 GMT");
    }
}

/// A day as `2008-10-22`.
#[derive(Debug, Clone, Copy)]
pub struct Iso(pub Day);

impl Show for Iso {
    fn show(&self, page: &mut Html) {
        let civil = self.0.civil();
        let year = civil.year.unsigned_abs();
        html!(page, Two(year / 100), Two(year), "-", Two(civil.month), "-", Two(civil.day));
    }
}

/// A day as `10/22/2008`.
impl Show for Day {
    fn show(&self, page: &mut Html) {
        let civil = self.civil();
        html!(page, Two(civil.month), "/", Two(civil.day), "/", civil.year);
    }
}

/// A time as `03:15 PM - Friday 11/07/2008`.
impl Show for Moment {
    fn show(&self, page: &mut Html) {
        // 0 and 12 o'clock are both called 12.
        let (hour, half) = ((self.hour + 11) % 12 + 1, self.hour / 12);
        html!(page, Two(hour), ":", Two(self.minute), if half == 0 { " AM - " } else { " PM - " });
        html!(page, WEEKDAYS[self.day.weekday()], " ", self.day);
    }
}

impl Moment {
    /// The minute that is stored as minutes since 1970-01-01 00:00.
    pub fn from_minutes(minutes: i64) -> Self {
        let (days, of_day) = (minutes.div_euclid(1440), minutes.rem_euclid(1440) as u32);
        // Days beyond the calendar (a damaged database) show as its last day instead of overflowing.
        let day = Day(days.clamp(i64::from(Day::FIRST.0), i64::from(Day::LAST.0)) as i32);
        Self { day, hour: of_day / 60, minute: of_day % 60 }
    }

    /// Minutes since 1970-01-01 00:00.
    pub fn minutes(self) -> i64 {
        i64::from(self.day.0) * 1440 + i64::from(self.hour * 60 + self.minute)
    }

    /// A minute of a day; `None` when there is no such minute.
    pub fn new(day: Day, hour: u32, minute: u32) -> Option<Self> {
        (hour < 24 && minute < 60).then_some(Self { day, hour, minute })
    }
}

fn month_of(number: u32) -> Option<Month> {
    Month::try_from(u8::try_from(number).ok()?).ok()
}

fn number(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0_u32, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: impl Show) -> String {
        let mut page = Html::default();
        value.show(&mut page);
        String::from_utf8(page.into_bytes()).expect("pages are UTF-8")
    }

    #[test]
    fn known_days() {
        for (text, days, weekday) in [
            ("1970-01-01", 0, "Thursday"),
            ("2000-02-29", 11_016, "Tuesday"),
            ("2008-10-22", 14_174, "Wednesday"),
            ("2008-11-07", 14_190, "Friday"),
            ("1969-12-31", -1, "Wednesday"),
        ] {
            let day = Day::parse(text).expect(text);
            assert_eq!((day.0, WEEKDAYS[day.weekday()]), (days, weekday));
            assert_eq!(day.iso(), text);
        }
    }

    #[test]
    fn minutes_before_1970_and_beyond_the_calendar() {
        assert_eq!(Moment::from_minutes(-1), Moment { day: Day(-1), hour: 23, minute: 59 });
        assert_eq!(Moment::from_minutes(i64::MAX).day.iso(), "9999-12-31");
        assert_eq!(Moment::from_minutes(i64::MIN).day.iso(), "0001-01-01");
    }

    #[test]
    fn every_day_of_nine_centuries_follows_the_one_before() {
        let mut expected = Day::new(1600, 1, 1).expect("a date");
        for year in 1600..2500 {
            for month in 1..=12 {
                for day in 1..=month_length(year, month) {
                    assert_eq!(Day::new(year, month, day), Some(expected));
                    assert_eq!(expected.civil(), Civil { year, month, day });
                    expected.0 += 1;
                }
            }
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for text in [
            "2008-02-30",
            "1900-02-29",
            "2008-13-01",
            "2008-00-01",
            "2008-1-01",
            "2008/10/22",
            "",
            "0000-01-01",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        assert_eq!((Moment::new(Day(0), 24, 0), Moment::new(Day(0), 0, 60)), (None, None));
    }

    #[test]
    fn formats() {
        let day = Day::parse("2008-11-07").expect("a date");
        let moment = Moment::new(day, 15, 15).expect("a time");
        assert_eq!(Moment::from_minutes(moment.minutes()), moment);
        assert_eq!(shown(moment), "03:15 PM - Friday 11/07/2008");
        assert_eq!(shown(moment.day), "11/07/2008");
        assert_eq!(shown(Moment { hour: 0, ..moment }), "12:15 AM - Friday 11/07/2008");
        assert_eq!(shown(Moment { hour: 12, ..moment }), "12:15 PM - Friday 11/07/2008");
        let mut page = Html::default();
        moment.day.show_rfc822(15, 15, &mut page);
        assert_eq!(page.as_bytes(), b"Fri, 07 Nov 2008 15:15:00 GMT");
    }
}
