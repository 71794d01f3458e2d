"""One price: what is sold, by which unit, since when, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

KINDS = ("egress", "ingress", "instance", "owned", "power", "storage")
UNITS = {
    "instance": "hour",
    "owned": "machine",
    "power": "kWh",
    "egress": "GB",
    "ingress": "GB",
    "storage": "GB",
}
"""The one unit each kind is priced by."""


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

    def label(self) -> str:
        """How a dollar names its row: `aws-2008 c1.xlarge us-east-1 2008-10 P08`; a tier adds its start."""
        tier = f" from {self.from_gb} GB" if self.from_gb is not None else ""
        return f"{self.book} {self.sku} {self.region} {self.as_of} {self.source}{tier}"
