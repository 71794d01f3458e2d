"""The load over a day: hours at which share of the most users."""

from __future__ import annotations

import re
from decimal import Decimal

from loadstone.errors import LoadstoneError

Profile = tuple[tuple[Decimal, Decimal], ...]
"""Parts of the time, and the load in each as a share of the most."""

_PART = re.compile(r"([0-9]{1,2}(?:\.[0-9]{1,4})?)h?:([0-9]{1,2}(?:\.[0-9]{1,6})?)")
_DAY_H = 24


def parse_profile(text: str) -> Profile:
    """`10h:1,14h:0.3`: ten hours of a day at the most users, fourteen at 30 % of them. Raises `cost-input`.

    >>> parse_profile("12h:1,12h:0.5")
    ((Decimal('0.5'), Decimal('1')), (Decimal('0.5'), Decimal('0.5')))
    """
    parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
    found = [(Decimal(part[1]), Decimal(part[2])) for part in parts if part]
    if len(found) != len(parts):
        raise _wrong(f"`{text[:60]}` is not a profile")
    if sum(hours for hours, _ in found) != _DAY_H:
        raise _wrong(f"its hours add up to {sum(hours for hours, _ in found)}, expected {_DAY_H}")
    if any(load > 1 for _, load in found) or not any(load for _, load in found):
        raise _wrong("its loads must be shares of the most users, from 0 to 1, and not all 0")
    return tuple((hours / _DAY_H, load) for hours, load in found)


def mean_load(profile: Profile) -> Decimal:
    """The mean of the load over the day, as a share of the most.

    >>> mean_load(parse_profile("12h:1,12h:0.5"))
    Decimal('0.75')
    """
    return sum((share * load for share, load in profile), Decimal(0))


def _wrong(message: str) -> LoadstoneError:
    hint = "write hours of a day and the load then, such as `10h:1,14h:0.3`"
    return LoadstoneError("cost-input", message, place="--profile", hint=hint)
