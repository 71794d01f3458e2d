"""Healthy runs that are called ill, and ill ones that are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from calibrated.families import FAMILIES
from calibrated.world import Case, Faults, simulate
from loadstone.judge import Measurement, Rules
from loadstone.judge.goals import judge_goals
from loadstone.judge.validity import FEWEST, checks
from loadstone.stages.run import Check
from loadstone.stages.verdict import run_state

LENGTHS = (100, 1_000, 10_000)
"""Operations of the runs that are ill."""

ILL: dict[str, tuple[Faults, tuple[str, ...]]] = {
    "1 % of the operations fail": (Faults(failed=0.01), ("error-rate",)),
    "5 % of the operations fail": (Faults(failed=0.05), ("error-rate",)),
    "pauses 5 % too long": (Faults(pace=1.05), ("pace", "littles-law")),
    "pauses 5 % too short": (Faults(pace=0.95), ("pace", "littles-law")),
    "5 points of the mix moved": (Faults(moved=0.05 / 0.7), ("mix",)),
    "5 % of the users hang": (Faults(hanging=0.05), ("littles-law",)),
    "5 % of the users never run": (Faults(absent=0.05), ("littles-law",)),
    **{f"{100 - late} % within the limit": (Faults(late=late / 100), ("SLA-1",)) for late in (11, 13, 15)},
    **{f"{100 - late} % within the limit": (Faults(late=late / 100), ("SLA-2",)) for late in (2, 4, 6)},
}
"""What is wrong, and the checks or goals that should find it."""


def alarms(cases: int, runs: int, rng: np.random.Generator) -> dict[str, Any]:
    """By family: runs, and how many of them each check of a healthy run missed or left open."""
    found = {}
    for name, make in FAMILIES.items():
        tally: Counter[str] = Counter()
        for _ in range(cases):
            case = make(rng)
            rules = case.rules()
            for measurement in simulate(case, runs, rng):
                if measurement.count >= FEWEST:
                    tally.update(_counted(checks(measurement, rules)))
        found[name] = dict(sorted(tally.items()))
        print(name, found[name], flush=True)
    return found


def _counted(found: Iterable[Check]) -> list[str]:
    """What one run adds to the tally."""
    found = list(found)
    state = run_state((check.about, check.verdict, check.required) for check in found)
    words = ["runs", f"run {state}"]
    if any(check.verdict == "missed" and check.required for check in found):
        words.append("run alarmed")
    return words + [f"{check.name} {check.verdict}" for check in found]


def finds(cases: int, rng: np.random.Generator) -> dict[str, dict[str, dict[str, float]]]:
    """By fault and run length: in what share of the runs each check that should find it did."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, (faults, wanted) in ILL.items():
        found[name] = {}
        for length in LENGTHS:
            case = replace(_usual(length), faults=faults)
            rules = case.rules()
            runs = simulate(case, cases, rng)
            missed = [_missed(measurement, rules) for measurement in runs]
            found[name][str(length)] = {
                check: sum(check in one for one in missed) / len(missed) for check in wanted
            }
        print(name, found[name], flush=True)
    return found


def _missed(measurement: Measurement, rules: Rules) -> set[str]:
    judged = [*checks(measurement, rules), *judge_goals(measurement, rules)]
    return {one.name for one in judged if one.verdict == "missed"}


def _usual(operations: int) -> Case:
    """20 users (100 of a long run), three operations, negative exponential cycles of 2 s."""
    row = np.array([0.3, 0.5, 0.2, 0.0])
    users = 100 if operations > 1_000 else 20
    return Case(
        matrix=np.tile(row, (3, 1)),
        law={"kind": "neg-exp", "mean_s": 2.0, "max_s": 10.0},
        kind="cycle",
        ramp_s=10,
        steady_s=round(operations * 2 / users),
        users=users,
    )
