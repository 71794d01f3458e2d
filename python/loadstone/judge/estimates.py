"""Intervals of means and of ratios, from few independent repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
_LARGEST = 600.0
"""Logarithm of the widest factor: beyond it a number has no more digits to say so."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; the bounds are None where one repetition says nothing about the next."""

    value: float
    low: float | None
    high: float | None
    count: int
    """Independent repetitions behind it."""
    deviation: float | None = None
    """Standard deviation between repetitions."""

    def words(self, form: str = ",.0f") -> str:
        """The figure and its interval.

        >>> Estimate(2361.6, 2269.1, 2454.2, 60).words(".1f")
        '2361.6 (2269.1–2454.2)'
        """
        if self.low is None or self.high is None:
            return format(self.value, form)
        return f"{self.value:{form}} ({self.low:{form}}–{self.high:{form}})"


def mean(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean with Student's t interval.

    Holds its promise for independent repetitions whose mean is about normal. Ten repetitions of a skewed
    figure hold less than they promise, and repetitions that depend on each other much less
    (`tests/study/test_coverage.py` has the numbers). ValueError without values.

    >>> mean([9.0, 10.0, 11.0]).words(".2f")
    '10.00 (7.52–12.48)'
    """
    if not values:
        raise ValueError("no repetition to take the mean of")
    sample = np.asarray(values, dtype=float)
    middle = float(sample.mean())
    if len(sample) < 2:
        return Estimate(middle, None, None, 1)
    deviation = float(sample.std(ddof=1))
    half = quantile(confidence, len(sample) - 1) * deviation / math.sqrt(len(sample))
    return Estimate(middle, middle - half, middle + half, len(sample), deviation)


def positive_mean(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of figures that are not negative in truth: rates, times, shares of a processor.

    Student's t on the logarithm of the mean, by the delta method: the interval is the mean times and divided
    by one factor, so that no bound is below zero. For figures that vary little it is that of `mean`; zeros
    among the values are allowed. A wide factor says how little two repetitions say. Without bounds where
    noise takes the mean itself to zero or below. ValueError without values.

    >>> positive_mean([9.0, 10.0, 11.0]).words(".2f")
    '10.00 (7.80–12.82)'
    >>> positive_mean([1.0, 9.0, 2.0]).words(".2f")
    '4.00 (0.27–59.94)'
    """
    found = mean(values, confidence)
    if not found.deviation:
        return found
    if found.value <= 0:
        return replace(found, low=None, high=None)
    error = found.deviation / math.sqrt(found.count) / found.value
    factor = math.exp(min(_LARGEST, quantile(confidence, found.count - 1) * error))
    return replace(found, low=found.value / factor, high=found.value * factor)


def share_mean(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of shares within 0 and 1, with bounds within them: Student's t on the mean's logit.

    ValueError without values.

    >>> share_mean([0.04, 0.06, 0.05]).words(".3f")
    '0.050 (0.030–0.082)'
    """
    found = mean(values, confidence)
    if not found.deviation or not 0 < found.value < 1:
        return found
    odds = found.value / (1 - found.value)
    error = found.deviation / math.sqrt(found.count) / (found.value * (1 - found.value))
    factor = math.exp(min(_LARGEST, quantile(confidence, found.count - 1) * error))
    low, high = odds / factor, odds * factor
    return replace(found, low=low / (1 + low), high=high / (1 + high))


def median(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The median with an interval between two of the values, whatever their distribution.

    The narrowest pair of order statistics, as far from one end as from the other, that holds the median with
    at least this confidence; the least and the greatest value where there are too few (of five, 93.75 %).
    ValueError without values.

    >>> median([3.0, 1.0, 2.0, 9.0, 4.0]).words(".0f")
    '3 (1–9)'
    """
    if not values:
        raise ValueError("no repetition to take the median of")
    ordered = sorted(values)
    count = len(ordered)
    middle = float(np.median(ordered))
    if count < 2:
        return Estimate(middle, None, None, 1)
    outside = 0
    # Between the k-th from below and the k-th from above: 1 - 2 P(fewer than k of n are below the median).
    while 1 - 2 * float(stats.binom.cdf(outside + 1, count, 0.5)) >= confidence:
        outside += 1
    deviation = float(np.std(ordered, ddof=1))
    return Estimate(middle, ordered[outside], ordered[count - 1 - outside], count, deviation)


@cache
def quantile(confidence: float, freedom: float) -> float:
    """Of Student's t: what the middle `confidence` of all values stay within."""
    return float(stats.t.ppf((1 + confidence) / 2, freedom))


def batch_mean(values: Sequence[float], batches: int = 20) -> Estimate:
    """The mean of times in the order they were measured, which may depend on their neighbours, by batch
    means.

    Neighbours are averaged to at most `batches` batches; the spread between those gives the interval.
    The same as `positive_mean` when there are no more values than batches. ValueError without values.
    """
    if len(values) <= batches:
        return positive_mean(values)
    sample = np.asarray(values, dtype=float)
    # Batches of one length, so that all weigh the same; the few values left over are in the mean alone.
    length = len(sample) // batches
    found = positive_mean(
        [float(one) for one in sample[: length * batches].reshape(batches, length).mean(axis=1)]
    )
    middle, deviation = float(sample.mean()), float(sample.std(ddof=1))
    if found.low is None or found.high is None or found.value <= 0:
        return Estimate(middle, None, None, len(sample), deviation)
    scale = middle / found.value
    return Estimate(middle, found.low * scale, found.high * scale, len(sample), deviation)
