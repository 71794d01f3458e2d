"""What is written before the first packet and becomes part of `run.json`."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from loadstone.goals import SlaRules
from loadstone.intake.shapes import Count, Known, Seconds, Word


class WorkloadLoad(TypedDict):
    """`load` of `workload.json`."""

    users: NotRequired[Count | None]
    sessions_per_s: NotRequired[Known]
    requests_per_s: NotRequired[Known]
    arrivals: NotRequired[Word]
    ramp_up_s: Seconds
    steady_s: Seconds
    ramp_down_s: Seconds
    threads: NotRequired[Count | None]
    operations: NotRequired[Count | None]


class WorkloadStep(TypedDict):
    """A step of an operation."""

    count: NotRequired[Word | None]


class WorkloadOperation(TypedDict):
    """An operation of `workload.json`."""

    name: Word
    limit_s: Seconds
    steps: list[WorkloadStep]
    pacing: NotRequired[dict[str, Any] | None]


class WorkloadFunction(TypedDict):
    """A function that steps call."""

    name: Word


class WorkloadSession(TypedDict):
    """How sessions begin."""

    first: Word
    max_operations: NotRequired[Count | None]


class WorkloadScenario(TypedDict):
    """One of several scenarios; its operations are the next ones of the workload."""

    name: Word
    weight: Count
    operations: Count
    session: WorkloadSession


class Workload(TypedDict):
    """`workload.json` of a run."""

    name: Word
    load: WorkloadLoad
    operations: list[WorkloadOperation]
    functions: NotRequired[list[WorkloadFunction]]
    pacing: NotRequired[dict[str, Any]]
    """Of several scenarios each operation has its own."""
    scenarios: NotRequired[list[WorkloadScenario]]


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
    sla_rules: NotRequired[SlaRules | None]
    """A folder of before there were claims has none: all runs were held to the rules of Cloudstone."""
    expectations: Expectations
    checks: list[RuleCheck]
    goals: NotRequired[list[Word]]
    """A folder of before there were goals has none."""


class First(TypedDict):
    """`machine.json`."""

    machine: dict[str, Any]
    versions: dict[str, Any]
    command: list[Word]
    seed: Count
    started_at: Word
