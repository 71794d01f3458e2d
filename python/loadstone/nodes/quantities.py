"""Durations, rates and availability targets, as people type them.

Seconds and events per second inside; `1h`, `1/183d`, `five nines` outside.
"""

from __future__ import annotations

import re
from fractions import Fraction

from loadstone.errors import LoadstoneError

YEAR = "year"
UNIT_SECONDS: dict[str, Fraction] = {
    "us": Fraction(1, 1_000_000),
    "µs": Fraction(1, 1_000_000),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86_400),
    "week": Fraction(7 * 86_400),
    "month": Fraction(30 * 86_400),
}
"""Exact seconds per unit. A month has 30 days; a year is a parameter, since the answer depends on it."""

UNIT_NAMES = {
    "second": "s", "seconds": "s", "sec": "s", "minute": "min", "minutes": "min", "m": "min",
    "hour": "h", "hours": "h", "day": "d", "days": "d", "w": "week", "weeks": "week",
    "months": "month", "y": YEAR, "yr": YEAR, "years": YEAR,
}  # fmt: skip

DEFAULT_YEAR_S = Fraction(36_525, 100) * 86_400

# Beyond these, exact shares of a year grow to thousands of digits.
_SHORTEST_S, _LONGEST_S = Fraction(1, 10**12), Fraction(10**15)
_MOST_PER_S = Fraction(10**12)

_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,15})?(?:e[+-]?[0-9]{1,2})?"
_DURATION = re.compile(rf"({_NUMBER})?\s*([a-zµ]+)")
_RATE = re.compile(rf"({_NUMBER})\s*/\s*(.+)")
_NINES = re.compile(r"([a-z]+|[0-9]{1,2})\s*[- ]?\s*nines?")
_NINE_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def parse_duration(text: str, year_s: Fraction = DEFAULT_YEAR_S, *, place: str | None = None) -> Fraction:
    """Exact seconds of `15s`, `1.5 h`, `365.25d`, `2 years`; the number may be left out (`day` is one day).

    Raises `duration` when the text is not a positive length of time.

    >>> parse_duration("1.5h")
    Fraction(5400, 1)
    """
    cleaned = text.strip().lower().replace("μ", "µ")
    match = _DURATION.fullmatch(cleaned)
    unit = UNIT_NAMES.get(match[2], match[2]) if match else ""
    if match is None or (unit != YEAR and unit not in UNIT_SECONDS):
        raise LoadstoneError(
            "duration", f"`{text}` is not a length of time", place=place,
            hint="write a number and a unit (us, ms, s, min, h, d, week, month, year), such as `15s` or `1h`",
        )  # fmt: skip
    length = Fraction(match[1] or 1) * (year_s if unit == YEAR else UNIT_SECONDS[unit])
    if length <= 0:
        raise LoadstoneError("duration", f"`{text}` is not longer than zero", place=place)
    if not _SHORTEST_S <= length <= _LONGEST_S:
        raise LoadstoneError(
            "duration", f"`{text}` is not between a picosecond and 30 million years", place=place
        )
    return length


def parse_rate(text: str, year_s: Fraction = DEFAULT_YEAR_S, *, place: str | None = None) -> Fraction:
    """Exact events per second of `1/year`, `6/year`, `1/183d`, `0.9 / day`.

    Raises `rate` when the text is not a positive count over a length of time.

    >>> parse_rate("2/d") * 86_400
    Fraction(2, 1)
    """
    hint = "write events over a length of time, such as `1/year`, `1/183d` or `0.9/day`"
    match = _RATE.fullmatch(text.strip().lower())
    if match is None:
        raise LoadstoneError("rate", f"`{text}` is not a rate", place=place, hint=hint)
    count = Fraction(match[1])
    if count <= 0:
        raise LoadstoneError("rate", f"`{text}` is not above zero", place=place, hint=hint)
    try:
        rate = count / parse_duration(match[2], year_s)
    except LoadstoneError as error:
        raise LoadstoneError("rate", f"`{text}` is not a rate", place=place, hint=hint) from error
    if not 1 / _LONGEST_S <= rate <= _MOST_PER_S:
        message = f"`{text}` is not between once in 30 million years and {float(_MOST_PER_S):g} a second"
        raise LoadstoneError("rate", message, place=place, hint=hint)
    return rate


def parse_target(text: str, *, place: str | None = None) -> Fraction:
    """The exact share of time of `0.99999`, `99.9 %`, `five nines`, `5 nines`; strictly between 0 and 1.

    Exact, because 1 - 0.99999 in floating point is already wrong in the eleventh digit. Raises `target`.

    >>> parse_target("three nines")
    Fraction(999, 1000)
    """
    cleaned = text.strip().lower()
    nines = _NINES.fullmatch(cleaned)
    number = re.fullmatch(rf"({_NUMBER})\s*(%)?", cleaned)
    value: Fraction | None = None
    if nines and nines[1] in _NINE_WORDS:
        value = 1 - Fraction(1, 10 ** (_NINE_WORDS.index(nines[1]) + 1))
    elif nines and nines[1].isdigit():
        value = 1 - Fraction(1, 10 ** int(nines[1]))
    elif number:
        value = Fraction(number[1]) / (100 if number[2] else 1)
    if value is None or not 0 < value < 1:
        raise LoadstoneError(
            "target", f"`{text}` is not an availability between 0 and 1", place=place,
            hint="write a share such as `0.99999`, `99.999 %` or `five nines`",
        )  # fmt: skip
    return value


def type_duration(seconds: Fraction) -> str:
    """A length of time as a file may have it, exactly where a whole number of a unit is it.

    >>> type_duration(Fraction(90)), type_duration(Fraction(86_400)), type_duration(Fraction(1, 4))
    ('90s', '1d', '250ms')
    """
    for unit in ("d", "h", "min", "s", "ms", "us"):
        count = seconds / UNIT_SECONDS[unit]
        if count.denominator == 1:
            return f"{count}{unit}"
    return f"{float(seconds):.10g}s"


def spell_duration(seconds: float) -> str:
    """A length of time for people, three significant digits: `26.3 s`, `8.77 h`, `5.26 min`.

    >>> spell_duration(31_557.6)
    '8.77 h'
    """
    for unit, size in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def spell_availability(downtime_s: float, period_s: float) -> str:
    """The share up with as many digits as its nines need, never rounded up to 1.

    >>> spell_availability(31.5576, 31_557_600.0)
    '0.99999900'
    """
    down = downtime_s / period_s
    digits = 4
    while digits < 15 and down < 10.0 ** -(digits - 2):
        digits += 1
    return f"{1.0 - down:.{digits}f}" if down > 0.5e-15 else "1 - " + f"{down:.2g}"
