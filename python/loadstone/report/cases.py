"""Verdicts as the cases of a test report: each goal, check or compared figure is one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from loadstone.report import differences
from loadstone.report.capacity_answer import ended
from loadstone.report.goals import asked, seen
from loadstone.stages.capacity import Capacity, Held
from loadstone.stages.compare import Comparison
from loadstone.stages.run import Check, GoalFigures, Run
from loadstone.unit import Unit

State = Literal["passed", "failure", "error", "skipped"]
"""`failure`: the service did not do it. `error`: nobody knows whether it did."""


@dataclass(frozen=True)
class Case:
    """One verdict."""

    group: str
    name: str
    state: State
    said: str
    """Why, in a line."""


def run_cases(run: Run, sla: int) -> list[Case]:
    """The goals, then the checks. The SLA that does not decide (1 or 2 does) is skipped unless it is met."""
    invalid = run.validity.state == "invalid"
    goals = [_goal(name, goal, invalid, name == _other(sla)) for name, goal in run.goals.items()]
    return [*goals, *(_check(check) for check in run.validity.checks)]


def capacity_cases(found: Capacity, sla: int) -> list[Case]:
    """Each goal: whether a load is known that holds it."""
    return [_held(name, held, found.unit, name == _other(sla)) for name, held in found.named().items()]


def comparison_cases(found: Comparison) -> list[Case]:
    """Each compared figure: a failure where it is worse beyond chance."""
    worse = found.worse()
    cases = [
        Case(
            one.side,
            f"{differences.operation_of(one)} {one.figure}",
            "failure" if one in worse else "passed",
            f"{one.said}: {' '.join(differences.row(one)[2:-1])}"
            if one.said != "~"
            else "no difference shown",
        )
        for one in found.rows
    ]
    return cases + [
        Case(one.side, f"{differences.operation_of(one)} {one.figure}", "skipped", one.why)
        for one in found.unjudged
    ]


def count(cases: Iterable[Case], state: State) -> int:
    """How many are in this state."""
    return sum(case.state == state for case in cases)


def _other(sla: int) -> str:
    return f"SLA-{3 - sla}"


def _goal(name: str, goal: GoalFigures, invalid: bool, undeciding: bool) -> Case:
    where = f"{goal.operation}: " if goal.operation else ""
    said = f"{goal.verdict}: {where}{seen(goal)}, {asked(goal)} asked for"
    if goal.measured is None:
        said = f"{goal.verdict}: nothing was seen"
    state: State = {"met": "passed", "missed": "failure"}.get(goal.verdict, "error")  # type: ignore[assignment]
    if invalid:
        state, said = "error", f"the run is invalid and says nothing of the service ({said})"
    elif undeciding and state != "passed":
        state, said = "skipped", f"this SLA does not decide ({said})"
    return Case("goals", name, state, said)


def _check(check: Check) -> Case:
    said = f"{check.measured}, expected {check.expected}"
    if check.verdict == "met":
        return Case("checks", check.name, "passed", said)
    if not check.required:
        return Case("checks", check.name, "skipped", f"{check.verdict}, and only noted: {said}")
    by_service = check.verdict == "missed" and check.about in ("service", "overload")
    hint = f"; {check.hint}" if check.hint else ""
    return Case("checks", check.name, "failure" if by_service else "error", f"{check.verdict}: {said}{hint}")


def _held(name: str, held: Held, unit: Unit, undeciding: bool) -> Case:
    if held.load:
        return Case("capacity", name, "passed", f"{unit.amount(held.load)} hold it")
    state: State = "failure" if held.verdict == "missed" else "error"
    said = f"not even {unit.least_words} holds it"
    if held.verdict != "missed":
        why = ended(held)
        said = "open: no load is known to hold it" + (f", because {why}" if why else "")
    if undeciding:
        state, said = "skipped", f"this SLA does not decide ({said})"
    return Case("capacity", name, state, said)
