"""A checked plan file: what must be carried and held, and the ways to build each tier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Literal

from loadstone.availability.criterion import LONG_RUN, Criterion
from loadstone.availability.deployments import WithoutSpares
from loadstone.cost.book import PriceBook
from loadstone.cost.row import PriceRow
from loadstone.nodes.integrity import NodeType
from loadstone.plan.estimate import Estimate
from loadstone.plan.limit import Limit
from loadstone.scenario.findings import Source

Deployment = Literal["active", "passive", "mixed"]


@dataclass(frozen=True)
class Machine:
    """What a node runs on: its price, that of its power (None: the book has none), the hours paid a month."""

    row: PriceRow
    power: PriceRow | None
    hours: Decimal = Decimal(720)


@dataclass(frozen=True)
class Way:
    """A checked option: how a tier is built, on what, and how its nodes fail. Rates are per second.

    deployment: extra nodes `active`, `passive` in a pool, or `mixed`, both. machine: None where nodes are
    counted, not paid for; `instance` is its name all the same, where the file has one. endless: whether the
    provider replaces crashed nodes, and its pool has no end. without_spares: what becomes of a mended node
    where there is no pool.
    """

    name: str
    deployment: Deployment
    machine: Machine | None
    node: NodeType
    crash: Estimate
    failover_s: Fraction
    repair_s: Fraction | None
    dormancy: float = 0.0
    endless: bool = False
    without_spares: WithoutSpares = "returns"
    instance: str | None = None


@dataclass(frozen=True)
class Tier:
    """One tier: what a native node holds, and the ways to build it.

    name: empty when it is the whole service. curve: (nodes, users), one node first. scales: whether a second
    node carries more. rank: of its broken nodes at shared crews, the lowest is mended first. limit: what
    `per_node` rests on; None of a tier without a name.
    """

    name: str
    per_node: Estimate
    curve: tuple[tuple[float, float], ...]
    scales: bool
    rank: int
    ways: tuple[Way, ...]
    limit: Limit | None = None

    def said(self, what: str) -> str:
        """`what`, of this tier when there are others."""
        return f"{self.name}: {what}" if self.name else what


@dataclass(frozen=True)
class Inputs:
    """A checked plan file: tiers in series, or the one that is the whole service. Rates are per second.

    sla: the one that the nodes of every tier hold, at least. prices: those of the file; None: it has none.
    """

    path: Path
    name: str
    year_s: float
    users: Estimate
    availability: Fraction
    tiers: tuple[Tier, ...]
    corrupt: Fraction | None = None
    crews: int | None = None
    phases: int = 1
    shock: tuple[float, float] | None = None
    load_exponent: float = 0.0
    faults: float | None = None
    warnings: tuple[str, ...] = ()
    criterion: Criterion = LONG_RUN
    sla: str = "SLA-1"
    prices: PriceBook | None = field(default=None, compare=False, repr=False)
    source: Source | None = field(default=None, compare=False, repr=False)

    def built(self, change: Callable[[Way], Way]) -> Inputs:
        """The same with every way changed."""
        tiers = (replace(tier, ways=tuple(map(change, tier.ways))) for tier in self.tiers)
        return replace(self, tiers=tuple(tiers))

    @property
    def allowed_s(self) -> float:
        """Seconds of a year that the target allows the service to be down."""
        return float((1 - self.availability) * Fraction(self.year_s))
