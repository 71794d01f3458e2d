"""What a run folder's records hold as far as later commands rely on it: docs/reference/run-folder.md."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Text, Word, Yes


class PlanLoad(TypedDict):
    """`load` of `plan.json`."""

    users: NotRequired[Count | None]
    sessions_per_s: NotRequired[Known]
    arrivals: NotRequired[Word]
    ramp_up_s: Seconds
    steady_s: Seconds
    ramp_down_s: Seconds
    threads: NotRequired[Count | None]
    operations: NotRequired[Count | None]


class PlanStep(TypedDict):
    """A step of an operation."""

    count: NotRequired[Word | None]


class PlanOperation(TypedDict):
    """An operation of `plan.json`."""

    name: Word
    limit_s: Seconds
    steps: list[PlanStep]
    pacing: NotRequired[dict[str, Any] | None]


class Plan(TypedDict):
    """`plan.json` of a run."""

    name: Word
    load: PlanLoad
    operations: list[PlanOperation]
    pacing: dict[str, Any]


class Expectations(TypedDict):
    """What the engine foretold."""

    mix: dict[str, Known]
    pace_mean_s: dict[str, Known]
    mix_error: NotRequired[dict[str, Known]]


class RuleCheck(TypedDict):
    """A check of the scenario."""

    name: Word
    count: NotRequired[Word | None]
    per: NotRequired[Word | None]
    measure: NotRequired[Word | None]
    min: NotRequired[Known]
    max: NotRequired[Known]


class Rules(TypedDict):
    """`rules.json`."""

    target: Word
    accounts: Count | None
    sla_window_s: Seconds
    expectations: Expectations
    checks: list[RuleCheck]


class First(TypedDict):
    """`machine.json`."""

    machine: dict[str, Any]
    versions: dict[str, Any]
    command: list[Word]
    seed: Count
    started_at: Word


class RunLoad(TypedDict):
    """`load` of `run.json`."""

    users: NotRequired[Known]
    sessions_per_s: NotRequired[Known]
    ramp_up_s: NotRequired[Seconds]
    steady_s: NotRequired[Seconds]
    ramp_down_s: NotRequired[Seconds]


class Steady(TypedDict):
    """The steady state."""

    start_s: Seconds
    end_s: Seconds


class Operation(TypedDict):
    """One operation's figures."""

    limit_s: Seconds
    count: Count
    ok: NotRequired[Count]
    failed: dict[str, Count]
    late: NotRequired[Count]
    dropped: NotRequired[Count]
    share_within_limit: NotRequired[Known]
    mix_share: NotRequired[Known]
    mix_expected: NotRequired[Known]
    pace_mean_s: NotRequired[Known]
    pace_expected_s: NotRequired[Known]
    response_ms: NotRequired[dict[str, Known] | None]
    service_ms: NotRequired[dict[str, Known] | None]
    counters: NotRequired[dict[str, Count] | None]


class Worst(TypedDict):
    """The worst operation in the worst window."""

    operation: NotRequired[Word | None]
    share: NotRequired[Known]
    window_start_s: NotRequired[Known]


class Verdict(TypedDict):
    """One SLA's verdict."""

    percent: Figure
    met: Yes | None
    worst: NotRequired[Worst | None]


Sla = TypedDict(
    "Sla",
    {
        "window_s": NotRequired[Seconds | None],
        "compliant": NotRequired[Yes | None],
        "SLA-1": NotRequired[Verdict | None],
        "SLA-2": NotRequired[Verdict | None],
    },
)


class Check(TypedDict):
    """One validity check, judged."""

    name: Word
    passed: Yes
    measured: Word | Known
    expected: Word | Known
    hint: NotRequired[Word | None]
    required: NotRequired[Yes]


class Validity(TypedDict):
    """Whether the run may be trusted."""

    valid: Yes
    checks: list[Check]


class SessionPart(TypedDict):
    """What became of sessions."""

    begun: Count
    completed: Count
    dropped: Count
    unfinished: NotRequired[Count | None]
    completed_per_s: NotRequired[Known]
    lost: dict[str, Count]
    connections: dict[str, Count]


class Sessions(SessionPart):
    """Those that began in the steady state, and all."""

    per_s: Known
    completed_share: Known
    whole_run: SessionPart


class Connector(TypedDict):
    """What the connector of a built-in application counted."""

    seconds: Known
    counters: dict[str, Figure]
    most: dict[str, Figure]
    readings: Count


class Agent(TypedDict):
    """An agent, and what it did."""

    host: Word
    clock_offset_s: Figure
    clock_error_s: Figure
    users: NotRequired[Known]
    requests: NotRequired[Known]
    share: NotRequired[Known]
    cpu_share: NotRequired[Known]
    wake_lag_ms_p99: NotRequired[Known]
    lost_at_s: NotRequired[Known]


class Machine(TypedDict):
    """The machine that it was measured on."""

    hostname: NotRequired[Word | None]
    cpu: NotRequired[Word | None]
    cores: NotRequired[Known]
    memory_bytes: NotRequired[Known]
    os: NotRequired[Word | None]
    kernel: NotRequired[Word | None]


class Origin(TypedDict):
    """Where a record of any stage comes from."""

    name: NotRequired[Word | None]
    outcome: NotRequired[Word]
    started_at: NotRequired[Word | None]
    ended_at: NotRequired[Word | None]
    command: NotRequired[list[Word]]
    machine: NotRequired[Machine | None]
    versions: NotRequired[dict[str, Any] | None]
    accounts: NotRequired[Known]
    warnings: NotRequired[list[Word] | None]
    demonstration: NotRequired[Yes]


class Generator(TypedDict):
    """What the load generator needed."""

    cpu_share: NotRequired[Known]
    threads: NotRequired[Count | None]
    wake_lag_ms_p99: NotRequired[Known]


class Run(Origin):
    """`run.json`."""

    load: RunLoad
    steady: NotRequired[Steady]
    seed: NotRequired[Count]
    target: NotRequired[Word | None]
    scenario: NotRequired[dict[str, Word] | None]
    throughput_ops_per_s: NotRequired[Known]
    requests_per_s: NotRequired[Known]
    operations: dict[str, Operation]
    sessions: NotRequired[Sessions | None]
    sla: Sla
    validity: Validity
    generator: NotRequired[Generator | None]
    sut: NotRequired[dict[str, Known] | None]
    agents: NotRequired[list[Agent] | None]
    connector: NotRequired[Connector | None]
    failures: NotRequired[list[Text] | None]
