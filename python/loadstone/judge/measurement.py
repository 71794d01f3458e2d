"""What a run measured, as arrays: everything the judge looks at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadstone.goals import Goal, SlaRules
from loadstone.judge.histogram import EMPTY, Floats, Histogram
from loadstone.judge.noise import Noise
from loadstone.judge.sessions import Sessions
from loadstone.stages.run_connections import HandshakeKind
from loadstone.stages.run_operations import Part

CAUSES = (
    "refused",
    "reset",
    "closed",
    "timeout",
    "status",
    "marker",
    "tls",
    "http2",
    "extract",
    "slow",
    "websocket",
    "hook",
)
"""Causes of failed operations, and of lost sessions, in the engine's order."""

PARTS: tuple[Part, ...] = ("connect", "handshake", "answer", "files")
"""What a step takes time for: connecting, the TLS handshake, its own answer, and the files of its page."""

FIRST_BYTE = "first_byte"
"""How long it took until the answer began: no part of its own, but one of `answer`."""


@dataclass(frozen=True)
class PartTimes:
    """One part of a step of an operation: how long it took in those operations that ended well."""

    step: int
    request: str
    """Method and path, as the plan has them."""
    part: Part
    times: Histogram
    first_byte: Histogram = EMPTY
    """Of an answer: how much of that was before its first byte. Empty of messages, and in a folder of before
    that was timed."""


@dataclass(frozen=True)
class OperationSeries:
    """One operation of the steady state: arrays have one element a second."""

    name: str
    limit_s: float
    ok: Floats
    """Right answers, those over the limit included."""
    failed: Mapping[str, Floats]
    """Wrong answers and errors by cause."""
    late: Floats
    """Right answers over the limit."""
    dropped: Floats
    counters: Mapping[str, Floats]
    response: Histogram = EMPTY
    service: Histogram = EMPTY
    first_byte: Histogram = EMPTY
    """From the actual start to the first byte; empty in a folder of before it was timed."""
    pace: Histogram = EMPTY
    """Cycle or think times before the operations of the settled part (`Measurement.settled_s`)."""
    ended_pace: Histogram = EMPTY
    """The same of all operations that ended in the settled part, whenever they began."""
    ended_service: Histogram = EMPTY
    """Service times of those operations."""
    called: Histogram = EMPTY
    """Time that right answers spent on calls of functions, of those that made any: no part of their times."""
    ended_called: Histogram = EMPTY
    """The same of all that ended in the settled part."""
    steps: tuple[PartTimes, ...] = ()
    """In the order in which they are taken; empty of a single request, and in a folder of before they were
    timed."""
    under: Mapping[float, Floats] = field(default_factory=dict)
    """Right answers within each bound (seconds) that a goal asks about, each second."""

    @property
    def count(self) -> Floats:
        """Operations each second, failed ones included."""
        return np.asarray(self.ok + sum(self.failed.values()), dtype=np.float64)

    @property
    def within(self) -> Floats:
        """Right answers within the limit each second."""
        return self.ok - self.late


@dataclass(frozen=True)
class HookSeries:
    """Calls of one function in the steady state."""

    name: str
    returned: float
    failed: float
    cpu_s: float
    """CPU time that they took, everything around the function included."""
    waited: Histogram = EMPTY
    """From when a user needed it to when it began."""
    took: Histogram = EMPTY
    """From there to when it returned."""


@dataclass(frozen=True)
class AgentSeries:
    """One agent's part of the steady state: arrays have one element for each second that it delivered."""

    name: str
    users: Floats
    requests: Floats
    cpu_s: Floats
    threads: int
    wake_lag: Histogram = EMPTY
    hooks_cpu_s: Floats = field(default_factory=lambda: np.zeros(0))
    """CPU seconds of functions that its users called."""


