"""What the intervals and the comparisons promise, held against simulation. Seeded: no run differs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from loadstone.judge.estimates import Estimate, batch_mean, mean, positive_mean
from loadstone.study.compare import pairwise

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

REPETITIONS = 10
STUDIES = 4_000
"""The standard error of a share of 95 % is then 0.34 %."""


def _normal(random: np.random.Generator, count: int) -> Floats:
    return random.normal(1.0, 0.1, count)


def _skewed(random: np.random.Generator, count: int) -> Floats:
    """As skewed as an exponential law: one repetition in twenty takes three times as long."""
    return random.exponential(1.0, count)


def _dependent(random: np.random.Generator, count: int) -> Floats:
    """Every repetition takes half of its deviation from the one before, and is normal by itself."""
    noise = random.normal(0.0, 0.1, count)
    deviation = np.empty(count)
    deviation[0] = noise[0]
    for index in range(1, count):
        deviation[index] = 0.5 * deviation[index - 1] + 0.75**0.5 * noise[index]
    return 1.0 + deviation


def _coverage(
    draw: Draw, repetitions: int, estimate: Callable[[list[float]], Estimate] = mean, studies: int = STUDIES
) -> float:
    random = np.random.default_rng(2011)
    held = 0
    for _ in range(studies):
        found = estimate([float(value) for value in draw(random, repetitions)])
        assert found.low is not None and found.high is not None
        held += found.low <= 1.0 <= found.high
    return held / studies


@pytest.mark.parametrize("repetitions", [2, 5, 10, 60])
def test_intervals_of_normal_figures_cover_what_they_promise(repetitions: int) -> None:
    assert _coverage(_normal, repetitions) == pytest.approx(0.95, abs=0.015)


def test_skewed_figures_are_covered_less_and_more_repetitions_mend_it() -> None:
    few, many = _coverage(_skewed, REPETITIONS), _coverage(_skewed, 100)
    assert 0.88 < few < 0.92  # docs/reference/study.md says 90 %
    assert many == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("repetitions", [2, 5, 10, 60])
def test_intervals_of_rates_cover_what_they_promise(repetitions: int) -> None:
    assert _coverage(_normal, repetitions, positive_mean) == pytest.approx(0.95, abs=0.015)


def test_skewed_rates_are_covered_better_on_the_scale_of_factors() -> None:
    assert _coverage(_skewed, REPETITIONS, positive_mean) > _coverage(_skewed, REPETITIONS) + 0.01


def test_figures_that_depend_on_each_other_are_covered_much_less() -> None:
    assert 0.74 < _coverage(_dependent, REPETITIONS) < 0.80  # docs/reference/study.md says 77 %


def test_batch_means_mend_neighbours_that_depend_on_each_other() -> None:
    random = np.random.default_rng(2011)
    naive = batched = 0
    for _ in range(400):
        values = [float(value) for value in _dependent(random, 1_000)]
        for_all, in_batches = mean(values), batch_mean(values)
        assert for_all.low is not None and for_all.high is not None
        assert in_batches.low is not None and in_batches.high is not None
        naive += for_all.low <= 1.0 <= for_all.high
        batched += in_batches.low <= 1.0 <= in_batches.high
    assert batched / 400 == pytest.approx(0.95, abs=0.03)
    assert naive < batched - 60


def _false_alarms(studies: int, sample: Callable[[np.random.Generator], dict[str, list[float]]]) -> float:
    random = np.random.default_rng(2011)
    alarms = sum(
        any(found.significant for found in pairwise(sample(random), seed=study)) for study in range(studies)
    )
    return alarms / studies


def test_false_alarms_of_the_whole_family_stay_within_five_percent() -> None:
    def alike(random: np.random.Generator) -> dict[str, list[float]]:
        return {name: [float(x) for x in 6000 * _normal(random, 5)] for name in "abcde"}

    # 300 studies of ten pairs each: 2.5 % above is two standard errors.
    assert _false_alarms(300, alike) <= 0.05 + 0.025


def test_a_drift_spoils_blocks_and_not_interleaved_repetitions() -> None:
    """Two variants that are alike, on a machine that slows down by a fifth during the study."""
    count = 5

    def study(random: np.random.Generator, *, interleaved: bool) -> dict[str, list[float]]:
        drift = np.linspace(1.0, 0.8, 2 * count)
        figures = 6000 * drift * (1 + 0.02 * random.standard_normal(2 * count))
        if interleaved:
            first = [2 * pair + int(random.integers(2)) for pair in range(count)]
        else:
            first = list(range(count))
        second = [index for index in range(2 * count) if index not in first]
        return {"a": [float(figures[i]) for i in first], "b": [float(figures[i]) for i in second]}

    assert _false_alarms(150, lambda random: study(random, interleaved=True)) <= 0.05
    assert _false_alarms(150, lambda random: study(random, interleaved=False)) > 0.9


def test_a_difference_that_is_there_is_found_with_its_size() -> None:
    random = np.random.default_rng(7)
    held = found = 0
    for _ in range(150):
        samples = {
            "a": [float(x) for x in 1.12 * _normal(random, 10)],
            "b": [float(x) for x in _normal(random, 10) * 1.0],
        }
        (one,) = pairwise(samples)
        assert one.ratio.low is not None and one.ratio.high is not None
        held += one.ratio.low <= 1.12 <= one.ratio.high
        found += one.significant
    assert held / 150 == pytest.approx(0.95, abs=0.05)
    assert found / 150 > 0.5
