"""Numbers as people read them. None, an unknown figure, is a dash and never 0."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

from loadstone.digits import digits

UNKNOWN = "–"

Form = Callable[[Any], str]


def known(form: Form) -> Form:
    """`form`, with a dash for None."""

    @functools.wraps(form)
    def formed(value: Any) -> str:
        return UNKNOWN if value is None else form(value)

    return formed


@known
def text(value: object) -> str:
    """As it is.

    >>> text("HomePage"), text(None)
    ('HomePage', '–')
    """
    return str(value)


@known
def whole(value: float) -> str:
    """A count.

    >>> whole(1250)
    '1,250'
    """
    return f"{value:,.0f}"


@known
def figure(value: float) -> str:
    """Three significant digits, and all of a whole part.

    >>> figure(0.04217), figure(0.005), figure(4.966), figure(40.13), figure(1234.5), figure(0)
    ('0.0422', '0.005', '4.97', '40.1', '1,234', '0')
    """
    told = digits(value)
    return told.rstrip("0") if 0 < abs(value) < 0.1 else told


@known
def brief(value: float) -> str:
    """A number as somebody typed it.

    >>> brief(1.0), brief(0.25)
    ('1', '0.25')
    """
    return f"{value:g}"


@known
def share(value: float) -> str:
    """A share as percent. What is not all never reads 100 %, what is not nothing never 0 %.

    >>> share(1), share(0.9), share(0.97312), share(0.99996), share(0.9999952), share(0.00003)
    ('100 %', '90 %', '97.3 %', '99.996 %', '99.99952 %', '0.003 %')
    """
    percent = value * 100
    gap = min(percent, 100 - percent)
    if gap <= 0:
        return f"{percent:.0f} %"
    digits = max(1, 1 - math.floor(math.log10(gap)))
    cut = math.floor(percent * 10**digits + 1e-6) / 10**digits if percent > 50 else percent
    return f"{cut:.{digits}f}".rstrip("0").rstrip(".") + " %"


@known
def dollars(value: float) -> str:
    """Two decimals; small amounts as many as show three digits, at least three.

    >>> dollars(2.304), dollars(0.12), dollars(0.01234), dollars(1152), dollars(36.6)
    ('$2.304', '$0.120', '$0.0123', '$1,152.00', '$36.60')
    """
    if value == 0 or abs(value) >= 10:
        return f"${value:,.2f}"
    return f"${value:,.{max(3, 2 - math.floor(math.log10(abs(value))))}f}"


@known
def size(value: float) -> str:
    """Bytes, in powers of 1024.

    >>> size(512), size(15_360), size(8_244_322_304)
    ('512 B', '15.0 KiB', '7.68 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024:
            return f"{figure(value) if unit != 'B' else whole(value)} {unit}"
        value /= 1024
    return f"{figure(value)} TiB"


@known
def seconds(value: float) -> str:
    """A length of time.

    >>> seconds(300), seconds(0.5), seconds(9000), seconds(18_934_560)
    ('5 min', '0.5 s', '2.5 h', '219 days')
    """
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if value >= 2 * length or (value == length and unit != "days"):
            return f"{value / length:.3g} {unit}"
    return f"{value:.3g} s"


@known
def downtime(value: float) -> str:
    """Seconds down a year, however few.

    >>> downtime(0.0004), downtime(31.4), downtime(7200)
    ('0.4 ms', '31.4 s', '2 h')
    """
    return f"{value * 1000:.3g} ms" if 0 < value < 0.01 else seconds(value)


@known
def moment(value: str) -> str:
    """An ISO 8601 date and time.

    >>> moment("2026-11-21T06:00:00+00:00"), moment("lately")
    ('21 November 2026, 06:00 UTC', 'lately')
    """
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return value
    zone = at.strftime("%Z").replace("UTC+00:00", "UTC")
    return f"{at.day} {at:%B %Y, %H:%M} {zone}".rstrip()


@known
def yes(value: bool) -> str:
    """yes or no."""
    return "yes" if value else "no"
