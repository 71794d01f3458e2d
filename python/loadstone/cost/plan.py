"""Dollars per user per month at each SLA, from machines, users and traffic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from loadstone.cost.bill import HORIZONS, Dollars, Line, owned, rented, total, transferred
from loadstone.cost.book import PriceBook
from loadstone.cost.row import PriceRow


@dataclass(frozen=True)
class Machines:
    """`count` machines of one price row, `powered` of them on (cold spares are not), for a `tier` or none;
    `images` on each when they are appliances.
    """

    row: PriceRow
    count: int
    powered: int
    tier: str = ""
    images: int = 0
    needed: int | None = None
    """Those that the load needs, which follow it; the others are spares and always on. None: all are always
    on."""
    ran: tuple[tuple[int, Decimal], ...] = ()
    """How many of those needed ran for which share of the time, where that was measured."""


@dataclass(frozen=True)
class Traffic:
    """Mean bytes a second that one user causes: from the service (egress), to it (ingress); None: not
    known.
    """

    egress: Decimal | None
    ingress: Decimal | None


@dataclass(frozen=True)
class Case:
    """What serves how many users at one SLA.

    `cheap` and `dear` are the same at the two ends of the capacity's interval: more users on the same
    machines, or fewer machines for the same users; None: not known.
    """

    users: Decimal
    machines: tuple[Machines, ...]
    traffic: Traffic
    cheap: Case | None = None
    dear: Case | None = None


@dataclass(frozen=True)
class Month:
    """Hours billed a month, and the mean load as a share of the load served at most.

    `profile` has parts of the day: a share of the time, and the load then as a share of the most.
    """

    hours: Decimal = Decimal(720)
    duty: Decimal = Decimal(1)
    profile: tuple[tuple[Decimal, Decimal], ...] = ()


@dataclass(frozen=True)
class Spread:
    """Dollars a month by horizon, (cheap, value, dear); an end that is not known is None."""

    value: Dollars
    cheap: Dollars | None
    dear: Dollars | None


@dataclass(frozen=True)
class PerUser(Spread):
    """The same for each of so many users."""

    users: Decimal


@dataclass(frozen=True)
class Bill:
    """The answer at one SLA. What has egress is None when the traffic or its price is not known."""

    lines: tuple[Line, ...]
    total_without_egress: Spread
    total_with_egress: Spread | None
    without_egress: PerUser
    with_egress: PerUser | None
    warnings: tuple[str, ...]


def bill(case: Case, book: PriceBook, month: Month) -> Bill:
    """Prices one case, and its interval. Raises `price-book` and `cost-input`."""
    lines, warnings = _lines(case, book, month)
    priced = any(line.transfer and line.row.kind == "egress" for line in lines)
    machines, both = (_spread(case, book, month, with_transfer=traffic) for traffic in (False, True))
    return Bill(
        tuple(lines),
        machines,
        both if priced else None,
        _per_user(case, machines),
        _per_user(case, both) if priced else None,
        tuple(warnings),
    )


def _spread(case: Case, book: PriceBook, month: Month, *, with_transfer: bool) -> Spread:
    value, cheap, dear = (
        total(_lines(end, book, month)[0], with_transfer) if end else None
        for end in (case, case.cheap, case.dear)
    )
    assert value is not None
    return Spread(value, cheap, dear)


def _per_user(case: Case, spent: Spread) -> PerUser:
    value, cheap, dear = (
        {months: usd[months] / end.users for months in HORIZONS} if usd and end else None
        for usd, end in ((spent.value, case), (spent.cheap, case.cheap), (spent.dear, case.dear))
    )
    assert value is not None
    return PerUser(value, cheap, dear, case.users)


def _lines(case: Case, book: PriceBook, month: Month) -> tuple[list[Line], list[str]]:
    lines: list[Line] = []
    for machines in case.machines:
        lines += _machine_lines(machines, book, month)
    warnings = []
    seconds = month.hours * 3600 * month.duty
    for kind, bytes_per_s in (("egress", case.traffic.egress), ("ingress", case.traffic.ingress)):
        rows = _beside(book.of_kind(kind), case.machines[0].row)
        if bytes_per_s is not None and rows:
            lines += transferred(rows, bytes_per_s * case.users * seconds, kind)
        elif bytes_per_s is not None:
            warnings.append(f"{kind} is not included: the price book has no price for it")
        elif any(row.price_usd for row in rows):
            warnings.append(f"{kind} is not included: the bytes per operation were not measured")
    return [*lines, *_balanced(case, book, seconds)], warnings


def _balanced(case: Case, book: PriceBook, seconds: Decimal) -> list[Line]:
    """What a balancer asks for the bytes that pass it, in both directions as far as they are known."""
    balancer = next((each.row for each in case.machines if each.row.kind == "balancer"), None)
    known = [bytes_per_s for bytes_per_s in (case.traffic.egress, case.traffic.ingress) if bytes_per_s]
    rows = _beside(book.of_kind("balancer-traffic"), balancer) if balancer else []
    if not rows or not known:
        return []
    return transferred(rows, sum(known, Decimal(0)) * case.users * seconds, "through the balancer")


def _machine_lines(machines: Machines, book: PriceBook, month: Month) -> list[Line]:
    """The lines of machines: those that follow the load, by the time that they run, then the spares."""
    row, needed = machines.row, machines.needed
    if not row.rented or needed is None:
        return machine_lines(machines, power_of(row, book), month.hours, book.committed(row))
    terms, lines = book.committed(row), []
    for count, share in machines.ran or running(needed, month.profile):
        line = rented(row, count, share * month.hours, terms, month.hours)
        part = f", {float(100 * share):.4g} % of the time" if share != 1 else ""
        lines.append(replace(line, what=f"{line.what}{_images(machines)}{part}"))
    if spares := machines.count - needed:
        line = rented(row, spares, month.hours, terms, month.hours)
        lines.append(replace(line, what=f"{line.what}{_images(machines)}, spare"))
    return lines


def running(needed: int, profile: Sequence[tuple[Decimal, Decimal]]) -> list[tuple[int, Decimal]]:
    """How many of the `needed` machines run for which share of the time: all of it without a profile.

    At a share of the load, that share of the machines runs, rounded up, and at least one.

    >>> half = Decimal("0.5")
    >>> running(5, [(half, Decimal(1)), (half, Decimal("0.3"))])
    [(2, Decimal('1.0')), (3, Decimal('0.5'))]
    """
    levels = [
        (max(1, math.ceil(needed * load)), share) for share, load in profile or [(Decimal(1), Decimal(1))]
    ]
    found, below = [], 0
    for level in sorted({level for level, _ in levels}):
        share = sum((share for each, share in levels if each >= level), Decimal(0))
        found.append((level - below, share))
        below = level
    return found


def machine_lines(
    machines: Machines, power: PriceRow | None, hours: Decimal, terms: Sequence[PriceRow] = ()
) -> list[Line]:
    """What the machines cost, `power` for so many `hours` included. Raises `cost-input`."""
    row = machines.row
    if row.rented:
        lines = [rented(row, machines.count, hours, terms, hours)]
    else:
        lines = owned(row, machines.count, machines.powered, hours, power)
    tier = f"{machines.tier}: " if machines.tier else ""
    return [replace(line, what=f"{tier}{line.what}{_images(machines)}") for line in lines]


def _images(machines: Machines) -> str:
    return f", {machines.images} image{'' if machines.images == 1 else 's'} each" if machines.images else ""


def power_of(machine: PriceRow, book: PriceBook) -> PriceRow | None:
    """The price of the power of a machine; None: the book has none."""
    return next(iter(_beside(book.of_kind("power"), machine)), None)


def _beside(rows: Sequence[PriceRow], machine: PriceRow) -> list[PriceRow]:
    return [row for row in rows if (row.book, row.region) == (machine.book, machine.region)]
