"""How long a search is said to take, against how long it takes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from loadstone.capacity.forecast import Lengths, forecast, runs_left
from loadstone.capacity.search import Limits, Search, Verdict

GOALS = ("SLA-1", "SLA-2")


def test_the_worst_case_is_every_run_that_may_be_made() -> None:
    found = forecast(Limits(25, 100_000, runs=60), Lengths(run_s=450, probe_s=20))
    assert found.worst_s == 60 * 450 + 13 * 20
    assert 2 * 450 <= found.expected_s < 10 * 450


def test_a_search_takes_about_as_many_runs_as_expected() -> None:
    limits = Limits(25, 100_000)
    said = forecast(limits, Lengths(run_s=1)).expected_s
    taken = []
    for capacity in np.geomspace(50, 50_000, 40).astype(int):
        search = Search(["SLA-1"], limits)
        while (users := search.next()) is not None:
            search.record(users, {"SLA-1": Verdict.MET if users <= capacity else Verdict.MISSED})
            taken.append(users)
    assert said == pytest.approx(len(taken) / 40, rel=0.2)


def test_what_is_left_shrinks_to_nothing_and_leaves_the_search_as_it_is() -> None:
    search = Search(GOALS, Limits(100, 100_000, 0.05).near(480))
    left = [runs_left(search)]
    while (users := search.next()) is not None:
        search.record(users, {goal: Verdict.MET if users <= 500 else Verdict.MISSED for goal in GOALS})
        left.append(runs_left(search))
    assert left[-1] == 0 and left[0] > 0
    assert all(later <= earlier for earlier, later in itertools.pairwise(left))
