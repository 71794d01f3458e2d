"""The moments that logs write, as seconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_EARLIEST, _LATEST = 1e8, 1e10
"""Seconds: 1973 to 2286. Larger numbers are milli-, micro- or nanoseconds."""
_MOST_HOURS = 10_000

_hours: dict[str, float] = {}
"""Seconds of the hours met, by their text: a log has few, and each line needs one."""


def moment(text: str) -> float:
    """Seconds since 1970 of what a log says. ValueError when that is no time.

    >>> moment("25/Nov/2026:23:47:19 +0100"), moment("2026-11-25T22:47:19.5Z"), moment("1795646839500")
    (1795646839.0, 1795646839.5, 1795646839.5)
    """
    if text[2:3] == "/":
        hour = text[:14] + text[20:]
        start = _hours.get(hour)
        if start is None:
            if len(_hours) > _MOST_HOURS:
                _hours.clear()
            start = _hours[hour] = _hour(text)
        return start + 60 * int(text[15:17]) + int(text[18:20])
    if text[4:5] == "-":
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    value = float(text)
    for scale in (1, 1e3, 1e6, 1e9):
        if _EARLIEST < value / scale < _LATEST:
            return value / scale
    raise ValueError("no time")


def _hour(text: str) -> float:
    """Of `25/Nov/2026:23` with the zone at the end."""
    zone = text[20:].strip() or "+0000"
    sign = -1 if zone[0] == "-" else 1
    away = timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5])))
    month = _MONTHS[text[3:6]] if text[3:6] in _MONTHS else int("no month")
    found = datetime(int(text[7:11]), month, int(text[:2]), int(text[12:14]), tzinfo=away).timestamp()
    if found <= 0:
        raise ValueError("no time")
    return found
