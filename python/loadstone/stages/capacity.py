"""`capacity.json`: the most load at each SLA, and the runs that say so (docs/reference/run-folder.md).

A load is a number of users, or of sessions or requests that arrive each second: `unit` says which.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Word, Yes
from loadstone.stages.base import Piece, spelled
from loadstone.stages.capacity_before import from_format_1, from_format_2
from loadstone.stages.origin import Node, Origin
from loadstone.stages.run_hosts import Limit
from loadstone.stages.scaling import Scaling
from loadstone.stages.verdict import RunState, Verdict
from loadstone.unit import Unit

Trend = Literal["steady", "worse", "better", "unknown"]

Load = Annotated[Figure, Field(ge=0)]

Folder = Annotated[str, Field(max_length=4096, strict=True)]


class LimitedBy(Piece):
    """What broke a goal at the least load known to break it."""

    operation: Word | None = None
    """None where the goal is about all operations together, or where not one ended."""
    share_at_high: Known = None
    """Of this operation, as the goal asks for them: within its limit, not failed, or not dropped. None where
    not one operation ended."""
    checks: list[Word] = Field(default_factory=list)
    """The service's checks that failed there. Where there are any, the service did not only answer late."""
    resource: Limit | None = None
    """What limited the runs there, of hosts that were watched."""


class Bound(Piece):
    """One end of an interval, and the runs that prove it: all that were made there and are evidence."""

    load: Known = None
    runs: list[Folder] = Field(default_factory=list)


class Held(Piece):
    """What is known of the capacity at one goal. Nothing here is 0: what was not found out is None.

    `load` may be used by whoever needs the one number; nothing else may. The true capacity lies from `low`
    up to below `high`, with the record's confidence; either may be None, which means that the search knows no
    bound on that side, whatever `ended_by` says of the reason.
    """

    load: Known = None
    """The most load that the search showed to hold the goal, in runs of full length of which one at least
    was valid. None: it showed it for none, and no later figure may rest on this goal."""
    low: Known = None
    """The most known to hold it."""
    high: Known = None
    """The least known to break it. Only a run that broke it makes this a number."""
    verdict: Verdict = "open"
    """`met`: some load holds it. `missed`: even the least breaks it (one user, or a tenth of a session a
    second). `open`: neither was shown."""
    ended_by: Word | None = None
    """What ended the search of this goal: `tolerance` (the interval is narrow enough), `least` (the
    least load breaks it), `not-searched` (the search was for other goals), `noisy`, `too-few`
    (operations, to be certain), `ceiling`, `generator`, `invalid`, `max-runs`, `interrupted`, or an
    error's name."""
    last_passing: Bound | None = None
    """The runs at `low`."""
    first_failing: Bound | None = None
    """The runs at `high`."""
    noisy: list[Figure] = Field(default_factory=list)
    """Loads in between that stayed open."""
    limited_by: LimitedBy | None = None
    throughput_ops_per_s: Known = None
    """At `load`, as are the bytes and the sessions: the mean of the valid runs there."""
    bytes_in_per_op: Known = None
    bytes_out_per_op: Known = None
    sessions_live: Known = None
    """Sessions that lived at once. None of a search of users, and where it was not measured."""


class Binding(Piece):
    """The goal that breaks first as the load grows, and the operation that breaks it."""

    goal: Word
    operation: Word | None = None
    load: Known = None


class ProbeRun(Piece):
    """One short run before the search; no evidence."""

    folder: Folder
    load: Load
    per_s: Known = None
    """Operations that ended well, each second of the steady state."""
    held: Yes
    """Whether SLA-1's share of each operation was within its limit."""


def said_of(state: str, slowed: bool) -> str:
    """The state of a run, and whether the machine slowed it.

    >>> said_of("valid", True)
    'valid, slow machine'
    """
    return f"{state}, slow machine" if slowed else state


class SearchRun(Piece):
    """One run of the search, by itself."""

    folder: Folder
    load: Load
    outcome: Word | None = None
    state: RunState
    evidence: Yes
    """Whether it says something of the service. A run that the service failed does."""
    shares: dict[str, Known] = Field(default_factory=dict)
    """Within the limit, by operation."""
    worst_share: Known = None
    verdict: dict[str, Verdict] = Field(default_factory=dict)
    """By goal, of this run alone. Empty where only the verdict of all runs together was kept."""

    trend: Trend = "unknown"
    """Whether three windows of its steady state, one after the other, agree; `worse` and `better` say what
    the service still became. `unknown`: too short to tell."""
    rate_per_s: list[Known] = Field(default_factory=list)
    """Operations, of each of these windows."""
    response_s: list[Known] = Field(default_factory=list)
    """Their mean response time, by Little's law."""
    compute_us: Known = None
    memory_us: Known = None
    """How fast the machine was, as `noise` of the run has it."""
    slowed: Yes = False
    """Whether the same work took it 1.5 times as long as in another run with as much load or more. Such a run
    may show that a goal is held, not that it is broken."""

    @property
    def valid(self) -> bool:
        """Whether its figures may be shown."""
        return self.state == "valid"

    @property
    def judged(self) -> bool:
        """Whether it is evidence."""
        return self.evidence

    @property
    def state_said(self) -> str:
        """Its state, and whether the machine was slow."""
        return said_of(self.state, self.slowed)


class Time(Piece):
    """How long the search takes, seconds."""

    expected_s: Known = None
    """Before it began, if no run had to be repeated."""
    worst_s: Known = None
    """Before it began, if it made all the runs that it might."""
    took_s: Known = None
    """Until now."""
    left_s: Known = None
    """From now on, if no run has to be repeated; 0 at its end."""


class LoadVerdict(Piece):
    """What all runs at one load say together: a lower bound of a goal's capacity where it is met,
    an upper bound where it is missed."""

    load: Load
    runs: Count
    """Those that are evidence."""
    verdict: dict[str, Verdict]
    """By goal."""


class Capacity(Origin):
    """The whole record."""

    FILE: ClassVar[str] = "capacity.json"
    KIND: ClassVar[str] = "capacity"
    FORMAT: ClassVar[int] = 3
    BEFORE: ClassVar[Any] = {1: from_format_1, 2: from_format_2}

    unit: Unit = Unit.USERS
    """Of every `load`, `low`, `high` and of `noisy`."""
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
    goals: dict[str, Held] = Field(default_factory=dict)
    """Of the user's own, by their text."""
    binding: Binding | None = None
    """None where no goal is known to break."""
    probes: list[ProbeRun] = Field(default_factory=list)
    loads: list[LoadVerdict] = Field(default_factory=list)
    """From the least to the most."""
    runs: list[SearchRun]
    time: Time | None = None
    scaling: Scaling | None = None
    """How throughput grows with users: of a search that has ended, and of users only."""

    def named(self) -> dict[str, Held]:
        """What there is, by the goal's name."""
        both = {"SLA-1": self.sla_1, "SLA-2": self.sla_2}
        return {name: held for name, held in both.items() if held} | self.goals
