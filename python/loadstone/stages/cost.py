"""`cost.json`: what the machines cost, and each user of theirs (docs/reference/cost.md)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from loadstone.intake.shapes import Count, Figure, Known, Text, Word, Yes
from loadstone.stages.base import Json, Piece, spelled
from loadstone.stages.dollars import ByMonths, EndsByMonths
from loadstone.stages.nodes import Nodes
from loadstone.stages.origin import Origin


class Inputs(Piece):
    """What was asked for: the command's options."""

    folder: Word | None = spelled("from")
    book: Word | None = None
    prices: list[Word] = Field(default_factory=list)
    region: Word | None = None
    instance: list[Word] | None = None
    hours_per_month: Known = None
    duty: Known = None
    """Mean load as a share of the most."""
    profile: Word | None = None
    """The load over a day, as it was typed."""
    tiers: Word | None = None
    sla: Word | None = None
    target: Word | None = None


class Committed(Piece):
    """The price that is paid instead, by those who commit to a term."""

    price_usd: Known
    row: Word
    as_of: Word
    source: Word


class Line(Piece):
    """A line of the bill."""

    what: Word
    sla: Word | None = None
    """None where the line is the same at all SLAs."""
    quantity: Known
    unit: Word
    price_usd: Known
    """Of one unit."""
    row: Word
    """Of the price book."""
    as_of: Word | None = None
    """The row's date."""
    source: Word | None = None
    """The row's source: a key of `sources`, where the book explains it."""
    transfer: Yes = False
    committed: dict[str, Committed] = Field(default_factory=dict)
    """By months of operation over which it pays to commit."""
    usd_per_month: ByMonths


class Total(Piece):
    """What all users of one SLA cost together."""

    users: Known = None
    usd_per_month: ByMonths
    usd_per_month_interval: EndsByMonths | None = None
    usd_per_month_with_egress: ByMonths | None = None
    """None where the traffic or its price is not known."""
    usd_per_month_with_egress_interval: EndsByMonths | None = None


class PerUser(Piece):
    """What one user costs at one SLA."""

    users: Known = None
    usd_per_month: ByMonths
    usd_per_month_interval: EndsByMonths | None = None
    usd_per_month_with_egress: ByMonths | None = None
    """None where the traffic or its price is not known."""
    usd_per_month_with_egress_interval: EndsByMonths | None = None


class Elastic(Piece):
    """What servers that came and went saved, beside as many that stay. Dollars are of all machines, without
    traffic.
    """

    service: Word
    policy: Word
    most: Count
    """Servers."""
    mean: Figure
    """Servers that were paid."""
    windows: Count
    broken: dict[str, Count]
    """Windows in which an SLA was broken."""
    usd_per_month: ByMonths
    usd_per_month_fixed: ByMonths
    """With `most` servers all the time."""
    usd_saved_per_month: ByMonths


def _from_format_1(old: Json) -> Json:
    """Four tables by SLA, whose names had no unit, became one with a part for each SLA."""
    if not isinstance(old.get("per_user"), dict):
        return old
    of = ("", "_interval", "_with_egress", "_with_egress_interval")
    tables = {key: old.pop(f"per_user{key}", None) for key in of}
    per_user = {
        sla: {
            "users": each.get("users") if isinstance(each, dict) else None,
            **{f"usd_per_month{key}": _by_months(table, sla) for key, table in tables.items()},
        }
        for sla, each in tables[""].items()
    }
    return old | {"per_user": per_user}


def _from_format_2(old: Json) -> Json:
    """There were no totals, and no committed prices; they are the sums of the lines."""
    lines, per_user = old.get("lines"), old.get("per_user")
    if not isinstance(lines, list) or not isinstance(per_user, dict):
        return old
    try:
        totals = {sla: _total(sla, each, lines) for sla, each in per_user.items()}
    except (KeyError, TypeError, AttributeError):
        return old
    return old | {"total": totals}


def _total(sla: str, each: Json, lines: list[Json]) -> Json:
    """Raises `KeyError`, `TypeError`, `AttributeError` for a record that is not one."""
    own = [line for line in lines if line.get("sla") in (None, sla)]
    machines, everything = [line for line in own if not line.get("transfer")], own
    known = each.get("usd_per_month_with_egress") is not None
    return {
        "users": each.get("users"),
        "usd_per_month": _summed(machines),
        "usd_per_month_with_egress": _summed(everything) if known else None,
    }


def _summed(lines: list[Json]) -> Json:
    return {
        months: round(sum(line["usd_per_month"][months] for line in lines), 6) for months in ("1", "12", "36")
    }


def _by_months(table: Any, sla: str) -> Any:
    """One SLA's part, without the number of users that stood among the months."""
    found = table.get(sla) if isinstance(table, dict) else table
    return {key: usd for key, usd in found.items() if key != "users"} if isinstance(found, dict) else found


class Cost(Origin):
    """The whole record."""

    FILE: ClassVar[str] = "cost.json"
    KIND: ClassVar[str] = "cost"
    FORMAT: ClassVar[int] = 3
    BEFORE: ClassVar[Any] = {1: _from_format_1, 2: _from_format_2}

    inputs: Inputs = Field(default_factory=Inputs)
    withheld: dict[str, Text] = Field(default_factory=dict)
    """By SLA without figures, why there are none and what to do."""
    anyway: list[Text] = Field(default_factory=list)
    """Why the figures would have been withheld, had `--anyway` not been given. Empty: they would not."""
    lines: list[Line]
    total: dict[str, Total] = Field(default_factory=dict)
    """By SLA."""
    per_user: dict[str, PerUser]
    """By SLA."""
    sources: dict[str, Text] = Field(default_factory=dict)
    """What the keys of the rows' sources stand for."""
    plan: Nodes | None = None
    """Of a service in tiers: its plan, with dollars."""
    elastic: Elastic | None = None
    """Of a run whose servers came and went."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """Raises `ValueError` when an SLA has dollars per user and no total."""
        for sla in self.per_user:
            if sla not in self.total:
                raise ValueError(f"`total` has no {sla}")
        return self
