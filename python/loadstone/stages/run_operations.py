"""What a run's record says of operations, of their steps and of sessions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Text, Word
from loadstone.stages.base import Piece
from loadstone.stages.quantiles import Quantiles

Part = Literal["connect", "handshake", "answer", "files"]


class StepPart(Piece):
    """Where the time of an operation goes: one part of one of its steps, of operations that ended well."""

    step: Count
    """From 0, as the workload has them."""
    request: Text
    """Method and path."""
    part: Part
    """`answer`: from the end of the step before to the last byte of the answer, with redirects and waits;
    `files`: from there to the last byte of the last file that the page refers to. Both without `connect`, the
    time for new connections, and `handshake`, that for TLS on them."""
    count: Count
    """Operations that took it."""
    ms: Quantiles
    first_byte_ms: Quantiles | None = None
    """Of an `answer`: from the end of the step before to its first byte, a part of `ms`. Where redirects or
    waits made several of it, the last one counts. None of messages of a WebSocket, or of an older run."""
    share: Known = None
    """Of the time that all steps of the operation took together."""


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
    """Of the right answers; of one of several scenarios: of those of its own."""
    mix_expected: Known = None
    pace_mean_s: Known = None
    pace_expected_s: Known = None
    response_ms: Quantiles | None = None
    """From the intended start to the last byte."""
    service_ms: Quantiles | None = None
    """From the actual start to the last byte."""
    first_byte_ms: Quantiles | None = None
    """From the actual start to the first byte of the first step's answer; none of messages of a WebSocket, or
    of an older run."""
    counters: dict[str, Count] = Field(default_factory=dict)
    steps: list[StepPart] = Field(default_factory=list)
    """In the order in which they are taken; none of an operation that is one request, or of an older run."""


class ScenarioSessions(Piece):
    """Sessions of one of several scenarios that began in the steady state."""

    begun: Count
    begun_share: Known = None
    """Of the sessions of all scenarios."""
    completed: Count
    lost: Count
    dropped: Count


class ScenarioFigures(Piece):
    """One of several scenarios in the steady state: its operations bear its name before their own."""

    name: Word
    share: Figure
    """What it was to have of the users, of the sessions or of the requests, from 0 to 1."""
    count: Count
    """Its operations; failed ones are part of it."""
    count_share: Known = None
    """Of the operations of all scenarios. With users it depends on how long these pause and wait."""
    throughput_ops_per_s: Known = None
    failed: Count
    late: Count
    dropped: Count
    sessions: ScenarioSessions | None = None
    """None where single requests arrive."""


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
    live_mean: Known = None
    """How many lived at once, in the mean over the steady state."""
    operations: Quantiles | None = None
    """In each completed session."""
    waits: Count | None = None
    whole_run: WholeRun


class PerOperation(Piece):
    """Bytes that the generator received and sent, of each operation."""

    in_per_op: Known = None
    out_per_op: Known = None
