"""The tiers file, table by table. Every key, default and limit of the format stands here."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from loadstone.availability.deployments import ARA_CLOUD
from loadstone.errors import LoadstoneError
from loadstone.nodes.choices import parse_deployments
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.scenario.fields import Positive, Table, refuse

MOST_TIERS = 8
"""The search for the smallest plan looks at all tiers at once."""

_NAME = re.compile(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        hint = "names are 1 to 32 lower-case letters, digits and `-`, beginning with a letter"
        raise refuse("bad-name", f"`{value}` is not a name", hint)
    return value


def _rate(value: str) -> str:
    return _parsed(value, parse_rate)


def _length(value: str) -> str:
    return _parsed(value, parse_duration)


def _length_or_none(value: str) -> str:
    return value if value == "none" else _length(value)


def _deployment(value: str) -> str:
    try:
        return parse_deployments([value])[0]
    except LoadstoneError as error:
        raise refuse(error.slug, error.message, error.hint or "") from error


def _parsed(value: str, parse: Any) -> str:
    """The text as it was typed: what it comes to depends on the length of the year."""
    try:
        parse(value)
    except LoadstoneError as error:
        raise refuse(error.slug, error.message, error.hint or "") from error
    return value


def few(tiers: dict[str, Any]) -> dict[str, Any]:
    """Refuses no tier at all, and more than `MOST_TIERS`."""
    if not 1 <= len(tiers) <= MOST_TIERS:
        raise refuse("out-of-range", f"there are {len(tiers)} tiers, expected 1 to {MOST_TIERS}")
    return tiers


TierName = Annotated[str, AfterValidator(_name)]
Rate = Annotated[str, AfterValidator(_rate)]
Length = Annotated[str, AfterValidator(_length)]
LengthOrNone = Annotated[str, AfterValidator(_length_or_none)]
Deployment = Annotated[str, AfterValidator(_deployment)]
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


class Tier(Carrier):
    """One tier; an absent rate or deployment is the file's."""

    crash_rate: Rate | None = None
    failover: Length | None = None
    repair: LengthOrNone | None = None
    deployment: Deployment | None = None
    instance: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class TiersFile(Table):
    """The whole file; tiers in the order in which a request passes them."""

    format: int
    year: Length = "365.25d"
    crash_rate: Rate = "1/year"
    failover: Length = "15s"
    repair: LengthOrNone = "1h"
    deployment: Deployment = ARA_CLOUD
    tier: Annotated[dict[TierName, Tier], AfterValidator(few)]


TABLES: dict[tuple[str, ...], type[Table]] = {
    (): TiersFile,
    ("tier", "*"): Tier,
    ("tier", "*", "capacity"): Capacity,
    ("tier", "*", "demand"): Demand,
}
"""Models by path; `*` is a tier's name."""
