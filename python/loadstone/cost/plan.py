"""Dollars per user per month at each SLA, from machines, users and traffic."""

from __future__ import annotations

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
    """Hours billed a month, and the mean load as a share of the load served at most."""

    hours: Decimal = Decimal(720)
    duty: Decimal = Decimal(1)


@dataclass(frozen=True)
class PerUser:
    """Dollars per user per month by horizon, (cheap, value, dear); an end that is not known is None."""

    users: Decimal
    value: Dollars
    cheap: Dollars | None
    dear: Dollars | None


@dataclass(frozen=True)
class Bill:
    """The answer at one SLA. `with_egress` is None when the traffic or its price is not known."""

    lines: tuple[Line, ...]
    without_egress: PerUser
    with_egress: PerUser | None
    warnings: tuple[str, ...]


def bill(case: Case, book: PriceBook, month: Month) -> Bill:
    """Prices one case, and its interval. Raises `price-book` and `cost-input`."""
    lines, warnings = _lines(case, book, month)
    priced = any(line.transfer and line.row.kind == "egress" for line in lines)
    return Bill(
        tuple(lines),
        _per_user(case, book, month, with_transfer=False),
        _per_user(case, book, month, with_transfer=True) if priced else None,
        tuple(warnings),
    )


def _per_user(case: Case, book: PriceBook, month: Month, *, with_transfer: bool) -> PerUser:
    def each(end: Case | None) -> Dollars | None:
        if end is None:
            return None
        spent = total(_lines(end, book, month)[0], with_transfer)
        return {months: spent[months] / end.users for months in HORIZONS}

    value = each(replace(case, cheap=None, dear=None))
    assert value is not None
    return PerUser(case.users, value, each(case.cheap), each(case.dear))


def _lines(case: Case, book: PriceBook, month: Month) -> tuple[list[Line], list[str]]:
    lines: list[Line] = []
    for machines in case.machines:
        lines += machine_lines(machines, power_of(machines.row, book), month.hours)
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
    return lines, warnings


def machine_lines(machines: Machines, power: PriceRow | None, hours: Decimal) -> list[Line]:
    """What the machines cost, `power` for so many `hours` included. Raises `cost-input`."""
    row = machines.row
    if row.kind == "instance":
        lines = [rented(row, machines.count, hours)]
    else:
        lines = owned(row, machines.count, machines.powered, hours, power)
    tier = f"{machines.tier}: " if machines.tier else ""
    images = f", {machines.images} image{'' if machines.images == 1 else 's'} each" if machines.images else ""
    return [replace(line, what=f"{tier}{line.what}{images}") for line in lines]


def power_of(machine: PriceRow, book: PriceBook) -> PriceRow | None:
    """The price of the power of a machine; None: the book has none."""
    return next(iter(_beside(book.of_kind("power"), machine)), None)


def _beside(rows: Sequence[PriceRow], machine: PriceRow) -> list[PriceRow]:
    return [row for row in rows if (row.book, row.region) == (machine.book, machine.region)]
