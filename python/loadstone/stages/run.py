"""`run.json`: what one run measured, and how it was judged (docs/reference/run-folder.md)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Text, Word, Yes
from loadstone.stages.base import Piece, spelled
from loadstone.stages.origin import Node, Origin


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
    arrivals: Word | None = None
    ramp_up_s: Seconds
    steady_s: Seconds
    ramp_down_s: Seconds


class Steady(Piece):
    """The steady state, from the beginning of the run."""

    start_s: Seconds
    end_s: Seconds


class PerOperation(Piece):
    """Bytes that the generator received and sent, of each operation."""

    in_per_op: Known = None
    out_per_op: Known = None


class Quantiles(Piece):
    """Of times, in the unit that the field's name says."""

    mean: Known = None
    p50: Known = None
    p90: Known = None
    p95: Known = None
    p99: Known = None
    p999: Known = None
    max: Known = None


class OperationFigures(Piece):
    """One operation in the steady state."""

    limit_s: Seconds
    count: Count
    """Failed ones are part of it."""
    ok: Count
    failed: dict[str, Count]
    """By cause."""
    late: Count | None = None
    dropped: Count | None = None
    share_within_limit: Known = None
    mix_share: Known = None
    mix_expected: Known = None
    pace_mean_s: Known = None
    pace_expected_s: Known = None
    response_ms: Quantiles | None = None
    """From the intended start to the last byte."""
    service_ms: Quantiles | None = None
    """From the actual start to the last byte."""
    counters: dict[str, Count] = Field(default_factory=dict)


class SessionCounts(Piece):
    """What became of sessions, and of their connections."""

    begun: Count
    completed: Count
    lost: dict[str, Count]
    """By the cause of the failed operation that ended them."""
    dropped: Count
    unfinished: Count | None = None
    completed_per_s: Known = None
    connections: dict[str, Count]


class WholeRun(SessionCounts):
    """From the first second to the last."""

    seconds: Seconds | None = None


class SessionFigures(SessionCounts):
    """Those that began, or should have arrived, in the steady state."""

    per_s: Known = None
    arrivals: Word | None = None
    completed_share: Known = None
    life_s: Quantiles | None = None
    operations: Quantiles | None = None
    """In each completed session."""
    waits: Count | None = None
    whole_run: WholeRun


class Worst(Piece):
    """The worst operation in the worst window."""

    operation: Word | None = None
    window_start_s: Known = None
    share: Known = None


class SlaVerdict(Piece):
    """Whether the run held an SLA; `met` is None where that could not be judged."""

    percent: Figure
    met: Yes | None = None
    worst: Worst | None = None


class SlaFigures(Piece):
    """Both SLAs, and by which rules they were judged."""

    window_s: Seconds | None = None
    compliant: Yes | None = None
    windows: Count | None = None
    sla_1: SlaVerdict | None = spelled("SLA-1")
    sla_2: SlaVerdict | None = spelled("SLA-2")

    def named(self) -> dict[str, SlaVerdict]:
        """The verdicts that there are, by the SLA's name."""
        both = {"SLA-1": self.sla_1, "SLA-2": self.sla_2}
        return {name: verdict for name, verdict in both.items() if verdict}


class Check(Piece):
    """One check that a run must pass to be evidence."""

    name: Word
    passed: Yes
    measured: Text | Figure | None = None
    expected: Text | Figure | None = None
    hint: Text | None = None
    """What to do where it failed."""
    about: Word | None = None
    """Who is at fault where it fails: `generator`, `service`, or the `load` as it was asked for."""
    required: Yes = True
    """Invalid is a run that fails a required one."""


class Validity(Piece):
    """Whether the run may be trusted."""

    valid: Yes
    checks: list[Check]


class Generator(Piece):
    """What the load generator needed."""

    cpu_share: Known = None
    threads: Count | None = None
    wake_lag_ms_p99: Known = None


class AgentFigures(Piece):
    """What one agent did in the steady state."""

    host: Word
    users: Known = None
    requests: Known = None
    share: Known = None
    cpu_share: Known = None
    wake_lag_ms_p99: Known = None


class Agent(AgentFigures):
    """An agent: its host, how well its clock was known, what it did."""

    clock_offset_s: Figure
    clock_error_s: Figure
    threads: Count | None = None
    hostname: Word | None = None
    cores: Known = None
    kernel: Word | None = None
    python: Word | None = None
    lost_at_s: Known = None


class Sut(Piece):
    """What the service's processes needed in the steady state; None where they were not observed."""

    cpu_cores_mean: Known = None
    rss_bytes_max: Known = None


class Connector(Piece):
    """What the connector of a built-in application counted."""

    seconds: Known = None
    """How long the load lasted."""
    readings: Count
    counters: dict[str, Figure]
    """Sums over the whole run; microseconds where the name ends in `_us`."""
    most: dict[str, Figure]


class Event(Piece):
    """Something that happened during the run; what it says besides depends on its kind."""

    kind: Word
    second: Count | None = None
    agent: Word | None = None
    reason: Text | None = None


class Figures(Piece):
    """All that follows from the measurement by itself."""

    steady: Steady | None = None
    throughput_ops_per_s: Known = None
    requests_per_s: Known = None
    bytes: PerOperation | None = None
    operations: dict[str, OperationFigures]
    sessions: SessionFigures | None = None
    sla: SlaFigures
    validity: Validity
    generator: Generator | None = None
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

    agents: list[Agent] = Field(default_factory=list)
    node: Node | None = None
    connector: Connector | None = None
    failures: list[Text] = Field(default_factory=list)
    events: list[Event] = Field(default_factory=list)
