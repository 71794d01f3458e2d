"""Lines of a bill: a quantity, its price row, and the dollars a month over 1, 12 and 36 months.

Transfer, and what is rented on demand, cost the same every month; what one commits to is cheaper over the
horizons that its term fits into. An owned machine is paid in full when it is bought,
and again when its life is over: over H months it costs ceil(H / life) purchases, spread over those H months,
with nothing got back at the end. So one month of ownership bears the whole price, 36 months of a 36-month
machine its fair share. Source of the three horizons: Cloudstone, section 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError

HORIZONS = (1, 12, 36)
"""Months of operation the cost is spread over."""

GB = Decimal(2**30)
"""Bytes in the GB of a transfer price: the tiers are multiples of 1024, and so is the unit they bound."""

Dollars = dict[int, Decimal]
"""Dollars a month, by horizon."""


@dataclass(frozen=True)
class Line:
    """`quantity` x `price_usd` of `row`, and what it comes to in a month; `transfer` tells traffic from
    machines.
    """

    what: str
    quantity: Decimal
    unit: str
    row: PriceRow
    usd_per_month: Dollars
    transfer: bool = False
    committed: Mapping[int, PriceRow] = field(default_factory=dict)
    """By horizon over which it pays to commit, the row of the term that is paid instead of `row`."""


def rented(
    row: PriceRow, count: int, hours: Decimal, terms: Sequence[PriceRow] = (), whole: Decimal | None = None
) -> Line:
    """`count` instances for `hours` a month, or committed to for all hours (`whole`) of it.

    Over each horizon it is the cheapest of on demand and those `terms` that end within it, renewed at the
    same price. A term is paid for every hour, whether the instance runs or not.

    >>> from loadstone.cost.book import shipped
    >>> rented(shipped().named("aws-2008").machine("c1.xlarge"), 2, Decimal(720)).usd_per_month[1]
    Decimal('1152.00')
    """
    quantity = count * hours
    paid, committed = _every_month(quantity * row.price_usd), {}
    for months in HORIZONS:
        for term in terms:
            usd = count * (whole or hours) * term.price_usd
            if term.term_months is not None and term.term_months <= months and usd < paid[months]:
                paid[months], committed[months] = usd, term
    return Line(f"{count} × {row.sku}", quantity, "hour", row, paid, committed=committed)


def owned(row: PriceRow, count: int, powered: int, hours: Decimal, power: PriceRow | None) -> list[Line]:
    """`count` machines bought, `powered` of them switched on for `hours` a month.

    Raises `cost-input` when the machines draw power and the book has no price for it.
    """
    life = row.life_months or 1
    spread = {months: count * row.price_usd * -(-months // life) / Decimal(months) for months in HORIZONS}
    lines = [Line(f"{count} × {row.sku}, bought", Decimal(count), row.unit, row, spread)]
    energy = powered * (row.power_w or 0) / Decimal(1000) * hours
    if energy:
        if power is None:
            raise LoadstoneError(
                "cost-input", f"`{row.sku}` draws {row.power_w} W and {row.book} has no price of power",
                hint="add a row of kind `power`, unit `kWh`, in the same book and region",
            )  # fmt: skip
        lines.append(
            Line(
                f"power of {powered} × {row.sku}",
                energy,
                "kWh",
                power,
                _every_month(energy * power.price_usd),
            )
        )
    return lines


def transferred(rows: list[PriceRow], size_bytes: Decimal, direction: str) -> list[Line]:
    """`size_bytes` a month through the tiers, one line for each tier reached.

    Raises `price-book` when the tiers leave a gap or end below the size.
    """
    size = size_bytes / GB
    lines = []
    reached = Decimal(0)
    for row in rows:
        start, end = row.from_gb or Decimal(0), row.to_gb
        if start != reached:
            raise _gap(row, reached)
        inside = (size if end is None else min(size, end)) - start
        if inside > 0:
            what = f"{direction} {start}–{'' if end is None else end} GB" if len(rows) > 1 else direction
            lines.append(Line(what, inside, "GB", row, _every_month(inside * row.price_usd), transfer=True))
        if end is None:
            reached = max(size, start)
            break
        reached = end
    if size > reached:
        raise _gap(rows[-1], reached)
    return lines


def total(lines: list[Line], with_transfer: bool) -> Dollars:
    """The sum of the lines, with or without transfer."""
    counted = [line for line in lines if with_transfer or not line.transfer]
    return {months: sum((line.usd_per_month[months] for line in counted), Decimal(0)) for months in HORIZONS}


def _every_month(amount: Decimal) -> Dollars:
    return dict.fromkeys(HORIZONS, amount)


def _gap(row: PriceRow, reached: Decimal) -> LoadstoneError:
    return LoadstoneError(
        "price-book", f"the {row.kind} tiers of {row.book} in {row.region} have no price above {reached} GB",
        hint="tiers must start at 0 and follow each other, the last with an empty to_gb",
    )  # fmt: skip
