"""What `nodes.json` holds as far as later stages rely on it: docs/reference/nodes.md."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from loadstone.intake.shapes import Count, Figure, Known, Word

Ends = Annotated[list[Known], Field(min_length=2, max_length=2)]
"""Both ends of an interval."""


class NodesInterval(TypedDict):
    """Nodes at both ends of the measured capacity."""

    num: NotRequired[Ends]
    total: NotRequired[Ends]


class Option(TypedDict):
    """A deployment of nodes of one type."""

    deployment: Word
    node_type: Word
    num: NotRequired[Known]
    extra: NotRequired[Known]
    total: NotRequired[Known]
    availability: NotRequired[Known]
    downtime_s_per_year: NotRequired[Known]
    note: NotRequired[Word | None]
    interval: NotRequired[NodesInterval | None]


class PerSla(TypedDict):
    """The options at one SLA."""

    options: NotRequired[list[Option]]
    chosen: Option | None


class NodesInputs(TypedDict):
    """What a plan rests on."""

    target_share: Figure
    load_users: NotRequired[Known]
    load_ops_per_s: NotRequired[Known]
    users_per_node: NotRequired[Known]
    ops_per_s_per_node: NotRequired[Known]
    sla: NotRequired[Word | None]
    crash_rate: NotRequired[Word | None]
    failover: NotRequired[Word | None]
    repair: NotRequired[Word | None]
    tiers: NotRequired[Word | None]
    criterion: NotRequired[Word | None]
    without_spares: NotRequired[Word | None]


class Integrity(TypedDict):
    """Shares of time of a node under transient faults."""

    node_type: Word
    correct: Figure
    corrupt: Figure
    down: Figure


class Nodes(TypedDict):
    """`nodes.json` of one tier."""

    name: NotRequired[Word | None]
    warnings: NotRequired[list[Word] | None]
    inputs: NodesInputs
    options: list[Option]
    chosen: Option | None
    per_sla: dict[str, PerSla]
    integrity: NotRequired[list[Integrity] | None]


class Service(TypedDict):
    """A service in tiers as a whole."""

    total: Count | None
    interval: NodesInterval
    downtime_s_per_year: NotRequired[Known]
    downtime_s_per_year_bounds: NotRequired[Ends | None]
    bottleneck: list[Word]
    why: NotRequired[list[Word]]


class Tier(TypedDict):
    """One tier of it."""

    name: Word
    total: Known


class TiersPlan(TypedDict):
    """A plan in tiers, in `nodes.json` or beside its price in `cost.json`."""

    tiers: list[Tier]
    one_more: list[dict[str, Any]]
    growth: list[dict[str, Any]]


class TiersNodes(TiersPlan):
    """`nodes.json` of tiers."""

    name: NotRequired[Word | None]
    warnings: NotRequired[list[Word] | None]
    inputs: NodesInputs
    service: Service


class Load(TypedDict):
    """The load that a plan carries, in one unit or the other."""

    load_users: NotRequired[Known]
    load_ops_per_s: NotRequired[Known]


class SlaOptions(TypedDict):
    """The options at one SLA."""

    options: list[Option]


class Priceable(TypedDict):
    """What a price needs of `nodes.json`."""

    inputs: Load
    per_sla: dict[str, SlaOptions]
