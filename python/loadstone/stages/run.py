"""`run.json`: what one run measured, and how it was judged (docs/reference/run-folder.md)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Text, Word, Yes
from loadstone.stages.base import Piece
from loadstone.stages.origin import Node, Origin
from loadstone.stages.quantiles import Quantiles
from loadstone.stages.run_before import from_format_1, from_format_2
from loadstone.stages.run_connections import Http2Figures, TlsFigures
from loadstone.stages.run_elasticity import Elasticity
from loadstone.stages.run_hosts import Agent, Connector, Limit, Sut, WatchedHost
from loadstone.stages.run_operations import (
    OperationFigures,
    PerOperation,
    ScenarioFigures,
    SessionFigures,
)
from loadstone.stages.verdict import About, RunState, Verdict
from loadstone.unit import Unit


class Scenario(Piece):
    """The file that was run."""

    name: Word | None = None
    file: Word | None = None
    sha256: Word | None = None


class Load(Piece):
    """What was asked of the service."""

    users: Known = None
    sessions_per_s: Known = None
    """Of an open workload, which has no number of users."""
    requests_per_s: Known = None
    """Of single operations that arrive."""
    connections: Known = None
    """That these share."""
    arrivals: Word | None = None
    ramp_up_s: Seconds
    steady_s: Seconds
    ramp_down_s: Seconds

    @property
    def unit(self) -> Unit:
        """What it is counted in."""
        return Unit.of(dict(self))

    @property
    def amount(self) -> float | None:
        """The load itself; None of a record that does not say it."""
        found: float | None = getattr(self, self.unit)
        return found


class Steady(Piece):
    """The steady state, from the beginning of the run."""

    start_s: Seconds
    end_s: Seconds


class SlaFigures(Piece):
    """The rules by which the SLAs were judged; the verdicts are among the goals."""

    window_s: Seconds | None = None
    compliant: Yes | None = None
    windows: Count | None = None


class GoalFigures(Piece):
    """One goal of the run: an SLA, or a threshold of the user's.

    `low` and `high` bound what the service does in the long run, of which `measured` is a sample. A goal is
    met or missed when the whole interval is on one side of the limit, else open.
    """

    name: Word
    verdict: Verdict
    limit: Figure
    unit: Literal["share", "per_s"] = "share"
    """Of `limit`, `measured` and the interval."""
    at_least: Yes = True
    """Whether `limit` is the least that is asked for; else it is the most."""
    measured: Known = None
    """None where nothing was seen."""
    low: Known = None
    high: Known = None
    confidence: Known = None
    """Of either bound, a share."""
    by: Literal["count", "spread"] = "count"
    """What `low` rests on: how many operations were within the limit, or how far below it the spread of their
    response times stays. `spread`: none was late, and the times are taken as log-normal."""
    operation: Word | None = None
    """The one that decides: the worst. None where it is about all, or nothing was seen."""
    window_start_s: Known = None
    """Where its worst window begins; None of a goal of the whole steady state."""


class Check(Piece):
    """One check that a run must pass to be evidence."""

    name: Word
    verdict: Verdict
    measured: Text | Figure | None = None
    expected: Text | Figure | None = None
    hint: Text | None = None
    """What to do where it is not met."""
    about: About | None = None
    """Who is at fault where it is missed."""
    required: Yes = True
    """What is not required is shown, and does not count."""


class Validity(Piece):
    """Whether the run may be trusted, and whether the service did its work."""

    state: RunState
    checks: list[Check]


class Generator(Piece):
    """What the load generator needed."""

    cpu_share: Known = None
    threads: Count | None = None
    wake_lag_ms_p99: Known = None
    read_later: Count | None = None
    """Answers that were read when the next operation had been sent; their times are the kernel's."""


class HookFigures(Piece):
    """A function that steps called, in the steady state. Its time is in no response time."""

    function: Word
    """As the scenario has it: `sign.py:payment`."""
    returned: Count
    """Calls that returned what they should."""
    failed: Count
    ms: Quantiles
    """From when it began to when it returned."""
    wait_ms: Quantiles
    """From when a user needed it to when it began."""
    total_s: Seconds
    """That all calls took together."""
    cpu_us_mean: Known = None
    """CPU time of a call, everything around the function included."""
    cpu_share: Known = None
    """CPU time of all calls, of one processor's."""


