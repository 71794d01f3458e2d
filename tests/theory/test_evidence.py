"""Healthy runs of every kind are called so: a small part of `bench/calibration.py`, whose tables are kept."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from calibrated.alarms import alarms
from calibrated.families import FAMILIES
from calibrated.world import Case, simulate

from loadstone.judge.flow import pace
from loadstone.judge.little import littles_law


def test_healthy_runs_are_seldom_called_anything_else() -> None:
    """At most 1 in 100; 2 of 70 allow for chance."""
    found = alarms(1, 10, np.random.default_rng(1))
    assert set(found) == set(FAMILIES)
    runs = sum(one["runs"] for one in found.values())
    assert runs > 50
    assert sum(one.get("run alarmed", 0) for one in found.values()) <= 2


def test_long_lives_that_a_short_run_cannot_complete_are_no_alarm() -> None:
    """Sessions of some 60 s in a run of 20 s: those that ended were short, and said nothing of the others."""
    case = Case(
        matrix=np.array([[0.95, 0.05]]),
        law={"kind": "neg-exp", "mean_s": 3.0, "max_s": 15.0},
        kind="think",
        ramp_s=40,
        steady_s=20,
        rate=50.0,
    )
    rules = case.rules()
    found = {littles_law(one, rules).verdict for one in simulate(case, 5, np.random.default_rng(1))}
    assert found == {"open"}


def test_fixed_cycles_tie_the_ends_of_a_run() -> None:
    """Half a cycle over: every second user ends one more, and the deviation is as large as it can be."""
    case = Case(
        matrix=np.array([[1.0, 0.0]]),
        law={"kind": "fixed", "value_s": 10.0},
        kind="cycle",
        ramp_s=10,
        steady_s=135,
        users=20,
    )
    runs = simulate(case, 800, np.random.default_rng(1))
    assert sum(littles_law(one, case.rules()).verdict == "missed" for one in runs) <= 4


def test_young_walks_and_their_pauses_are_no_alarm() -> None:
    """Most users are near their first operation yet; who drew long pauses is at an earlier step."""
    size = 10
    rows = np.full((size, size), 0.3 / size) + 0.7 * np.eye(size)
    case = Case(
        matrix=np.hstack([rows, np.zeros((size, 1))]),
        law={"kind": "uniform", "low_s": 0.8, "high_s": 7.4},
        kind="think",
        ramp_s=2,
        steady_s=33,
        users=1200,
    )
    found = [pace(one, case.rules()) for one in simulate(case, 10, np.random.default_rng(1))]
    assert not [one.measured for one in found if one.verdict == "missed"]