@dataclass(frozen=True)
class Measurement:
    """The steady state of one run. `first_s` is its first second; arrays start there."""

    start_s: float
    end_s: float
    """End of the steady state, earlier than planned when the run ended before."""
    settled_s: float
    """From here to `end_s` every user is older than the longest pause of the plan, so that pauses of all
    lengths can be seen whole. Before, the long ones are missing: a user that started 10 s ago cannot
    show a cycle of 20 s, and most users are still near their first operation."""
    operations: tuple[OperationSeries, ...]
    users: Floats
    """Users at the end of each second."""
    requests: Floats
    bytes_in: Floats
    bytes_out: Floats
    cpu_s: Floats
    """CPU seconds of the engine's threads in each second."""
    threads: int
    in_flight: Floats = field(default_factory=lambda: np.zeros(0))
    """Users waiting for an answer at the end of each second."""
    users_s: Floats | None = None
    """Seconds that all users together lived in each second: their number integrated over it, exact where
    `users` is a sample. None of a folder of before they were counted."""
    sessions_s: Floats | None = None
    """The same of sessions, from their beginning (in an open workload: their intended arrival)."""
    arrived: Floats = field(default_factory=lambda: np.zeros(0))
    """Requests that arrived at a rate in each second."""
    waited: Floats = field(default_factory=lambda: np.zeros(0))
    """Those of them that had to wait for a connection."""
    wake_lag: Histogram = EMPTY
    agents: tuple[AgentSeries, ...] = ()
    """Who made the load, where that was not this process."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Agents that were given up, with what happened."""
    noise: Noise | None = None
    """None of a folder of before the machine was watched."""
    handshakes: Mapping[HandshakeKind, Histogram] = field(default_factory=dict)
    """Times of the TLS handshakes of the whole run, by kind."""
    sessions: Sessions | None = None
    """None of a folder of before sessions were counted."""
    hooks: tuple[HookSeries, ...] = ()
    """In the order of the plan; those that were called."""

    @property
    def steady_s(self) -> float:
        """Length of the steady state in seconds; 0 when the run never reached it."""
        return max(0.0, self.end_s - self.start_s)

    @property
    def first_s(self) -> int:
        """The second that element 0 of every array stands for."""
        return int(self.start_s)

    @property
    def lived_s(self) -> Floats:
        """Seconds that users lived, in each second; by samples where a folder is older than the integrals."""
        return self.users if self.users_s is None else self.users_s

    @property
    def settled(self) -> slice:
        """The settled part of every array; empty when the run is too short to have one."""
        return slice(min(len(self.users), math.ceil(self.settled_s) - self.first_s), len(self.users))

    def cpu_share(self, agent: AgentSeries | None = None) -> float:
        """Busy share of the threads of one agent, or of the whole generator; NaN without a second."""
        if agent is None:
            capacity, used = self.threads * self.steady_s, self.cpu_s
        else:
            # A lost agent's seconds are fewer; the last second of a run need not be whole.
            capacity, used = agent.threads * min(len(agent.cpu_s), self.steady_s), agent.cpu_s
        return float(used.sum()) / capacity if capacity else math.nan

    @property
    def count(self) -> float:
        """Operations of the steady state, failed ones included."""
        return float(sum(operation.count.sum() for operation in self.operations))


@dataclass(frozen=True)
class Rules:
    """What a run is judged by, known before it starts."""

    plan: Mapping[str, Any]
    """The plan as the engine got it."""
    sla_window_s: float
    accounts: int | None
    claimed: SlaRules | None = field(default=None, kw_only=True)
    """The rules that the scenario claims to follow."""
    mix: Mapping[str, float]
    """Expected share of each operation."""
    mix_error: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    """Standard error of each, where the shares come from a simulated walk; absent or 0: they are exact."""
    pace_mean_s: Mapping[str, float]
    """Expected mean cycle or think time before each operation."""
    checks: tuple[Mapping[str, Any], ...] = field(default=())
    """The scenario's own checks."""
    goals: tuple[Goal, ...] = field(default=())
    """What is judged besides SLA-1 and SLA-2."""


def longest_pause_s(plan: Mapping[str, Any]) -> float:
    """The longest cycle or think time that `plan` can draw, in seconds.

    >>> longest_pause_s({"pacing": {"kind": "cycle", "law": {"kind": "neg-exp", "mean_s": 5, "max_s": 25}},
    ...                  "operations": [{"pacing": None}]})
    25.0
    """
    pacings = [plan.get("pacing"), *(operation.get("pacing") for operation in plan["operations"])]
    return max(_longest(pacing["law"]) for pacing in pacings if pacing)


def _longest(law: Mapping[str, Any]) -> float:
    match law["kind"]:
        case "fixed":
            return float(law["value_s"])
        case "uniform":
            return float(law["high_s"])
        case _:
            return float(law["max_s"])