class NoiseFigures(Piece):
    """What the machine did besides, in the steady state. Shares are of all its processors' time."""

    control_ms: Quantiles
    """Of an exchange of a few bytes with a thread that does nothing else, where the load was made."""
    control_cpu_cores: Known = None
    """What that exchange needed."""
    busy_share: Known = None
    steal_share: Known = None
    foreign_cpu_share: Known = None
    """Of processes that are neither the generator nor the service; None if the service was not observed."""
    clock_steps: Count | None = None
    """Steps of the time of day."""
    compute_us: Known = None
    """CPU time of the same piece of arithmetic, once a second: how fast the processor was."""
    memory_us: Known = None
    """That of the same reads that miss a core's own caches: how fast the caches of the machine and its memory
    were, which others share. Neither shows in another figure.
    """


class Failure(Piece):
    """Operations that failed for one cause, in the whole run. Of older records only the example is known."""

    operation: Word | None = None
    cause: Word | None = None
    count: Count | None = None
    example: Text | None = None
    """Of the first: its request and what was wrong with the answer. None of a run that broke off."""
    at_s: Known = None
    """When that was, from the beginning of the run."""

    def told(self) -> str:
        """In a line.

        >>> Failure(operation="Home", cause="status", count=2, example="GET /: status 500", at_s=1.25).told()
        'Home: 2 by status, the first at 1.2 s: GET /: status 500'
        """
        if self.operation is None:
            return self.example or ""
        first = "" if self.at_s is None else f", the first at {self.at_s:.1f} s: {self.example}"
        return f"{self.operation}: {self.count} by {self.cause}{first}"


class Event(Piece):
    """Something that happened during the run; what it says besides depends on its kind."""

    kind: Word
    second: Count | None = None
    agent: Word | None = None
    host: Word | None = None
    service: Word | None = None
    reason: Text | None = None
    note: Text | None = None
    """What happened, in a sentence."""


class Figures(Piece):
    """All that follows from the measurement by itself."""

    steady: Steady | None = None
    throughput_ops_per_s: Known = None
    requests_per_s: Known = None
    bytes: PerOperation | None = None
    operations: dict[str, OperationFigures]
    scenarios: list[ScenarioFigures] = Field(default_factory=list)
    """Of several at once, in the order of the file; empty where it is one."""
    sessions: SessionFigures | None = None
    sla: SlaFigures
    goals: dict[str, GoalFigures]
    """By name; `SLA-1` and `SLA-2` are always among them."""
    validity: Validity
    generator: Generator | None = None
    hooks: list[HookFigures] = Field(default_factory=list)
    """In the order of the scenario; those that were called."""
    noise: NoiseFigures | None = None
    tls: TlsFigures | None = None
    http2: Http2Figures | None = None
    """None without HTTPS."""
    sut: Sut | None = None
    warnings: list[Text] = Field(default_factory=list)


class Begun(Origin):
    """What was known before the first packet."""

    seed: Count | None = None
    scenario: Scenario | None = None
    target: Text | None = None
    load: Load


class Run(Figures, Begun):
    """The whole record."""

    FILE: ClassVar[str] = "run.json"
    KIND: ClassVar[str] = "run"
    FORMAT: ClassVar[int] = 3
    BEFORE: ClassVar[Any] = {1: from_format_1, 2: from_format_2}

    agents: list[Agent] = Field(default_factory=list)
    node: Node | None = None
    connector: Connector | None = None
    hosts: list[WatchedHost] = Field(default_factory=list)
    """Those of the topology, by which the run was watched."""
    limited_by: Limit | None = None
    """None when no resource of a watched host was at its limit."""
    busiest: Limit | None = None
    """The resource nearest to its limit, whether it was at it or not."""
    elasticity: Elasticity | None = None
    """None where no servers came and went by a policy."""
    failures: list[Failure] = Field(default_factory=list)
    """The most frequent come first."""
    events: list[Event] = Field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether somebody changed its load by hand: then it says nothing of the load that was asked for."""
        return any(event.kind == "load-changed" for event in self.events)
