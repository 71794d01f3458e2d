"""Change points of a series: where its level moves by more than the order of its values explains."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats

from loadstone.judge.histogram import Floats

FEWEST = 3
"""Values on each side of a change: one or two runs may be an accident."""
_DRAWS = 9_999
"""Orders drawn by chance; the least p-value is 1 in 10,000."""


class Point(NamedTuple):
    """A change."""

    at: int
    """The first value after it."""
    p: float
    """Of no change in the part of the series that it divides."""


def change_points(series: Floats, level: float, seed: int = 1) -> list[Point]:
    """Where the level changes, in order; the chance of any where nothing changes is at most `level`.

    The greatest standardised difference between the mean ranks before and after any place says where; how
    often a random order of the same values has as great a one somewhere says how sure it is. So no law is
    assumed, the search over all places is paid for, and an outlier counts for one rank. A change divides the
    series, and both parts are looked at in turn (binary segmentation).
    """
    random = np.random.default_rng(seed)
    found: list[Point] = []
    parts = [(0, len(series))]
    while parts:
        begin, end = parts.pop()
        if end - begin < 2 * FEWEST or np.ptp(series[begin:end]) == 0:
            continue
        at, p = _greatest(series[begin:end], random)
        if p <= level:
            found.append(Point(begin + at, p))
            parts += [(begin, begin + at), (begin + at, end)]
    return sorted(found)


def least_runs(level: float) -> int:
    """So many values at least show a change at this level: fewer have too few orders.

    >>> least_runs(0.05), least_runs(0.05 / 18)
    (8, 12)
    """
    count = 2 * FEWEST
    while 2 / math.comb(count, count // 2) > level:
        count += 1
    return count


def _greatest(series: Floats, random: np.random.Generator) -> tuple[int, float]:
    """The likeliest place of a change, and how likely one as clear is without any."""
    ranks = stats.rankdata(series)
    statistic = _statistic(ranks[np.newaxis, :])[0]
    orders = random.permuted(np.tile(ranks, (_DRAWS, 1)), axis=1)
    reached = int((_statistic(orders).max(axis=1) >= statistic.max() * (1 - 1e-12)).sum())
    return FEWEST + int(statistic.argmax()), (reached + 1) / (_DRAWS + 1)


def _statistic(ranks: Floats) -> Floats:
    """|mean rank before - after|, standardised, by row; columns are the places from `FEWEST` on."""
    count = ranks.shape[1]
    before = np.arange(FEWEST, count - FEWEST + 1)
    sums = np.cumsum(ranks - ranks.mean(axis=1, keepdims=True), axis=1)[:, before - 1]
    scaled: Floats = np.abs(sums) * np.sqrt(count / (before * (count - before)))
    return scaled
