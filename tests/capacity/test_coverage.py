"""Search and verdicts together on noisy services of known capacity: the interval keeps its confidence."""

from __future__ import annotations

import noisy
import numpy as np
import pytest

from loadstone.capacity.evidence import verdicts
from loadstone.capacity.search import Limits, Search
from loadstone.judge.goals import sla_goals
from loadstone.judge.sla import SLAS

LIMITS = Limits(25, 5000)


def searched(rng: np.random.Generator, knee: float, sigma: float, seconds: int) -> Search:
    search = Search([sla.name for sla in SLAS], LIMITS)
    trials: dict[int, list[noisy.Trial]] = {}
    while (users := search.next()) is not None:
        trials.setdefault(users, []).append(noisy.run(rng, users, knee, sigma, seconds))
        search.record(users, verdicts(trials[users], sla_goals(seconds), 1 - 0.05 / LIMITS.repeats))
    return search


@pytest.mark.parametrize(("sigma", "seconds"), [(0.3, 300), (0.3, 20), (0.8, 60)])
def test_the_interval_holds_the_capacity_as_often_as_stated(sigma: float, seconds: int) -> None:
    rng = np.random.default_rng(7)
    tries, held = 40, dict.fromkeys((sla.name for sla in SLAS), 0)
    for _ in range(tries):
        knee = rng.uniform(150, 600)
        search = searched(rng, knee, sigma, seconds)
        for sla in SLAS:
            bracket = search.brackets[sla.name]
            held[sla.name] += bracket.low <= noisy.capacity(knee, sigma, sla.share) < (bracket.high or 1e9)
    # 95 % of 40 is 38; 34 or fewer would happen to a method that keeps its word once in 70 tests.
    assert all(count >= 35 for count in held.values()), held


def test_a_steady_service_is_found_within_five_per_cent_and_again() -> None:
    intervals = []
    for seed in (1, 2):
        search = searched(np.random.default_rng(seed), 400, 0.2, 300)
        bracket = search.brackets["SLA-1"]
        assert bracket.low == pytest.approx(noisy.capacity(400, 0.2, 0.9), rel=0.05)
        assert search.outcome == "complete" and bracket.high is not None
        intervals.append((bracket.low, bracket.high))
    (low, high), (other_low, other_high) = intervals
    assert low < other_high and other_low < high
