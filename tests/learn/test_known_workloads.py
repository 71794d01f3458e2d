"""What is learned from a log of known users is what they were."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from simulated_logs import WORKLOADS, Class, Workload, write

from loadstone.learn import Lesson, Options, learn
from loadstone.report.learned import outside
from loadstone.stages.learn import Class as Found

NAMES = {"item": "items-id"}
LAWS = {
    "browse": ("neg-exp", {"mean_s": 7.0}),
    "log-normal": ("log-normal", {"mu": 1.8, "sigma": 0.9}),
    "two-classes": ("weibull", {"scale_s": 9.0, "shape": 1.5}),
}
DEVIATIONS = 4.0
"""Of an estimate's standard error: one of 16,000 right ones is farther off."""
LEAST = 200
"""Visits of an operation by a class from which on its row is compared."""


@pytest.fixture(scope="module", params=WORKLOADS)
def learned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Lesson]:
    folder = tmp_path_factory.mktemp("log")
    write(folder / "access.log", WORKLOADS[request.param], 1500)
    (folder / "parts").mkdir()
    return request.param, learn([str(folder / "access.log")], Options(), folder / "parts", {})


def _rows(one: Class) -> dict[str, dict[str, float]]:
    rows = {}
    for name, cells in one.mix.items():
        row = {NAMES.get(to, to): share for to, share in cells.items()}
        rows[NAMES.get(name, name)] = row | {"end": 1 - sum(row.values())}
    return rows


def worst_step(truth: Class, found: Found, sessions: float) -> float:
    """The largest error of a step's share, in standard errors, of rows that were seen often."""
    wrong = [0.0]
    visits = _visits(found)
    for name, row in _rows(truth).items():
        count = visits.get(name, 0.0) * sessions
        if count < LEAST:
            continue
        for to, share in row.items():
            error = math.sqrt(max(share * (1 - share), 1e-3) / count)
            wrong.append(abs(found.mix[name].get(to, 0.0) - share) / error)
    return max(wrong)


def _visits(found: Found) -> dict[str, float]:
    names = list(found.mix)
    follow = np.array([[found.mix[a].get(b, 0.0) for b in names] for a in names])
    enter = np.array([found.enter.get(a, 0.0) for a in names])
    return dict(zip(names, np.linalg.solve(np.eye(len(names)) - follow.T, enter), strict=True))


def test_the_matrix_is_that_of_the_users(learned: tuple[str, Lesson]) -> None:
    name, lesson = learned
    truths, found = WORKLOADS[name].classes, lesson.record.classes.classes
    assert len(found) == len(truths)
    sessions = lesson.record.classes.sampled_sessions
    for truth, one in zip(sorted(truths, key=lambda each: -each.share), found, strict=True):
        assert one.share == pytest.approx(truth.share, abs=DEVIATIONS * 0.5 / math.sqrt(sessions))
        assert worst_step(truth, one, one.share * sessions) < DEVIATIONS + (len(truths) > 1)


def test_one_class_is_enough_where_there_is_one(learned: tuple[str, Lesson]) -> None:
    name, lesson = learned
    tried = lesson.record.classes.tried
    assert min(tried, key=lambda number: tried[number]) == str(len(WORKLOADS[name].classes))


def test_the_law_of_the_pauses_is_found_with_its_parameters(learned: tuple[str, Lesson]) -> None:
    name, lesson = learned
    pauses = lesson.record.pauses
    assert pauses is not None
    kind, parameters = LAWS[name]
    best = next(one for one in pauses.laws if one.kind == kind)
    assert best.aic - pauses.laws[0].aic < 4, "the true law is among those that AIC cannot tell apart"
    for parameter, value in parameters.items():
        error = best.errors[parameter]
        assert error is not None
        assert best.parameters[parameter] == pytest.approx(value, abs=DEVIATIONS * error)


def test_sessions_are_told_apart_as_they_were(learned: tuple[str, Lesson]) -> None:
    cutoff = learned[1].record.cutoff
    assert cutoff.how == "fitted" and 60 < cutoff.seconds < 3600
    chosen = next(one for one in cutoff.sensitivity if one.cutoff_s == cutoff.seconds)
    assert chosen.sessions == pytest.approx(4500, rel=0.002)


def test_a_replay_is_as_near_as_chance_allows(learned: tuple[str, Lesson]) -> None:
    held = learned[1].record.held_out
    assert held.mix_distance.value < DEVIATIONS * held.mix_distance_by_chance
    assert held.length_distance < 1.5 * held.length_distance_by_chance
    low, high = held.session_length.low, held.session_length.high
    assert low is not None and high is not None
    wider = (high - low) / 2
    assert low - wider <= held.session_length_replayed <= high + wider
    assert len(outside(learned[1].record)) <= 2


def test_another_workload_is_seen_to_be_another(tmp_path: Path) -> None:
    """Two classes taken for one: the lengths of the sessions tell."""
    write(tmp_path / "access.log", WORKLOADS["two-classes"], 1500)
    (tmp_path / "parts").mkdir()
    held = learn(
        [str(tmp_path / "access.log")], Options(most_classes=1), tmp_path / "parts", {}
    ).record.held_out
    assert held.length_distance > held.length_distance_by_chance


def test_files_belong_to_their_pages(learned: tuple[str, Lesson]) -> None:
    name, lesson = learned
    workload: Workload = WORKLOADS[name]
    for one in lesson.record.operations:
        own = {NAMES.get(page, page): count for page, count in workload.files.items()}
        assert one.files_per_visit == pytest.approx(own.get(one.name, 0), abs=0.02)


def test_names_are_those_of_the_paths(learned: tuple[str, Lesson]) -> None:
    assert {one.name: one.path for one in learned[1].record.operations} == {
        "items-id": "/items/{int}", "search": "/search", "home": "/", "cart": "/cart",
        "post-checkout": "/checkout",
    }  # fmt: skip


def test_the_scenario_is_good(learned: tuple[str, Lesson], tmp_path: Path) -> None:
    from loadstone.scenario import load_scenario

    (tmp_path / "it.toml").write_text(learned[1].scenario, "utf-8")
    assert load_scenario(str(tmp_path / "it.toml")).warnings == ()


def test_counts_of_the_hours_add_up(learned: tuple[str, Lesson]) -> None:
    arrivals = learned[1].record.arrivals
    assert arrivals.clients == 1500
    assert arrivals.sessions == pytest.approx(4500, rel=0.002)
    pairs = itertools.pairwise(arrivals.by_hour)
    assert all(abs(a - b) < 60 for a, b in pairs), "users come at any hour"
