"""From samples to what is said of them: intervals, boxes, densities. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from loadstone.judge.intervals import wilson
from loadstone.stages.probe import Estimate

CONFIDENCE = 0.95
_GRID = 320
"""Points of a density: more than a chart of 700 pixels shows."""


def mean_of(values: Sequence[float]) -> Estimate | None:
    """The mean with its interval, m ± t(n - 1) s / √n; None without a value.

    It rests on repeats that do not depend on each other: pass one figure a round, never single packets.
    Where no value is below 0, nor is the interval.

    >>> found = mean_of([9.0, 10.0, 11.0])
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (10.0, 7.516, 12.484)
    """
    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(value=mean, low=None, high=None, repeats=len(values))
    from scipy.special import stdtrit

    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    low = mean - half
    low = max(0.0, low) if min(values) >= 0 else low
    return Estimate(value=mean, low=low, high=mean + half, repeats=len(values))


def share_of(hits: int, trials: int) -> tuple[float, float]:
    """The 95 % interval (Wilson) of a share; everything when nothing was tried."""
    low, high = wilson(hits / trials if trials else 0.0, trials, (1 + CONFIDENCE) / 2)
    # Rounding leaves a trace of 1e-17 where the formula gives exactly 0 or 1.
    return (low if hits else 0.0), (high if hits < trials or not trials else 1.0)


@dataclass(frozen=True)
class Box:
    """Tukey's box: whiskers reach to the farthest points within 1.5 interquartile ranges of the box."""

    low: float
    q1: float
    median: float
    q3: float
    high: float
    outside: tuple[float, ...]
    """The points beyond the whiskers, in order."""


def box(values: Sequence[float]) -> Box | None:
    """The box of a sample; None of none.

    >>> box([1.0, 2.0, 3.0, 4.0, 100.0])
    Box(low=1.0, q1=2.0, median=3.0, q3=4.0, high=4.0, outside=(100.0,))
    """
    if not values:
        return None
    sample = np.sort(np.asarray(values, dtype=np.float64))
    q1, median, q3 = (float(one) for one in np.quantile(sample, [0.25, 0.5, 0.75]))
    ssh = 1.5 * (q3 - q1)
    within = sample[(sample >= q1 - ssh) & (sample <= q3 + ssh)]
    low, high = float(within[0]), float(within[-1])
    outside = sample[(sample < low) | (sample > high)]
    return Box(low, q1, median, q3, high, tuple(float(one) for one in outside))


@dataclass(frozen=True)
class Density:
    """A Gaussian kernel density of a sample on a grid."""

    at: tuple[float, ...]
    share_per_unit: tuple[float, ...]
    bandwidth: float


def density(values: Sequence[float], low: float, high: float) -> Density | None:
    """The density from `low` to `high`; values beyond count too. None below five values or without spread.

    The bandwidth is Silverman's, 0.9 min(s, w) n^(-1/5), with the deviation w of a normal law whose densest
    two fifths are as wide as the sample's: a few far values do not smear the rest, nor two peaks each other.
    """
    sample = np.sort(np.asarray(values, dtype=np.float64))
    if len(sample) < 5 or high <= low:
        return None
    q1, q3 = np.quantile(sample, [0.25, 0.75])
    held = 2 * len(sample) // 5
    densest = float((sample[held:] - sample[: len(sample) - held]).min())
    # Many equal values leave the densest part, or the quartiles, without any width.
    known = [one for one in (densest / 1.049, float(q3 - q1) / 1.349) if one > 0]
    spread = min([float(sample.std(ddof=1)), *known[:1]])
    width = 0.9 * spread * len(sample) ** -0.2
    if not width > 0:
        return None
    # Half of the points lie where half of the values are, however far the rest spread.
    left, right = max(low, float(sample.min()) - 3 * width), min(high, float(sample.max()) + 3 * width)
    close = np.linspace(max(left, q1 - 4 * width), min(right, q3 + 4 * width), _GRID // 2)
    at = np.unique(np.concatenate([np.linspace(left, right, _GRID // 2), close]))
    height = np.zeros(len(at))
    for part in np.array_split(sample, math.ceil(len(sample) / 1000)):
        height += np.exp(-0.5 * ((at[:, None] - part[None, :]) / width) ** 2).sum(axis=1)
    height /= len(sample) * width * math.sqrt(2 * math.pi)
    return Density(tuple(float(x) for x in at), tuple(float(y) for y in height), width)


def differences(replies: Sequence[tuple[int, float]]) -> list[float]:
    """Differences of the round trips of packets sent one after the other; a lost one leaves a gap.

    >>> differences([(1, 2.0), (2, 3.0), (4, 1.0), (5, 1.5)])
    [1.0, 0.5]
    """
    ordered = sorted(replies)
    return [two[1] - one[1] for one, two in pairwise(ordered) if two[0] == one[0] + 1]


def smoothed_jitter(steps: Iterable[float]) -> float | None:
    """RFC 3550, 6.4.1: J += (|D| - J) / 16 over all differences; None without any.

    The RFC's D is of one way; ours is of round trips, so it holds the jitter of both ways.
    """
    jitter = None
    for step in steps:
        jitter = (jitter or 0.0) + (abs(step) - (jitter or 0.0)) / 16
    return jitter


def rounds_differ(rounds: Sequence[Sequence[float]]) -> float | None:
    """How likely rounds differ as much by chance (Kruskal-Wallis); None where nothing can be compared."""
    known = [one for one in rounds if len(one) >= 5]
    if len(known) < 2 or len({value for one in known for value in one}) < 2:
        return None
    from scipy import stats

    return float(stats.kruskal(*known).pvalue)


def rounded(values: Iterable[float] | npt.NDArray[np.float64], digits: int = 5) -> list[float]:
    """Values for a record: significant digits, not decimals.

    >>> rounded([0.123456789, 1234567.8])
    [0.12346, 1234600.0]
    """
    return [float(f"{value:.{digits}g}") for value in values]
