"""Intervals keep the confidence they state."""

from __future__ import annotations

import numpy as np
import pytest

from loadstone.judge.intervals import bounds, effective_count, ratio, tolerance_factor, wilson


@pytest.mark.parametrize(("share", "count"), [(0.9, 50), (0.99, 300), (0.5, 20)])
def test_wilson_holds_the_true_share_as_often_as_stated(share: float, count: int) -> None:
    rng = np.random.default_rng(1)
    seen = rng.binomial(count, share, 4000) / count
    above = np.mean([wilson(value, count, 0.95)[0] <= share for value in seen])
    assert above >= 0.93


@pytest.mark.parametrize(("seconds", "share", "spread"), [(6, 0.5, 0.3), (6, 0.9, 0.1), (300, 0.8, 0.3)])
def test_bounds_hold_the_share_as_often_as_stated_when_few_seconds_tell_the_spread(
    seconds: int, share: float, spread: float
) -> None:
    """With the normal quantile the bounds of six seconds would hold it in some 92 of 100, not 95."""
    rng = np.random.default_rng(1)
    held = []
    for _ in range(2000):
        chances = rng.beta(share / spread**2, (1 - share) / spread**2, seconds)
        low, high = bounds(ratio(rng.binomial(200, chances) * 1.0, np.full(seconds, 200.0)), 0.95)
        held.append((low <= share, share <= high))
    assert np.mean(held, axis=0) == pytest.approx([0.95, 0.95], abs=0.015)


def test_clumps_are_worth_less_than_their_number() -> None:
    rng = np.random.default_rng(1)
    spread = ratio(rng.binomial(100, 0.9, 300).astype(float), np.full(300, 100.0))
    clumped = ratio(np.repeat([100.0, 100, 70, 100, 80, 90], 50), np.full(300, 100.0))
    assert effective_count(spread) > 10_000
    assert effective_count(clumped) < 500


def test_the_ratios_error_is_that_of_many_repetitions() -> None:
    rng = np.random.default_rng(1)
    values, errors = [], []
    for _ in range(400):
        count = rng.poisson(20, 100).astype(float)
        found = ratio(rng.binomial(count.astype(int), 0.3).astype(float), count)
        values.append(found.value)
        errors.append(found.error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.15)


# Table of one-sided normal tolerance factors (NIST/SEMATECH e-Handbook, 7.2.6.3).
@pytest.mark.parametrize(
    ("count", "share", "confidence", "factor"), [(43, 0.9, 0.99, 1.8740), (10, 0.99, 0.95, 3.981)]
)
def test_tolerance_factors_are_the_published_ones(
    count: int, share: float, confidence: float, factor: float
) -> None:
    assert tolerance_factor(count, share, confidence) == pytest.approx(factor, abs=0.002)


def test_a_share_of_all_or_nothing_has_an_exact_bound() -> None:
    for count in range(1, 3000, 7):
        assert wilson(1.0, count, 0.95)[1] == 1.0
        assert wilson(0.0, count, 0.95)[0] == 0.0
