"""The SLA in every window: against windows counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import folders
import numpy as np
import pytest
import simulated
from good_files import recovered
from hypothesis import given
from hypothesis import strategies as st

from loadstone.goals import SlaRules
from loadstone.judge import Histogram, Measurement, OperationSeries, Rules
from loadstone.judge.goals import judge_goals
from loadstone.judge.sla import departures, judge_sla, worst_window


def series(name: str, ok: list[int], late: list[int], status: list[int] | None = None) -> OperationSeries:
    zeros = np.zeros(len(ok))
    return OperationSeries(
        name=name,
        limit_s=1.0,
        ok=np.array(ok, dtype=float),
        failed={"status": zeros if status is None else np.array(status, dtype=float)},
        late=np.array(late, dtype=float),
        dropped=zeros,
        counters={},
    )


def measurement(*operations: OperationSeries) -> Measurement:
    zeros = np.zeros(len(operations[0].ok))
    return Measurement(
        start_s=10,
        end_s=10.0 + len(zeros),
        settled_s=10,
        operations=operations,
        users=zeros,
        requests=zeros,
        bytes_in=zeros,
        bytes_out=zeros,
        cpu_s=zeros,
        threads=1,
    )


def rules(
    window_s: float,
    accounts: int | None = 1000,
    ramp_up_s: float = 150,
    claimed: SlaRules | None = "cloudstone",
) -> Rules:
    plan = simulated.plan(ramp_up_s=ramp_up_s)
    return Rules(plan, window_s, accounts, {}, {}, claimed=claimed)


def verdicts(*operations: OperationSeries) -> list[str]:
    """Of SLA-1 and SLA-2."""
    return [goal.verdict for goal in judge_goals(measurement(*operations), rules(1))]


def test_the_worst_window_is_found_between_the_fixed_ones() -> None:
    # Consecutive windows of four hold 2 late of 40 each; the sliding one in the middle holds 4.
    late = [0, 0, 1, 1, 1, 1, 0, 0]
    worst = worst_window(series("Home", [10] * 8, late), 4)
    assert worst is not None
    assert (worst.at, worst.share) == (2, 0.9)


def test_exactly_the_share_is_open_and_far_from_it_is_decided() -> None:
    # 0.9 ± 0.05 of 100 operations; 0.8 and 0.99 are further away than chance brings them.
    assert verdicts(series("Home", [100], [10])) == ["open", "missed"]
    assert verdicts(series("Home", [100], [20])) == ["missed", "missed"]
    assert verdicts(series("Home", [100], [1])) == ["met", "open"]


def test_failed_operations_are_not_within_the_limit() -> None:
    goal = judge_goals(measurement(series("Home", [80], [0], [20])), rules(1))[0]
    assert (goal.verdict, goal.limit, goal.measured) == ("missed", 0.9, 0.8)
    assert (goal.operation, goal.window_start_s) == ("Home", 10)
    assert goal.low < 0.8 < goal.high < 0.9


def test_each_operation_must_hold_it_by_itself() -> None:
    goal = judge_goals(measurement(series("Often", [1000], [0]), series("Rarely", [50], [20])), rules(1))[0]
    assert (goal.verdict, goal.operation) == ("missed", "Rarely")


def test_four_operations_are_not_enough() -> None:
    assert verdicts(series("Home", [4], [0])) == ["open", "open"]


def test_few_operations_far_below_the_limit_are_enough() -> None:
    quick = replace(series("Home", [20], [0]), response=Histogram.of(range(500, 520), [1] * 20))
    near = replace(series("Home", [20], [0]), response=Histogram.of(range(10000, 11160, 58), [1] * 20))
    assert verdicts(quick) == ["met", "met"]
    assert near.response.quantile_us(1.0) < 1e6
    assert verdicts(near) == ["open", "open"]


def test_a_run_without_operations_meets_nothing() -> None:
    goal = judge_goals(measurement(series("Home", [0, 0], [0, 0])), rules(1))[0]
    assert (goal.verdict, goal.operation, goal.measured) == ("missed", None, None)


def test_windows_without_an_operation_judge_nothing() -> None:
    assert verdicts(series("Home", [0, 700, 0], [0, 0, 0])) == ["met", "met"]


def test_a_steady_state_shorter_than_the_window_is_one_window() -> None:
    judged = judge_sla(measurement(series("Home", [1] * 20, [0] * 20)), rules(300))
    assert judged.windows == 1 and not judged.compliant


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40),
    st.integers(1, 50),
)
def test_no_window_is_worse_than_the_worst(seconds: list[tuple[int, int]], window: int) -> None:
    ok = [max(pair) for pair in seconds]
    late = [min(pair) for pair in seconds]
    width = min(window, len(ok))
    sums = [(sum(ok[i : i + width]), sum(late[i : i + width])) for i in range(len(ok) - width + 1)]
    by_hand = [(n - l) / n for n, l in sums if n]  # noqa: E741
    worst = worst_window(series("Home", ok, late), window)
    assert (worst.share if worst else None) == (pytest.approx(min(by_hand)) if by_hand else None)


def test_every_departure_from_the_rules_is_named() -> None:
    assert departures(rules(300), 300) == []
    assert departures(rules(20, accounts=100, ramp_up_s=10), 20) == [
        "short window (20 s instead of 300 s)",
        "short ramp-up (10 s instead of 150 s)",
        "few accounts (100 instead of 1000: U = log10(accounts) is under 3)",
    ]
    assert departures(rules(300), 120) == ["short steady state (120 s instead of 300 s)"]
    assert "unknown" in departures(rules(300, accounts=None), 300)[0]


def test_a_site_that_claims_no_rules_cannot_depart_from_them(tmp_path: Path) -> None:
    """Three sites of the same few accounts and short windows: one claims the rules, one does not, and one was
    measured before that could be said.
    """
    short = measurement(series("Home", [1] * 20, [0] * 20))
    assert judge_sla(short, rules(20, 5, 0)).compliant is False
    assert judge_sla(short, rules(20, 5, 0, claimed=None)).compliant is None
    assert departures(rules(20, 5, 0, claimed=None), 20) == []
    plan = simulated.plan(users=3, ramp_up_s=0.0, steady_s=2.0, ramp_down_s=0.0)
    windows = simulated.windows(plan, lambda rng, _: 0.01)
    run = folders.made(tmp_path / "new", plan, windows)
    assert run["sla"]["compliant"] is None and not run["warnings"]
    older = tmp_path / "older"
    older.mkdir()
    recovered(older)
    run = json.loads((older / "run.json").read_text())
    assert run["sla"]["compliant"] is False
    assert any(warning.startswith("not compliant: ") for warning in run["warnings"])
