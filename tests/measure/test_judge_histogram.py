"""Histograms against the engine's bucket layout and against exact arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
import simulated
from hypothesis import given
from hypothesis import strategies as st

from loadstone.judge.histogram import EMPTY, Histogram, midpoints_us


@given(st.integers(0, 2**50))
def test_a_value_lies_in_its_bucket_to_a_thousandth(value: int) -> None:
    middle = float(midpoints_us([simulated.bucket(value)])[0])
    assert abs(middle - value) <= max(0.5, 0.0005 * value)


@given(st.lists(st.integers(0, 10**8), min_size=1, max_size=200), st.floats(0.001, 1))
def test_quantiles_are_those_of_the_sorted_values(values: list[int], share: float) -> None:
    histogram = Histogram.of([simulated.bucket(value) for value in values], [1] * len(values))
    exact = sorted(values)[max(0, math.ceil(share * len(values) - 1e-9) - 1)]
    found = histogram.quantile_us(share)
    assert found is not None
    assert abs(found - exact) <= max(1, 0.001 * exact)


def test_mean_and_deviation_weigh_by_count() -> None:
    histogram = Histogram.of([1000, 2000], [3, 1])
    assert histogram.mean_s == pytest.approx(0.00125)
    assert histogram.deviation_s == pytest.approx(np.std([0.001] * 3 + [0.002], ddof=1))


def test_logarithms_are_taken_of_seconds() -> None:
    mean, deviation = Histogram.of([100, 1000], [1, 1]).log_moments()
    assert mean == pytest.approx((math.log(1e-4) + math.log(1e-3)) / 2)
    assert deviation == pytest.approx(math.log(10) / math.sqrt(2))


def test_nothing_is_known_of_an_empty_histogram() -> None:
    assert EMPTY.quantile_us(0.5) is None
    assert math.isnan(EMPTY.mean_s)
    assert EMPTY.share_over(1) == 0


def test_buckets_given_twice_add_up() -> None:
    histogram = Histogram.of([5, 7, 5], [1, 1, 2])
    assert histogram.counts.tolist() == [3, 1]
    assert histogram.share_over(5) == 0.25
