"""Runs that had settled, and runs that had not."""

from __future__ import annotations

import numpy as np
import pytest

from loadstone.capacity.evidence import Sample, Trial, verdicts
from loadstone.capacity.search import Verdict
from loadstone.capacity.steadiness import steadiness
from loadstone.judge import Histogram, Measurement, OperationSeries
from loadstone.judge.goals import sla_goals

SECONDS = 60


def run(
    rng: np.random.Generator, rate_to: float = 1.0, response_to: float = 1.0, seconds: int = SECONDS
) -> Measurement:
    """Twenty operations a second of 0.5 s; rate and response time go evenly to that factor until the end."""
    way = np.linspace(0, 1, seconds)
    rate = 20 * (1 + (rate_to - 1) * way)
    response_s = 0.5 * (1 + (response_to - 1) * way)
    ok = rng.poisson(rate).astype(float)
    nothing = np.zeros(seconds)
    operation = OperationSeries("Home", 2.0, ok, {}, nothing, nothing, {})
    return Measurement(
        start_s=0, end_s=seconds, settled_s=0, operations=(operation,), users=nothing + 50, requests=ok,
        bytes_in=ok, bytes_out=ok, cpu_s=nothing, threads=1, in_flight=rng.poisson(rate * response_s) * 1.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "trend"),
    [
        ({"rate_to": 0.4}, "worse"),
        ({"rate_to": 2.5}, "better"),
        ({"response_to": 4.0}, "worse"),
        ({"response_to": 0.2}, "better"),
    ],
)
def test_a_drift_is_seen_and_its_direction(changes: dict[str, float], trend: str) -> None:
    rng = np.random.default_rng(3)
    trends = [steadiness(run(rng, **changes)).trend for _ in range(40)]
    assert set(trends) <= {trend, "steady"} and trends.count(trend) >= 36


def test_steady_runs_are_seldom_called_drifting() -> None:
    rng = np.random.default_rng(4)
    trends = [
        steadiness(run(rng, seconds=seconds)).trend for seconds in (15, 30, 60, 300) for _ in range(250)
    ]
    # 1 % of 1,000 is 10; more than 20 would be seen once in 600 tests.
    assert len(trends) - trends.count("steady") <= 20


def test_a_short_run_tells_no_trend() -> None:
    assert steadiness(run(np.random.default_rng(5), seconds=14)).trend == "unknown"


def test_a_run_that_still_got_worse_shows_that_nothing_holds_and_the_reverse() -> None:
    count = np.full(60, 100.0)
    spread = Histogram(np.array([1.0]), np.array([6000.0]))
    good = [Sample("Home", 2.0, count, count, spread)]
    bad = [Sample("Home", 2.0, count, count / 2, spread)]

    def trial(samples: list[Sample], trend: str) -> Trial:
        return Trial(dict.fromkeys(("SLA-1", "SLA-2"), samples), trend=trend)  # type: ignore[arg-type]

    def judged(trials: list[Trial]) -> Verdict:
        return verdicts(trials, sla_goals(60), 0.95)["SLA-1"]

    def once(samples: list[Sample], trend: str) -> Verdict:
        return judged([trial(samples, trend)])

    assert [once(good, trend) for trend in ("steady", "unknown", "better")] == [Verdict.MET] * 3
    assert once(good, "worse") is Verdict.OPEN
    assert [once(bad, trend) for trend in ("steady", "unknown", "worse")] == [Verdict.MISSED] * 3
    assert once(bad, "better") is Verdict.OPEN
    both = [trial(good, "worse"), trial(good, "steady")]
    assert judged(both) is Verdict.MET, "what a settled run showed stays"
