"""Goals of the user's own in a search: each has an interval beside those of SLA-1 and SLA-2."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import simulated

from loadstone import report
from loadstone.capacity import Forecast, Limits, Options, Search, find
from loadstone.capacity.evidence import Trial, shares, trial, verdicts
from loadstone.capacity.search import Verdict
from loadstone.cli.capacity_words import concluded, table
from loadstone.errors import LoadstoneError
from loadstone.goals import parse
from loadstone.judge import Histogram, Measurement, OperationSeries
from loadstone.measure import Interrupt, Job, Silent
from loadstone.stages.capacity import Capacity, Held

SLOWER, FAILING, CAPACITY = 40, 55, 70
FAST, SOUND = "Search p95 < 300 ms", "failed < 3 %"
OPTIONS = Options(Limits(20, 1000, 0.15))


def shop(users: int) -> simulated.Respond:
    """Search gets slower first, then some operations fail, and at last answers are too late."""

    def respond(rng: random.Random, name: str) -> float:
        if users > CAPACITY and rng.random() < 1 / 3:
            return rng.uniform(1.05, 1.2)
        if users > FAILING and rng.random() < 0.08:
            return -0.02
        if users > SLOWER and name == "Search" and rng.random() < 1 / 3:
            return rng.uniform(0.35, 0.5)
        return rng.uniform(0.01, 0.03)

    return respond


def silent(_number: int, _search: Search, _left: Forecast) -> Silent:
    return Silent()


def test_each_goal_has_its_interval(queued: Callable[..., Job], tmp_path: Path) -> None:
    folder = tmp_path / "capacity"
    result = find(queued(shop, [FAST, SOUND]), folder, OPTIONS, Interrupt(), silent)
    assert list(result.named()) == ["SLA-1", "SLA-2", FAST, SOUND]
    for goal, truth in ((FAST, SLOWER), (SOUND, FAILING)):
        held = result.goals[goal]
        assert held.low is not None and held.high is not None
        assert held.low == held.load <= truth < held.high <= 1.15 * held.low + 1
        assert held.verdict == "met" and held.ended_by == "tolerance"
    assert result.binding and (result.binding.goal, result.binding.operation) == (FAST, "Search")
    slow, failed = result.goals[FAST].limited_by, result.goals[SOUND].limited_by
    assert slow and slow.share_at_high == pytest.approx(2 / 3, abs=0.06)
    assert failed and failed.operation is None, "all operations are judged together"
    assert failed.share_at_high == pytest.approx(0.92, abs=0.03)
    assert set(result.runs[0].verdict) == set(result.loads[0].verdict) == set(result.named())
    said = table(result, folder)
    assert f"{FAST}: {result.goals[FAST].low:g} users hold it" in said
    assert " as it asks at " in said and f"{FAST} breaks first, by Search" in said
    assert FAST in report.sentence(report.read_chapter(folder))


def test_a_search_for_one_goal_makes_fewer_runs(queued: Callable[..., Job], tmp_path: Path) -> None:
    every = find(queued(shop, [FAST, SOUND]), tmp_path / "every", OPTIONS, Interrupt(), silent)
    limits = replace(OPTIONS.limits, only=(SOUND,))
    folder = tmp_path / "one"
    result = find(queued(shop, [FAST, SOUND]), folder, Options(limits), Interrupt(), silent)
    assert result.outcome == "complete" and len(result.runs) < len(every.runs)
    held = result.goals[SOUND]
    assert held.low is not None and held.high is not None and held.ended_by == "tolerance"
    assert held.low <= FAILING < held.high <= 1.15 * held.low + 1
    assert result.sla_1 and result.sla_1.ended_by == "not-searched"
    assert result.sla_1.low is not None and result.sla_1.low >= held.low, "what its runs show is kept"
    assert "was not searched (--only)" in table(result, folder)
    assert concluded(result, [SOUND]) == 0


@pytest.mark.parametrize(
    ("goal", "why"), [("throughput > 5 /s", "grows with the load"), ("failed < 0 %", "cannot be shown")]
)
def test_what_no_load_decides_is_refused_before_anything_starts(
    goal: str, why: str, queued: Callable[..., Job], tmp_path: Path
) -> None:
    with pytest.raises(LoadstoneError, match=rf"error\[goal\].*{why}"):
        find(queued(shop, [goal]), tmp_path / "capacity", OPTIONS, Interrupt(), silent)
    assert not (tmp_path / "capacity").exists() and not (tmp_path / "resets").exists()


def measured(*operations: OperationSeries) -> Measurement:
    some = np.ones(60)
    return Measurement(
        start_s=0, end_s=60, settled_s=0, operations=operations, users=some, requests=some, bytes_in=some,
        bytes_out=some, cpu_s=some, threads=1,
    )  # fmt: skip


def series(name: str, each_s: float, **changes: float) -> OperationSeries:
    """Operations of 0.2 s, so many a second; `dropped`, `failed`: more of them in each second."""
    ok, nothing = np.full(60, each_s), np.zeros(60)
    failed = {"status": nothing + changes.get("failed", 0)}
    spread = Histogram(np.array([0.19e6, 0.2e6, 0.21e6]), np.full(3, each_s * 20))
    return OperationSeries(
        name,
        1.0,
        ok,
        failed,
        nothing,
        nothing + changes.get("dropped", 0),
        {},
        spread,
        under={0.3: ok, 0.1: nothing},
    )


@pytest.mark.parametrize(
    ("text", "verdict", "share"),
    [
        ("Home p95 < 300 ms", Verdict.MISSED, 0.8),  # a failed operation is never within its bound
        ("Search p95 < 300 ms", Verdict.MET, 1.0),
        ("Home p95 < 100 ms", Verdict.MISSED, 0.0),
        ("p50 < 300 ms", Verdict.MET, 0.9),
        ("failed < 15 %", Verdict.MET, 0.9),
        ("Home failed < 15 %", Verdict.MISSED, 0.8),
        ("every failed < 15 %", Verdict.MISSED, 0.8),
        ("dropped < 1 %", Verdict.MISSED, 100 / 110),
        ("Search dropped < 1 %", Verdict.MET, 1.0),
    ],
)
def test_a_goal_is_about_its_own_share(text: str, verdict: Verdict, share: float) -> None:
    goal = parse(text)
    seen = measured(series("Home", 40, failed=10, dropped=10), series("Search", 50))
    one = evidence(seen, text)
    assert verdicts([one], [goal], 0.95) == {text: verdict}
    assert min(shares([one], text).values()) == pytest.approx(share)


def evidence(seen: Measurement, *texts: str) -> Trial:
    goals = [parse(text) for text in texts]
    return trial(seen, goals, faulty=False, invalid=False, late=False, trend="steady", valid=True)


def test_an_operation_that_never_ran_leaves_its_goal_open() -> None:
    seen = measured(series("Home", 40), series("Search", 0))
    goals = [parse("Search p95 < 300 ms"), parse("Home p95 < 300 ms")]
    one = evidence(seen, *(goal.text for goal in goals))
    assert list(verdicts([one], goals, 0.95).values()) == [Verdict.OPEN, Verdict.MET]
    hung = evidence(measured(series("Home", 0), series("Search", 0)), *(goal.text for goal in goals))
    assert set(verdicts([hung], goals, 0.95).values()) == {Verdict.MISSED}


MET = Held(low=57, load=57, verdict="met", ended_by="ceiling")


@pytest.mark.parametrize(
    ("held", "code"),
    [
        (MET, 0),
        (Held(high=1, verdict="missed", ended_by="least"), 1),
        (Held(high=25, ended_by="max-runs"), 6),
        (Held(ended_by="generator"), 7),
    ],
)
def test_a_goal_that_was_asked_for_decides_the_exit_code(held: Held, code: int) -> None:
    found = Capacity(sla_1=MET, goals={FAST: held}, runs=[])
    assert concluded(found, [FAST]) == code
    assert concluded(found) == 0, "the scenario's own goals do not"
    worse = Capacity(sla_1=Held(ended_by="max-runs"), goals={FAST: held}, runs=[])
    assert concluded(worse, ["SLA-1", FAST]) == 6
