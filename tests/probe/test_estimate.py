"""Intervals, boxes and densities against their formulas and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loadstone.probe.estimate import (
    box,
    density,
    differences,
    mean_of,
    rounds_differ,
    share_of,
    smoothed_jitter,
)


def test_the_interval_of_a_mean_holds_its_promise() -> None:
    """Ten normal repeats, 10,000 times: the truth lies in 95 ± 0.9 % of the intervals (4 standard errors)."""
    random = np.random.default_rng(3)
    covered = 0
    for sample in random.normal(-5.0, 2.0, size=(10_000, 10)):
        found = mean_of(list(sample))
        assert found and found.low is not None and found.high is not None
        covered += found.low <= -5.0 <= found.high
    assert 0.941 <= covered / 10_000 <= 0.959


def test_the_interval_is_students() -> None:
    values = [4.0, 7.0, 1.0, 9.0]
    found = mean_of(values)
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert found and (found.low, found.high) == (pytest.approx(max(0.0, low)), pytest.approx(high))


def test_one_repeat_has_no_interval_and_none_no_mean() -> None:
    found = mean_of([3.0])
    assert found and (found.value, found.low, found.high) == (3.0, None, None)
    assert mean_of([]) is None


def test_the_interval_of_a_share_holds_its_promise() -> None:
    random = np.random.default_rng(4)
    hits = random.binomial(300, 0.05, size=4000)
    covered = sum(low <= 0.05 <= high for low, high in (share_of(int(one), 300) for one in hits))
    assert 0.935 <= covered / 4000 <= 0.97, "Wilson's is near 95 % for a share, not exactly so"
    assert share_of(0, 0) == (0.0, 1.0)
    assert share_of(0, 50)[0] == 0.0 and share_of(50, 50)[1] == 1.0


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=60))
def test_a_box_holds_all_its_points(values: list[float]) -> None:
    found = box(values)
    assert found
    assert min(values) <= found.low <= found.high <= max(values)
    assert found.q1 <= found.median <= found.q3
    ssh = 1.5 * (found.q3 - found.q1)
    assert found.q1 - ssh <= found.low and found.high <= found.q3 + ssh
    inside = sum(found.low <= value <= found.high for value in values)
    assert inside + len(found.outside) == len(values), "every point is inside the whiskers or counted outside"


def test_a_density_is_that_of_its_law() -> None:
    random = np.random.default_rng(5)
    found = density(list(random.normal(10.0, 2.0, 20_000)), 0.0, 20.0)
    assert found
    at, height = np.array(found.at), np.array(found.share_per_unit)
    assert np.trapezoid(height, at) == pytest.approx(1.0, abs=0.01)
    # The kernel widens the law by its own variance; that is the density it must have.
    wider = math.hypot(2.0, found.bandwidth)
    assert np.abs(height - stats.norm.pdf(at, 10.0, wider)).max() < 0.012


def test_no_density_without_spread_or_values() -> None:
    assert density([1.0] * 50, 0.0, 2.0) is None
    assert density([1.0, 2.0], 0.0, 2.0) is None


def test_a_far_value_does_not_smear_the_rest() -> None:
    random = np.random.default_rng(6)
    near = list(random.normal(1.0, 0.01, 500))
    alone, disturbed = density(near, 0.0, 200.0), density([*near, 190.0], 0.0, 200.0)
    assert alone and disturbed and disturbed.bandwidth == pytest.approx(alone.bandwidth, rel=0.1)


def test_two_peaks_do_not_smear_each_other() -> None:
    random = np.random.default_rng(8)
    one, two = random.normal(1.0, 0.02, 500), random.normal(3.0, 0.02, 500)
    found = density([*one, *two], 0.0, 4.0)
    assert found
    height = dict(zip(found.at, found.share_per_unit, strict=True))
    between = max(value for at, value in height.items() if 1.3 < at < 2.7)
    assert between < 0.01 * max(height.values())


def test_smoothed_jitter_is_rfc_3550() -> None:
    """Steps of one size d: J after n of them is d (1 - (15/16)^n)."""
    assert smoothed_jitter([0.4, -0.4] * 10) == pytest.approx(0.4 * (1 - (15 / 16) ** 20))
    assert smoothed_jitter([]) is None


def test_differences_do_not_cross_a_lost_packet() -> None:
    assert differences([(3, 1.5), (1, 1.0), (2, 3.0), (5, 9.0)]) == [2.0, -1.5]
    assert differences([(1, 1.0), (3, 2.0)]) == []


def test_rounds_that_differ_are_told_from_those_that_do_not() -> None:
    random = np.random.default_rng(7)
    same = [list(random.normal(1.0, 0.1, 30)) for _ in range(10)]
    drift = [list(random.normal(1.0 + 0.1 * number, 0.1, 30)) for number in range(10)]
    likely, unlikely = rounds_differ(same), rounds_differ(drift)
    assert likely is not None and unlikely is not None
    assert likely > 1e-4 and unlikely < 1e-9
    assert rounds_differ([[1.0] * 9, [1.0] * 9]) is None and rounds_differ([[1.0, 2.0]]) is None
