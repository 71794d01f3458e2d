"""The scaling law against known coefficients, and against queues that are solved exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from loadstone.judge.scaling import Errors, scaling
from loadstone.judge.usl import Fit, Law
from loadstone.stages.scaling import Estimated, Scaling, ScalingPoint

LAWS = [Law(20.0, 0.02, 1e-4), Law(5.0, 0.05, 0.0), Law(1000.0, 0.0, 1e-6), Law(0.2, 0.0, 0.0)]
LOADS = [[1, 2, 4, 8, 16, 32], [25, 50, 100, 200, 300, 400, 420], [1, 2, 3, 4] * 3]
NOISE = 0.03
SEEDS = 100


def points(law: Law, loads: list[int], noise: np.ndarray | None = None) -> list[ScalingPoint]:
    factors = np.ones(len(loads)) if noise is None else np.exp(noise)
    return [
        ScalingPoint(load=load, per_s=law.throughput(load) * float(factor))
        for load, factor in zip(loads, factors, strict=True)
    ]


def holds(one: Estimated | None, truth: float) -> bool:
    assert one
    return one.low <= truth * 1.0001 and (one.high is None or truth <= one.high * 1.0001)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("loads", LOADS, ids=len)
def test_exact_points_give_the_law_back(law: Law, loads: list[int]) -> None:
    found = scaling(points(law, loads), "machines", "operations/s")
    assert found.alone and found.contention and found.coherency
    assert found.alone.value == pytest.approx(law.one, rel=1e-4)
    assert found.contention.value == pytest.approx(law.contention, rel=1e-3, abs=1e-6)
    assert found.coherency.value == pytest.approx(law.coherency, rel=1e-2, abs=1e-8)


@pytest.mark.parametrize(("law", "loads"), [(LAWS[0], LOADS[0]), (LAWS[1], LOADS[2])])
def test_the_intervals_hold_the_truth_mostly(law: Law, loads: list[int]) -> None:
    """The long test counts with more seeds."""
    assert (held(law, loads, 20) >= 16).all()


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("loads", LOADS[:2], ids=len)
def test_the_intervals_hold_the_truth_as_often_as_they_say(law: Law, loads: list[int]) -> None:
    """95 %, less three standard errors of 100 seeds; one fixed sequence of numbers, so no chance is left."""
    least = 0.95 - 3 * np.sqrt(0.05 * 0.95 / SEEDS)
    assert (held(law, loads, SEEDS) >= least * SEEDS).all()


def held(law: Law, loads: list[int], seeds: int) -> np.ndarray:
    """In how many of `seeds` data sets each interval has the truth."""
    held = np.zeros(4)
    for seed in range(seeds):
        noise = NOISE * np.random.default_rng(seed).standard_normal(len(loads))
        fit = Fit(np.array(loads, dtype=float), np.array([one.per_s for one in points(law, loads, noise)]))
        slack = fit.squares / fit.freedom * float(stats.f.ppf(0.95, 1, fit.freedom))
        far = 2.0 * max(loads)
        truths = (law.one, law.contention, law.coherency, law.throughput(far))
        ends = (
            fit.throughput(1, slack),
            fit.contention(slack),
            fit.coherency(slack),
            fit.throughput(far, slack),
        )
        for at, (truth, (low, high)) in enumerate(zip(truths, ends, strict=True)):
            held[at] += low <= truth * 1.0001 and (high is None or truth <= high * 1.0001 + 1e-12)
    return held


def test_the_peak_is_found_and_its_interval_holds_it() -> None:
    law = Law(20.0, 0.02, 1e-4)
    noise = 0.02 * np.random.default_rng(1).standard_normal(9)
    found = scaling(points(law, [5, 10, 20, 40, 60, 80, 100, 150, 200], noise), "machines", "operations/s")
    assert law.peak == pytest.approx(98.99, abs=0.01)
    assert holds(found.peak, law.peak) and not found.peak_extrapolated
    assert found.peak and found.peak.high and found.peak.high < 1.5 * law.peak


def test_a_peak_beyond_what_was_measured_is_marked() -> None:
    found = scaling(points(Law(20.0, 0.02, 1e-4), [5, 10, 20, 40, 60, 80]), "machines", "operations/s")
    assert found.peak and found.peak_extrapolated
    assert [point.extrapolated for point in found.curve] == [point.load > 80 for point in found.curve]
    assert found.curve[-1].load == 160


def test_three_points_need_errors_of_their_own() -> None:
    three = points(Law(20.0, 0.1, 0.0), [1, 2, 4])
    found = scaling(three, "machines", "users")
    assert found.refused and "nothing that says how sure it is" in found.refused and not found.curve
    known = scaling(three, "machines", "users", Errors(0.02, 6.0))
    assert known.refused is None and holds(known.contention, 0.1)
    assert known.alone and known.alone.high and known.alone.high > known.alone.value * 1.01


@pytest.mark.parametrize(
    ("loads", "factors", "why"),
    [
        ([], [], "it takes 3 different numbers of users, and 0 were measured"),
        ([10, 10, 10], [1, 1, 1], "it takes 3 different numbers of users, and 1 was measured"),
        ([10, 20, 20], [1, 1, 1], "it takes 3 different numbers of users, and 2 were measured"),
        ([100, 120, 150, 180], [1, 1, 1, 1], "100 to 180 users lie too near to each other"),
        ([10, 20, 40, 80], [1, 1, 0.4, 1], "the points contradict the law or each other: with 40 users"),
        ([10, 20, 40, 40, 80], [1, 1, 0.7, 1.4, 1], "the points contradict the law or each other: with 40"),
        ([1, 2, 4, 8], [1, 2, 4, 8], "the points contradict the law or each other"),
    ],
)
def test_what_tells_no_law_is_refused_in_words(loads: list[int], factors: list[float], why: str) -> None:
    law = Law(5.0, 0.01, 0.0)
    made = [
        ScalingPoint(load=load, per_s=law.throughput(load) * factor)
        for load, factor in zip(loads, factors, strict=True)
    ]
    found = scaling(made, "users", "operations/s")
    assert found.refused and found.refused.startswith(why)
    assert found.alone is None and found.peak is None and not found.curve


def queue(users: int, think_s: float, service_s: float) -> float:
    """Operations a second of users at one queue: exact mean value analysis (Reiser and Lavenberg 1980)."""
    waiting, rate = 0.0, 0.0
    for count in range(1, users + 1):
        response_s = service_s * (1 + waiting)
        rate = count / (think_s + response_s)
        waiting = rate * response_s
    return rate


def seen(think_s: float, service_s: float, most: int) -> Scaling:
    loads = sorted({max(1, round(most * share)) for share in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1)})
    made = [ScalingPoint(load=load, per_s=queue(load, think_s, service_s)) for load in loads]
    return scaling(made, "users", "operations/s")


@pytest.mark.parametrize(("think_s", "service_s"), [(5.0, 0.01), (1.0, 0.1), (1.0, 0.5)])
@pytest.mark.parametrize("times", [1.3, 1.5, 2.0, 3.0])
def test_users_who_think_are_extrapolated_within_a_quarter(
    think_s: float, service_s: float, times: float
) -> None:
    """`times`: the most users by those at whom the queue is full."""
    found = seen(think_s, service_s, max(4, round(times * (think_s + service_s) / service_s)))
    assert found.refused is None
    last = found.curve[-1]
    truth = queue(int(last.load), think_s, service_s)
    assert last.value == pytest.approx(truth, rel=0.25)


@pytest.mark.parametrize("times", [0.3, 0.8, 1.0])
def test_before_the_bend_nothing_is_extrapolated(times: float) -> None:
    found = seen(5.0, 0.01, round(500 * times))
    assert found.straight and found.peak is None
    assert not any(point.extrapolated for point in found.curve) and found.curve[-1].load == found.most
