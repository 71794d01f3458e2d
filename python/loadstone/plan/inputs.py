"""A checked plan file: what must be carried and held, and the ways to build each tier."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from loadstone.availability.criterion import LONG_RUN, Criterion
from loadstone.cost.row import PriceRow
from loadstone.nodes.integrity import NodeType
from loadstone.plan.estimate import Estimate


@dataclass(frozen=True)
class Way:
    """A checked option: how a tier is built, on what, and how its nodes fail. Rates are per second."""

    name: str
    deployment: str
    row: PriceRow
    power: PriceRow | None
    node: NodeType
    crash: Estimate
    failover_s: Fraction
    repair_s: Fraction | None
    dormancy: float

    @property
    def endless(self) -> bool:
        """Whether the provider replaces crashed nodes."""
        return self.row.kind == "instance"


@dataclass(frozen=True)
class Tier:
    """One tier: what a native node holds, and the ways to build it.

    name: empty when it is the whole service. curve: (nodes, users), one node first. scales: whether a second
    node carries more. rank: of its broken nodes at shared crews, the lowest is mended first.
    """

    name: str
    per_node: Estimate
    curve: tuple[tuple[float, float], ...]
    scales: bool
    rank: int
    ways: tuple[Way, ...]

    def said(self, what: str) -> str:
        """`what`, of this tier when there are others."""
        return f"{self.name}: {what}" if self.name else what


@dataclass(frozen=True)
class Inputs:
    """A checked plan file: tiers in series, or the one that is the whole service. Rates are per second."""

    path: Path
    name: str
    year_s: float
    users: Estimate
    availability: Fraction
    corrupt: Fraction | None
    crews: int | None
    phases: int
    shock: tuple[float, float] | None
    load_exponent: float
    faults: float | None
    tiers: tuple[Tier, ...]
    warnings: tuple[str, ...]
    criterion: Criterion = LONG_RUN

    @property
    def allowed_s(self) -> float:
        """Seconds of a year that the target allows the service to be down."""
        return float(1 - self.availability) * self.year_s
