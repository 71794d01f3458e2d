"""`capacity.json`: the most users at each SLA, and the runs that say so (docs/reference/run-folder.md)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Word, Yes
from loadstone.stages.base import Piece, spelled
from loadstone.stages.origin import Node, Origin


class LimitedBy(Piece):
    """What broke an SLA at the fewest users known to break it."""

    operation: Word | None = None
    """None where not one operation ended."""
    share_at_high: Known = None
    checks: list[Word] = Field(default_factory=list)
    """The service's checks that failed there."""


class Held(Piece):
    """The capacity at one SLA."""

    users: Known = None
    low: Known = None
    """The most users known to hold it."""
    high: Known = None
    """The fewest known to break it; None when none was found."""
    noisy: list[Figure] = Field(default_factory=list)
    """Numbers of users in between that stayed uncertain."""
    limited_by: LimitedBy | None = None
    throughput_ops_per_s: Known = None
    """At `users`, as are the bytes."""
    bytes_in_per_op: Known = None
    bytes_out_per_op: Known = None


class ProbeRun(Piece):
    """One short run before the search; no evidence."""

    folder: Annotated[str, Field(max_length=4096, strict=True)]
    users: Count
    per_s: Known = None
    """Operations that ended well, each second of the steady state."""
    held: Yes
    """Whether SLA-1's share of each operation was within its limit."""


class SearchRun(Piece):
    """One run of the search."""

    folder: Annotated[str, Field(max_length=4096, strict=True)]
    users: Count
    outcome: Word | None = None
    valid: Yes
    shares: dict[str, Known] = Field(default_factory=dict)
    """Within the limit, by operation."""
    worst_share: Known = None
    verdict: dict[str, Word]
    """`pass`, `fail`, `uncertain` or `invalid`, by SLA."""

    @property
    def judged(self) -> bool:
        """Whether it is evidence; a run that broke the service is, though not valid."""
        return any(verdict != "invalid" for verdict in self.verdict.values())


class Capacity(Origin):
    """The whole record."""

    FILE: ClassVar[str] = "capacity.json"
    KIND: ClassVar[str] = "capacity"

    log10_accounts: Known = None
    node: Node | None = None
    window_s: Seconds | None = None
    compliant: Yes | None = None
    confidence: Known = None
    """Of each bound, a share."""
    tolerance: Known = None
    """Width of the interval that was asked for, as a share of its low end."""
    sla_1: Held | None = spelled("SLA-1")
    sla_2: Held | None = spelled("SLA-2")
    probes: list[ProbeRun] = Field(default_factory=list)
    runs: list[SearchRun]

    def named(self) -> dict[str, Held]:
        """What there is, by the SLA's name."""
        both = {"SLA-1": self.sla_1, "SLA-2": self.sla_2}
        return {name: held for name, held in both.items() if held}
