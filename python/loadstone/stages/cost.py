"""`cost.json`: what the machines cost, and each user of theirs (docs/reference/cost.md)."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from loadstone.intake.shapes import Known, Text, Word, Yes
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
    tiers: Word | None = None
    sla: Word | None = None
    target: Word | None = None


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
    transfer: Yes = False
    usd_per_month: ByMonths


class PerUser(Piece):
    """What one user costs at one SLA."""

    users: Known = None
    usd_per_month: ByMonths
    usd_per_month_interval: EndsByMonths | None = None
    usd_per_month_with_egress: ByMonths | None = None
    """None where the traffic or its price is not known."""
    usd_per_month_with_egress_interval: EndsByMonths | None = None


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


def _by_months(table: Any, sla: str) -> Any:
    """One SLA's part, without the number of users that stood among the months."""
    found = table.get(sla) if isinstance(table, dict) else table
    return {key: usd for key, usd in found.items() if key != "users"} if isinstance(found, dict) else found


class Cost(Origin):
    """The whole record."""

    FILE: ClassVar[str] = "cost.json"
    KIND: ClassVar[str] = "cost"
    FORMAT: ClassVar[int] = 2
    BEFORE: ClassVar[Any] = {1: _from_format_1}

    inputs: Inputs = Field(default_factory=Inputs)
    withheld: dict[str, Text] = Field(default_factory=dict)
    """By SLA without figures, why there are none and what to do."""
    anyway: list[Text] = Field(default_factory=list)
    """Why the figures would have been withheld, had `--anyway` not been given. Empty: they would not."""
    lines: list[Line]
    per_user: dict[str, PerUser]
    """By SLA."""
    plan: Nodes | None = None
    """Of a service in tiers: its plan, with dollars."""

    def total(self, sla: str, *, traffic: bool) -> ByMonths:
        """Dollars a month of all lines of the bill at one SLA, with those of the traffic or without."""
        lines = [line for line in self.lines if line.sla in (None, sla) and (traffic or not line.transfer)]
        sums = {months: 0.0 for months in ("1", "12", "36")}
        for line in lines:
            for months, usd in line.usd_per_month.named().items():
                sums[months] += usd
        return ByMonths.model_validate(sums)
