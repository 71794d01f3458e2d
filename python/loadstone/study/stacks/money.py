"""Dollars a user and month of a configuration, at today's prices and at the paper's. Pure."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from loadstone.cost.bill import HORIZONS
from loadstone.cost.plan import Case, Machines, Month, Traffic, bill
from loadstone.cost.row import PriceRow
from loadstone.study.stacks.description import WHEN, Configuration, Description
from loadstone.study.stacks.hosts import ELSEWHERE

Json = dict[str, Any]

ENDS = ("value", "cheap", "dear")
"""Of an interval: more users on the same machines are the cheap end."""


def whole(one: Configuration, file: Description, when: str) -> Fraction:
    """How many times the processor of a measured host a machine of the price book has.

    It carries as many times the users, if a host carries in proportion to its processor: an assumption.
    """
    row = file.book(when).machine(getattr(file.machine["compute"], when))
    return Fraction(row.vcpu or 0) / Fraction(repr(file.cpus(one, "compute")))


def dollars(one: Configuration, file: Description, held: Json, *, decided: bool) -> Json:
    """By price book: the machines with their prices, and dollars by end, months, without and with egress.

    An end that is not known is None, and so is the value of a search that did not find its answer.
    """
    users = {"value": held["users"] if decided else None, "cheap": held["high"], "dear": held["low"]}
    return {
        when: {
            "machines": [row.label() for row, _ in _machines(one, file, when)],
            **{end: _per_user(one, file, when, users[end], held) for end in ENDS},
        }
        for when in WHEN
    }


def _machines(one: Configuration, file: Description, when: str) -> list[tuple[PriceRow, int]]:
    book = file.book(when)
    counts = [(one.machine, one.servers), ("compute", 1)]
    # A cache or a balancer on a host of its own is a machine more.
    if one.store == ELSEWHERE:
        counts.append(("compute", 1))
    if one.front:
        counts.append((one.front, 1))
    return [(book.machine(getattr(file.machine[name], when)), count) for name, count in counts]


def _per_user(
    one: Configuration, file: Description, when: str, users: float | None, held: Json
) -> Json | None:
    if not users:
        return None
    times = whole(one, file, when)
    scaled = Decimal(repr(users)) * Decimal(times.numerator) / times.denominator
    machines = tuple(Machines(row, count, count) for row, count in _machines(one, file, when))
    month = Month(hours=Decimal(repr(file.prices.hours_per_month)))
    found = bill(Case(scaled, machines, _traffic(held)), file.book(when), month)
    return {
        "without_egress": _by_months(found.without_egress.value),
        "with_egress": _by_months(found.with_egress.value) if found.with_egress else None,
    }


def _by_months(amounts: dict[int, Decimal]) -> dict[str, float]:
    return {str(months): round(float(amounts[months]), 6) for months in HORIZONS}


def _traffic(held: Json) -> Traffic:
    """Bytes a second of one user, at the most users that held; what the generator received is egress."""
    rate, users = held["ops_per_s"], held["users"]
    if not rate or not users:
        return Traffic(None, None)

    def per_user(bytes_per_op: float | None) -> Decimal | None:
        return None if bytes_per_op is None else Decimal(repr(bytes_per_op * rate / users))

    return Traffic(per_user(held["bytes_in_per_op"]), per_user(held["bytes_out_per_op"]))
