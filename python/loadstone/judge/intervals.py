"""Intervals for what a run shows: shares and ratios whose seconds are not independent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loadstone.judge import quantiles

_BATCHES = 20

_FEWEST_TIED = 10
"""Batches below which nothing is known of how they depend on each other."""

_MOST_TIED = 0.8
"""Greatest coefficient that is taken from at most 20 of them."""


@dataclass(frozen=True)
class Ratio:
    """A ratio of two sums over the seconds of a run, with its standard error."""

    value: float
    """NaN when the denominator's sum is 0."""
    error: float
    """Standard error; NaN when there are fewer than two seconds."""
    count: float
    """The denominator's sum."""
    batches: int = 0
    """Batches whose spread gave the error; 0 when it has another source."""


def ratio(
    numerator: npt.NDArray[np.float64], denominator: npt.NDArray[np.float64], *, tied: bool = False
) -> Ratio:
    """Ratio of two series with one element a second, by batch means.

    Seconds of a loaded server depend on each other (a stall spoils all operations of some seconds), so
    neighbours are summed to at most 20 batches, and the spread between batches gives the error:
    r = Σy / Σx, var r = B / (B - 1) · Σ(y_b - r·x_b)² / (Σx)² (the linearised ratio estimator).

    Batches of a short series still depend on each other. `tied`: this widens the error, as that of a
    first-order autoregression; not where a trend is what is looked for.

    >>> ratio(np.array([1.0, 1, 1, 1]), np.array([2.0, 2, 2, 2]))
    Ratio(value=0.5, error=0.0, count=8.0, batches=4)
    """
    total = float(denominator.sum())
    if not total:
        return Ratio(math.nan, math.nan, 0.0)
    value = float(numerator.sum()) / total
    batches = min(_BATCHES, len(denominator))
    if batches < 2:
        return Ratio(value, math.nan, total)
    residuals = _batched(numerator, batches) - value * _batched(denominator, batches)
    variance = batches / (batches - 1) * float((residuals**2).sum()) / total**2
    return Ratio(value, math.sqrt(variance * (_widening(residuals) if tied else 1.0)), total, batches)


def _widening(residuals: npt.NDArray[np.float64]) -> float:
    """By how much the variance of a mean grows as each of these depends on the one before: (1 + φ) / (1 - φ).

    φ from few is too small by some (1 + 3 φ) / B (Marriott and Pope, Biometrika 41, 1954).

    >>> _widening(np.tile([1.0, -1], 5)), round(_widening(np.arange(-5.0, 5)), 2)
    (1.0, 9.0)
    """
    squares = float((residuals**2).sum())
    if len(residuals) < _FEWEST_TIED or not squares:
        return 1.0
    seen = float((residuals[1:] * residuals[:-1]).sum()) / squares
    found = min(_MOST_TIED, max(0.0, seen + (1 + 3 * seen) / len(residuals)))
    return (1 + found) / (1 - found)


def effective_count(share: Ratio) -> float:
    """The number of independent yes-or-no observations that say as much as those of `share`.

    p(1 - p) / var p, at most their number: clumps make observations worth less, never more. A share
    of 0 or 1 shows no spread; its observations count as they are.
    """
    if share.error > 0 and 0 < share.value < 1:
        return min(share.count, share.value * (1 - share.value) / share.error**2)
    return share.count


def bounds(share: Ratio, confidence: float) -> tuple[float, float]:
    """Bounds of a share whose seconds are not independent, each with this one-sided confidence.

    Wilson's interval for the effective count. Where the batches' spread made that count, the spread of so
    few is itself uncertain, and Student's t takes the place of the normal quantile.
    """
    count = effective_count(share)
    freedom = share.batches - 1 if count < share.count else math.inf
    return wilson(share.value, count, confidence, freedom)


def wilson(share: float, count: float, confidence: float, freedom: float = math.inf) -> tuple[float, float]:
    """Bounds of a share seen in `count` independent observations, each with this one-sided confidence.

    Wilson's score interval: unlike the normal one it keeps its promise near 0 and 1. `freedom`: degrees of
    freedom behind the count, when that was estimated.

    >>> [round(bound, 4) for bound in wilson(0.9, 100, 0.975)]
    [0.8256, 0.9448]
    """
    if count <= 0:
        return 0.0, 1.0
    z = quantiles.student(confidence, freedom)
    square, root = z * z, math.sqrt(z * z + 4 * count * share * (1 - share))
    # In this order rounding leaves the bounds of 0 and 1 exact.
    low, high = ((2 * count * share + (square + way * z * root)) / (2 * (count + square)) for way in (-1, 1))
    return max(0.0, low), min(1.0, high)


def tolerance_factor(count: float, share: float, confidence: float) -> float:
    """How many sample deviations above the mean of `count` normal values lies a point that at least `share`
    of all values stay below, with this confidence (one-sided normal tolerance factor).

    >>> round(tolerance_factor(10, 0.9, 0.95), 3)
    2.355
    """
    from scipy import stats

    root = math.sqrt(count)
    return float(stats.nct.ppf(confidence, count - 1, quantiles.normal(share) * root)) / root


def tolerance_share(count: float, deviations: float, confidence: float) -> float:
    """Share of all normal values that stay below a point so many sample deviations above the mean of `count`
    of them, at least, with this confidence: `tolerance_factor` turned round.

    >>> round(tolerance_share(10, 2.355, 0.95), 3)
    0.9
    """
    from scipy import optimize, stats

    if deviations <= 0:
        return 0.0
    root = math.sqrt(count)
    # Beyond 8 deviations the share is 1 to the last digit.
    point = min(8.0, deviations)

    def beyond(quantile: float) -> float:
        return float(stats.nct.cdf(point * root, count - 1, quantile * root)) - confidence

    return float(stats.norm.cdf(optimize.brentq(beyond, 0.0, point))) if beyond(0.0) > 0 else 0.0


def _batched(series: npt.NDArray[np.float64], batches: int) -> npt.NDArray[np.float64]:
    return np.array([part.sum() for part in np.array_split(series, batches)])
