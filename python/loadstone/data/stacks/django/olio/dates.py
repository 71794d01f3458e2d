"""Days and times in the site's own formats. Days count from 1970-01-01, times are minutes since then."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

EPOCH = date(1970, 1, 1).toordinal()
LAST = date.max.toordinal() - EPOCH
"""9999-12-31."""

_SUNDAY_FIRST = calendar.Calendar(calendar.SUNDAY)
_ISO = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def day_of(number: int) -> date:
    """The date of a day's number."""
    return date.fromordinal(min(max(number + EPOCH, 1), date.max.toordinal()))


def number_of(day: date) -> int:
    """The number of a date."""
    return day.toordinal() - EPOCH


def parse(text: str) -> date | None:
    """Reads `2008-10-22`; `None` for what is no date."""
    try:
        return date.fromisoformat(text) if _ISO.fullmatch(text) else None
    except ValueError:
        return None


def show_day(day: date) -> str:
    """`10/22/2008`."""
    return f"{day.month:02}/{day.day:02}/{day.year}"


def show_moment(minutes: int) -> str:
    """`03:15 PM - Friday 11/07/2008`."""
    number, minute = divmod(minutes, 1440)
    hour, minute = divmod(minute, 60)
    day = day_of(number)
    half = "AM" if hour < 12 else "PM"
    return (
        f"{(hour + 11) % 12 + 1:02}:{minute:02} {half} - {calendar.day_name[day.weekday()]} {show_day(day)}"
    )


def show_rfc822(day: date) -> str:
    """Midnight of a day as RSS wants it: `Wed, 22 Oct 2008 00:00:00 GMT`."""
    weekday, month = calendar.day_abbr[day.weekday()], calendar.month_abbr[day.month]
    return f"{weekday}, {day.day:02} {month} {day.year} 00:00:00 GMT"


@dataclass(frozen=True)
class Month:
    """A month of the calendar."""

    year: int
    month: int

    @classmethod
    def of(cls, number: int) -> Month:
        """The month of a day's number."""
        day = day_of(number)
        return cls(day.year, day.month)

    @classmethod
    def new(cls, year: int | None, month: int | None) -> Month | None:
        """`None` when there is no such month."""
        in_calendar = year is not None and month is not None and 1 <= year <= 9999 and 1 <= month <= 12
        return cls(year, month) if in_calendar else None

    @property
    def name(self) -> str:
        """Its English name."""
        return calendar.month_name[self.month]

    @property
    def short_name(self) -> str:
        """Three letters of it."""
        return calendar.month_abbr[self.month]

    @property
    def before(self) -> Month | None:
        """The month before, except before the first."""
        return Month.new(self.year - 1, 12) if self.month == 1 else Month(self.year, self.month - 1)

    @property
    def after(self) -> Month | None:
        """The month after, except after the last."""
        return Month.new(self.year + 1, 1) if self.month == 12 else Month(self.year, self.month + 1)

    @property
    def weeks(self) -> list[list[date | None]]:
        """Its days by weeks from Sunday, `None` beside them."""
        weeks = _SUNDAY_FIRST.monthdayscalendar(self.year, self.month)
        return [[date(self.year, self.month, day) if day else None for day in week] for week in weeks]
