"""`plan.json`: the cheapest nodes, and how sure that is (docs/reference/plan.md)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Word, Yes
from loadstone.stages.base import Piece
from loadstone.stages.origin import Origin

Bounds = Annotated[list[Known], Field(min_length=2, max_length=2)]
"""Between which a figure lies; None: without end."""


class Estimate(Piece):
    """A number and its 95 % interval; an end that is not known is None."""

    value: Figure
    low: Known = None
    high: Known = None


class GivenTier(Piece):
    """What was said of a tier; of a service of one its name is None."""

    tier: Word | None = None
    users_per_node: Estimate
    curve: list[list[Figure]] = Field(default_factory=list)
    """Nodes, and the users that they hold."""
    scales: Yes = True
    rank: Count = 0
    crashes_a_year: dict[str, Estimate] = Field(default_factory=dict)
    """Of one node, by option."""


class Inputs(Piece):
    """The file as it was read, and the options of the command."""

    file: Word
    year_s: Figure
    users: Estimate
    availability: Figure
    corrupt: Known = None
    """Most of the time that a node may be silently corrupt."""
    criterion: Word | None = None
    crews: Count | None = None
    tiers: list[GivenTier] = Field(default_factory=list)
    draws: Count | None = None
    seed: Count | None = None
    command: list[Word] = Field(default_factory=list)


class Built(Piece):
    """One tier of a plan."""

    tier: Word | None = None
    option: Word
    instance: Word | None = None
    node_type: Word
    node_source: Word | None = None
    """Where its shares of faults are from."""
    images: Count | None = None
    """None where nodes are no appliances."""
    needed: Count
    active: Count
    pool: Count | None = None
    """None: without end."""
    nodes: Count
    usd_per_month: Figure


class Candidate(Piece):
    """A plan: nodes of every tier."""

    parts: list[Built]
    nodes: Count
    down_s_per_year: Figure
    availability: Figure
    usd_per_month: Figure


class Line(Piece):
    """A line of the bill; dollars by months of operation."""

    what: Word
    quantity: Figure
    unit: Word
    price_usd: Figure
    row: Word
    usd_per_month: dict[str, Figure]


class Option(Piece):
    """The best plan with an option, or why there is none."""

    tier: Word | None = None
    option: Word
    plan: Candidate | None = None
    why: Word | None = None


class Bar(Piece):
    """The plans at both ends of one input."""

    input: Word
    low: Word
    high: Word
    assumed: Yes
    """No interval was given: halved and doubled."""
    at_low: Candidate | None = None
    at_high: Candidate | None = None


class Interval(Piece):
    """Median, and the middle 95 % of the draws."""

    median: Figure
    low: Figure
    high: Figure


class Win(Piece):
    """How often an option is in the cheapest plan."""

    tier: Word | None = None
    option: Word
    share: Figure


class Uncertainty(Piece):
    """Over the draws; shares of them."""

    draws: Count
    nodes: Interval | None = None
    usd_per_month: Interval | None = None
    wins: list[Win] = Field(default_factory=list)
    unmet: Figure
    chosen_holds: Figure
    chosen_down_s_per_year: Interval
    sure: Candidate | None = None
    """The plan of the same options that holds in 95 %."""
    sure_holds: Known = None


class Level(Piece):
    """Users held for a share of the year; tier and nodes are those that are short, None: none is."""

    tier: Word | None = None
    nodes: Count | None = None
    users: Figure
    share: Figure


class Served(Piece):
    """Who is served in every degraded state."""

    levels: list[Level]
    rest: Figure
    """Share of the year below the last level."""
    mean_share: Figure
    user_hours_lost: Figure
    """A year."""
    first_year_down_s: Bounds | None = None
    first_outage_s: Bounds | None = None
    outages_per_s: Bounds | None = None
    outage_s: Bounds | None = None


class Step(Piece):
    """A range of users for whom the same nodes do; then the tiers that it is limited by need one more."""

    users_from: Count
    users_to: Count
    limited_by: list[Word] = Field(default_factory=list)
    plan: Candidate | None = None
    why: list[Word] = Field(default_factory=list)


class Growth(Piece):
    """The cheapest plans from one user to twice those asked for."""

    steps: list[Step]
    stride: Count
    """Of the tier with the most steps only every k-th is there."""
    users_wall: Known = None
    """Users beyond which a tier that does not scale is exceeded."""


class Plan(Origin):
    """The whole record."""

    FILE: ClassVar[str] = "plan.json"
    KIND: ClassVar[str] = "plan"

    name: Word
    inputs: Inputs
    chosen: Candidate | None
    """None: nothing meets the targets."""
    share_crews: list[Word | None] = Field(default_factory=list)
    bill: list[Line]
    options: list[Option]
    front: list[Candidate]
    seen: list[Candidate]
    sensitivity: list[Bar]
    uncertainty: Uncertainty | None = None
    served: Served | None = None
    growth: Growth | None = None
