"""Statistics against other people's programs and against what must hold for any figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from loadstone.judge.differences import holm, inverse, permutation
from loadstone.judge.estimates import Estimate, batch_mean, mean, positive_mean
from loadstone.study.compare import pairwise
from loadstone.study.fairness import fairness

FIGURES = st.lists(st.floats(1.0, 1e6), min_size=2, max_size=12)


@given(FIGURES)
def test_the_interval_is_scipys(values: list[float]) -> None:
    found = mean(values)
    if found.deviation:
        theirs = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert (found.low, found.high) == pytest.approx(theirs)


def test_one_repetition_has_no_interval_and_none_is_refused() -> None:
    assert mean([7.0]) == Estimate(7.0, None, None, 1)
    assert mean([7.0]).words() == "7"
    with pytest.raises(ValueError, match="no repetition"):
        mean([])


@given(st.lists(st.floats(0.0, 1e6), min_size=2, max_size=12))
def test_a_rate_never_has_a_bound_below_zero(values: list[float]) -> None:
    found = positive_mean(values)
    assert found.value == pytest.approx(float(np.mean(values)))
    if found.value:
        assert found.low is not None and found.high is not None
        assert 0 <= found.low <= found.value * (1 + 1e-9) and found.value <= found.high * (1 + 1e-9)


def test_rates_that_vary_little_have_students_interval() -> None:
    values = [27_700.0, 27_900.0, 27_800.0, 27_650.0, 27_850.0]
    plain, positive = mean(values), positive_mean(values)
    assert (positive.low, positive.high) == pytest.approx((plain.low, plain.high), rel=1e-4)


def test_two_repetitions_far_apart_reach_far_and_not_below_zero() -> None:
    # Requests/s of a kept study: Student's t gave -14,921 to 33,609.
    found = positive_mean([7_434.0, 11_253.0])
    assert found.low is not None and found.high is not None
    assert 0 < found.low < 1_000 and found.high > 80_000


def test_noise_that_takes_a_mean_below_zero_has_no_interval() -> None:
    assert positive_mean([-3.0, 1.0, -2.0]).low is None


@given(st.lists(st.floats(0.0, 1e3), min_size=1, max_size=90))
def test_batches_leave_the_mean_as_it_is(values: list[float]) -> None:
    assert batch_mean(values).value == pytest.approx(float(np.mean(values)), abs=1e-9)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_holm_corrects_upwards_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(before <= after <= 1 for before, after in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    assert [corrected[index] for index in order] == sorted(corrected)
    assert min(corrected) == pytest.approx(min(1.0, len(p_values) * min(p_values)))


def test_the_pairs_are_welchs() -> None:
    samples = {"a": [101.0, 104.0, 99.0, 102.0, 100.0], "b": [90.0, 97.0, 91.0, 95.0, 93.0]}
    (one,) = pairwise(samples)
    logs = [np.log(values) for values in samples.values()]
    assert one.p_welch == pytest.approx(stats.ttest_ind(*logs, equal_var=False).pvalue)
    assert one.p_permutation == pytest.approx(2 / math.comb(10, 5))
    assert one.significant
    assert one.words().startswith("a carries 1.0")
    theirs = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    assert (one.ratio.low, one.ratio.high) == pytest.approx((math.exp(theirs.low), math.exp(theirs.high)))


@settings(max_examples=40, deadline=None)
@given(FIGURES, FIGURES)
def test_swapped_variants_are_the_inverse(first: list[float], second: list[float]) -> None:
    (one,) = pairwise({"a": first, "b": second})
    (other,) = pairwise({"b": second, "a": first})
    assert one.ratio.value == pytest.approx(inverse(other.ratio).value)
    assert one.p_welch == pytest.approx(other.p_welch)


def test_drawn_permutations_agree_with_all_of_them() -> None:
    random = np.random.default_rng(3)
    first, second = random.normal(1.0, 0.1, 8), random.normal(1.08, 0.1, 8)
    theirs = stats.permutation_test(
        (first, second), lambda x, y: abs(x.mean() - y.mean()), n_resamples=np.inf, alternative="greater"
    )
    assert permutation(first, second, random) == pytest.approx(theirs.pvalue, abs=0.012)


def test_alike_to_the_last_digit_is_no_difference() -> None:
    (one,) = pairwise({"a": [5.0, 5.0, 5.0], "b": [5.0, 5.0, 5.0]})
    assert (one.p_welch, one.p_permutation, one.significant) == (1.0, 1.0, False)
    assert one.words() == "no difference shown between a and b: 1.00 (1.00–1.00)"


def test_single_repetitions_are_not_compared() -> None:
    assert pairwise({"a": [1.0], "b": [2.0, 2.1]}) == []


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=6))
def test_fairness_has_bounds(requests: list[int]) -> None:
    found = fairness(requests)
    if found is None:
        assert sum(requests) == 0
        return
    assert sum(found.shares) == pytest.approx(1)
    assert 1 / len(requests) - 1e-9 <= found.jain <= 1 + 1e-9
    assert found.exact == (max(requests) - min(requests) <= 1)


def test_fairness_by_weight() -> None:
    assert fairness([2000, 1000], [2, 1]).exact  # type: ignore[union-attr]
    assert not fairness([1500, 1500], [2, 1]).exact  # type: ignore[union-attr]
