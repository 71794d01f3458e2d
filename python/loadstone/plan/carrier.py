"""Tiers and what one node of them carries, as tables of a file."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from loadstone.scenario.fields import Positive, Table, refuse

MOST_TIERS = 8
"""The search for the smallest plan looks at all tiers at once."""

_NAME = re.compile(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        hint = "names are 1 to 32 lower-case letters, digits and `-`, beginning with a letter"
        raise refuse("bad-name", f"`{value}` is not a name", hint)
    return value


def few(tiers: dict[str, Any]) -> dict[str, Any]:
    """Refuses no tier at all, and more than `MOST_TIERS`."""
    if not 1 <= len(tiers) <= MOST_TIERS:
        raise refuse("out-of-range", f"there are {len(tiers)} tiers, expected 1 to {MOST_TIERS}")
    return tiers


TierName = Annotated[str, AfterValidator(_name)]
Amount = Annotated[Positive, Field(ge=1e-9, lt=1e15)]


class Capacity(Table):
    """What one node carries: users, or requests a second, or at most what its CPU leaves room for. Typed, or
    `from` the folder of a study of balancers.
    """

    from_: Annotated[str | None, Field(alias="from")] = None
    variant: str | None = None
    users: Amount | None = None
    requests_per_s: Amount | None = None
    cpu_us_per_request: Amount | None = None
    cores: Amount | None = None
    low: Amount | None = None
    high: Amount | None = None


class Demand(Table):
    """What one user asks of the tier."""

    requests_per_s_per_user: Amount | None = None
    from_: Annotated[str | None, Field(alias="from")] = None


class Carrier(Table):
    """What one node of a tier carries: `from` a folder in users, or a capacity and the demand on it."""

    from_: Annotated[str | None, Field(alias="from", description="run folder, from the file's own")] = None
    capacity: Capacity | None = None
    demand: Demand | None = None
    scales: Annotated[bool, Field(description="whether a second node carries more")] = True
