"""What the report relies on in the records of the search and of the price."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Word, Yes
from loadstone.nodes.shapes import Ends, TiersPlan
from loadstone.record.shapes import Origin


class LimitedBy(TypedDict):
    """What broke an SLA."""

    operation: NotRequired[Word | None]
    share_at_high: NotRequired[Known]
    checks: NotRequired[list[Word] | None]


class Held(TypedDict):
    """The capacity at one SLA."""

    users: NotRequired[Known]
    low: NotRequired[Known]
    high: NotRequired[Known]
    noisy: NotRequired[list[Figure] | None]
    limited_by: NotRequired[LimitedBy | None]
    throughput_ops_per_s: NotRequired[Known]


class SearchRun(TypedDict):
    """One run of the search."""

    folder: Annotated[str, Field(max_length=4096, strict=True)]
    users: Count
    outcome: NotRequired[Word]
    valid: Yes
    shares: NotRequired[dict[str, Known]]
    worst_share: NotRequired[Known]
    verdict: dict[str, Word]


_Slas = TypedDict("_Slas", {"SLA-1": NotRequired[Held | None], "SLA-2": NotRequired[Held | None]})


class Capacity(Origin, _Slas):
    """`capacity.json`."""

    window_s: NotRequired[Seconds | None]
    compliant: NotRequired[Yes | None]
    confidence: NotRequired[Known]
    runs: list[SearchRun]


Months = TypedDict("Months", {"1": Figure, "12": Figure, "36": Figure, "users": NotRequired[Figure]})
MonthsEnds = TypedDict(
    "MonthsEnds", {"1": NotRequired[Ends], "12": NotRequired[Ends], "36": NotRequired[Ends]}
)


class Line(TypedDict):
    """A line of the bill."""

    what: Word
    sla: NotRequired[Word | None]
    quantity: Known
    unit: Word
    price_usd: Known
    row: Word
    transfer: NotRequired[Yes]
    usd_per_month: Months


class Cost(Origin):
    """`cost.json`."""

    lines: list[Line]
    per_user: dict[str, Months]
    per_user_interval: NotRequired[dict[str, MonthsEnds] | None]
    per_user_with_egress: NotRequired[dict[str, Months] | None]
    per_user_with_egress_interval: NotRequired[dict[str, MonthsEnds] | None]
    plan: NotRequired[TiersPlan]
