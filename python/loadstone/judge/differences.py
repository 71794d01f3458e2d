"""Differences between independent repetitions, and what is left of p-values when many were looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy import stats

from loadstone.judge.estimates import Estimate
from loadstone.judge.histogram import Floats

_DRAWS = 9_999
"""Permutations drawn where there are too many to try all: the least p-value is then 1 in 10,000."""


def inverse(ratio: Estimate) -> Estimate:
    """second ÷ first."""
    low = None if ratio.high is None else 1 / ratio.high
    high = None if ratio.low is None else 1 / ratio.low
    return Estimate(1 / ratio.value, low, high, ratio.count)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number (Holm, Scandinavian Journal of Statistics 6, 1979).

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = highest
    return corrected


def permutation(first: Floats, second: Floats, random: np.random.Generator) -> float:
    """How often a random division of all values in two separates the means as far; both sides.

    All divisions where there are at most 9,999 of them, else that many drawn by chance.
    """
    pooled = np.concatenate([first, second])
    count, total = len(first), len(pooled)
    observed = abs(first.mean() - second.mean())
    if math.comb(total, count) <= _DRAWS:
        chosen = np.array(list(combinations(range(total), count)))
        extra = 0
    else:
        chosen = random.random((_DRAWS, total)).argpartition(count, axis=1)[:, :count]
        extra = 1  # the division that was observed is one of them
    sums = pooled[chosen].sum(axis=1)
    apart = np.abs(sums / count - (pooled.sum() - sums) / (total - count))
    # Sums in another order differ in their last digits.
    reached = int((apart >= observed * (1 - 1e-9) - 1e-12).sum())
    return (reached + extra) / (len(chosen) + extra)


def welch(first: Floats, second: Floats, confidence: float) -> tuple[Estimate, float]:
    """first ÷ second with its interval and the p-value, by Welch's t. Both are logarithms of the figures."""
    difference = float(first.mean() - second.mean())
    parts = [float(one.var(ddof=1)) / len(one) for one in (first, second)]
    count = min(len(first), len(second))
    error = math.sqrt(sum(parts))
    if not error:
        value = math.exp(difference)
        return Estimate(value, value, value, count), 1.0 if difference == 0 else 0.0
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(one) - 1) for part, one in zip(parts, (first, second), strict=True)
    )
    half = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    ratio = Estimate(math.exp(difference), math.exp(difference - half), math.exp(difference + half), count)
    return ratio, float(2 * stats.t.sf(abs(difference) / error, freedom))
