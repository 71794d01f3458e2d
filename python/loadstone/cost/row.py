"""One price: what is sold, by which unit, since when, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

KINDS = (
    "balancer",
    "balancer-traffic",
    "database",
    "egress",
    "ingress",
    "instance",
    "owned",
    "power",
    "storage",
)
UNITS = {
    "instance": "hour",
    "balancer": "hour",
    "balancer-traffic": "GB",
    "database": "hour",
    "owned": "machine",
    "power": "kWh",
    "egress": "GB",
    "ingress": "GB",
    "storage": "GB",
}
"""The one unit each kind is priced by."""


def first_day(as_of: str) -> date:
    """The earliest day of a date that is as exact as it is known. Raises `ValueError`: there is no such day.

    >>> first_day("2026-07"), first_day("2014-early")
    (datetime.date(2026, 7, 1), datetime.date(2014, 1, 1))
    """
    year, month, day = [*(part for part in as_of.split("-") if part.isdigit()), "1", "1"][:3]
    return date(int(year), int(month), int(day))


@dataclass(frozen=True)
class PriceRow:
    """One row of a price book, money exact.

    `from_gb` and `to_gb` bound a monthly tier of egress (`to_gb` None: no end). `power_w` and `life_months`
    belong to owned machines: the mean power drawn and the months a machine serves before it is replaced.
    """

    book: str
    provider: str
    region: str
    kind: str
    sku: str
    vcpu: Decimal | None
    memory_gib: Decimal | None
    unit: str
    from_gb: Decimal | None
    to_gb: Decimal | None
    price_usd: Decimal
    as_of: str
    source: str
    power_w: Decimal | None = None
    life_months: int | None = None
    term_months: int | None = None
    """Months that one commits to, at this price for every hour of them; None: on demand."""

    @property
    def rented(self) -> bool:
        """Whether it is paid by the hour."""
        return self.unit == "hour"

    @property
    def dated(self) -> date:
        """The earliest day that `as_of` can mean."""
        return first_day(self.as_of)

    def label(self) -> str:
        """How a dollar names its row: `aws-2008 c1.xlarge us-east-1 2008-10 P08`; a tier adds its start."""
        tier = f" from {self.from_gb} GB" if self.from_gb is not None else ""
        term = f" for {self.term_months} months" if self.term_months is not None else ""
        return f"{self.book} {self.sku} {self.region} {self.as_of} {self.source}{tier}{term}"
