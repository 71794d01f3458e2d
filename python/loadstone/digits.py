"""Numbers for people to read."""

from __future__ import annotations

import math


def digits(value: float, significant: int = 3) -> str:
    """So many significant digits, or all before the point where there are more; never an exponent.

    >>> digits(0.04217), digits(19.12), digits(6812.4), digits(0.0)
    ('0.0422', '19.1', '6,812', '0')
    >>> digits(99.7, 2), digits(0.517, 2)
    ('100', '0.52')
    """
    if not value or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:,.{max(0, significant - 1 - math.floor(math.log10(abs(value))))}f}"
