"""`nodes.json`: the nodes that keep a service up, of one tier or of several (docs/reference/nodes.md)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from loadstone.intake.shapes import Count, Figure, Known, Text, Word, Yes
from loadstone.stages.base import Piece, spelled
from loadstone.stages.dollars import ByMonths
from loadstone.stages.origin import Origin
from loadstone.stages.scaling import Scaling

Ends = Annotated[list[Known], Field(min_length=2, max_length=2)]
"""At both ends of the measured capacity's interval; None where that is open."""


class ImageFigures(Piece):
    """What an image takes of the machine it runs on, and how fast it is there."""

    start_s: Known = None
    detect_s: Known = None
    memory_mib: Known = None
    source: Word | None = None
    alone: Yes = False
    """A node is one image, whatever its cores."""


class FaultShares(Piece):
    """What faults do to a node type, and where that is from; `interval`: 95 %, of what was measured."""

    source: Word
    corrupts: Figure
    crashes: Figure
    retries: Figure
    interval: dict[str, Ends] | None = None
    throughput_interval: Ends | None = None


class Inputs(Piece):
    """The options as typed, and in plain units."""

    sla: Word | None = None
    target: Word | None = None
    crash_rate: Word | None = None
    failover: Word | None = None
    repair: Word | None = None
    year: Word | None = None
    criterion: Word | None = None
    without_spares: Word | None = None
    fault_rate: Word | None = None
    folder: Word | None = spelled("from")
    tiers: Word | None = None
    """The tiers file."""
    load_users: Known = None
    load_ops_per_s: Known = None
    users_per_node: Known = None
    ops_per_s_per_node: Known = None
    per_node_interval: Ends | None = None
    """In the unit of what one node carries."""
    crash_per_s: Known = None
    failover_per_s: Known = None
    repair_per_s: Known = None
    target_share: Figure | None = None
    year_s: Known = None
    throughput_factors: dict[str, Known] = Field(default_factory=dict)
    """Against native, by node type."""
    node_types: dict[str, FaultShares] = Field(default_factory=dict)
    images: dict[str, ImageFigures] = Field(default_factory=dict)


class Interval(Piece):
    """Nodes at both ends of the measured capacity."""

    num: Ends | None = None
    total: Ends | None = None


class Option(Piece):
    """A deployment of nodes of one type."""

    deployment: Word
    node_type: Word
    num: Known = None
    extra: Known = None
    """None: the target cannot be met, and `note` says why."""
    total: Known = None
    criterion: Word | None = None
    availability: Known = None
    downtime_s_per_year: Known = None
    note: Word | None = None
    interval: Interval | None = None


class PerSla(Piece):
    """The options at one SLA."""

    options: list[Option] = Field(default_factory=list)
    chosen: Option | None = None


class Integrity(Piece):
    """Shares of time of a node under transient faults."""

    node_type: Word
    correct: Figure
    corrupt: Figure
    down: Figure
    interval: dict[str, Ends] | None = None
    """At the ends of measured shares; None: the paper's have no intervals."""


class Limit(Piece):
    """What one node of a tier carries."""

    source: Word | None = None
    upper_bound: Yes = False
    users_per_node: Known = None
    interval: Ends | None = None
    requests_per_s: Known = None
    requests_per_s_per_user: Known = None


class PlannedTier(Piece):
    """One tier of several."""

    name: Word
    deployment: Word | None = None
    scales: Yes = True
    crash_rate: Word | None = None
    failover: Word | None = None
    repair: Word | None = None
    instance: Word | None = None
    limit: Limit | None = None
    num: Known = None
    extra: Known = None
    total: Known
    load_share: Known = None
    next_node_above_users: Known = None
    availability: Known = None
    downtime_s_per_year: Known = None
    downtime_part: Known = None
    """Of the sum over the tiers."""
    interval: Interval | None = None
    usd_per_month: ByMonths | None = None
    """Here and below: in the plan of `cost.json`."""


class Service(Piece):
    """A service in tiers as a whole."""

    total: Count | None
    availability: Known = None
    downtime_s_per_year: Known = None
    downtime_s_per_year_bounds: Ends | None = None
    """Whatever the tiers' failures have to do with each other."""
    users_carried: Known = None
    bottleneck: list[Word]
    interval: Interval
    why: list[Word] = Field(default_factory=list)


class OneMore(Piece):
    """One more node of a tier."""

    tier: Word
    users_carried: Figure
    availability: Known = None
    downtime_s_per_year: Figure
    usd_per_month: ByMonths | None = None


class Step(Piece):
    """A range of users for whom the same nodes do."""

    users_from: Figure
    users_to: Figure
    limited_by: list[Word] = Field(default_factory=list)
    total: Known = None
    nodes: dict[str, Figure] | None = None
    """By tier."""
    why: list[Word] = Field(default_factory=list)
    usd_per_month: ByMonths | None = None


class Nodes(Origin):
    """The whole record: of one tier it has `options`, of several `tiers`."""

    FILE: ClassVar[str] = "nodes.json"
    KIND: ClassVar[str] = "nodes"

    inputs: Inputs
    withheld: dict[str, Text] = Field(default_factory=dict)
    """By SLA without figures, why there are none and what to do."""
    anyway: list[Text] = Field(default_factory=list)
    """Why the figures would have been withheld, had `--anyway` not been given. Empty: they would not."""
    options: list[Option] = Field(default_factory=list)
    """At the SLA that was asked for."""
    chosen: Option | None = None
    """None: none meets the target."""
    per_sla: dict[str, PerSla] = Field(default_factory=dict)
    integrity: list[Integrity] = Field(default_factory=list)
    scaling: Scaling | None = None
    """Of the measurements with several machines that `--scale` named."""
    machines_by_law: Count | None = None
    """The fewest that carry the load by that law; None where it does not reach so far."""
    tiers: list[PlannedTier] = Field(default_factory=list)
    service: Service | None = None
    """None: of one tier."""
    one_more: list[OneMore] = Field(default_factory=list)
    growth: list[Step] = Field(default_factory=list)
    growth_stride: Known = None
    """Of the tier with the most steps only every k-th is there."""
    users_wall: Known = None
    """Users beyond which a tier that does not scale is exceeded."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """Raises `ValueError` when a part is missing that its kind of service has."""
        given = self.model_fields_set
        for name in ("service", "one_more", "growth") if "tiers" in given else ("options", "per_sla"):
            if name not in given or getattr(self, name) is None:
                raise ValueError(f"`{name}` is missing")
        return self
