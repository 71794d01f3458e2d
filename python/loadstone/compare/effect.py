"""One figure of two sides beside each other: levels, the effect and how sure it is.

All on the figure's own scale: logarithms for ratios, so that a mean of runs is a geometric one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from loadstone.compare.figures import Figure
from loadstone.compare.seen import Seen
from loadstone.judge.estimates import quantile
from loadstone.judge.histogram import Floats


@dataclass(frozen=True)
class Level:
    """A value with its standard error, and the degrees of freedom behind that."""

    value: float
    error: float
    """Infinite where one run says nothing about the next, nor its seconds about each other."""
    freedom: float

    def bounds(self, confidence: float) -> tuple[float, float] | None:
        """Student's t interval; None where the error is unknown."""
        if math.isinf(self.error):
            return None
        half = quantile(confidence, self.freedom) * self.error
        return self.value - half, self.value + half

    def p(self) -> float | None:
        """Of no difference from 0, both sides; None where the error is unknown."""
        if math.isinf(self.error):
            return None
        return float(2 * stats.t.sf(abs(self.value) / self.error, self.freedom)) if self.error else 1.0


@dataclass(frozen=True)
class Effect:
    """Both levels, and new - old."""

    old: Level
    new: Level
    change: Level
    same: bool = False
    """No run of either side shows anything else than the others: there is nothing to test."""


def effect(figure: Figure, old: list[Seen], new: list[Seen], paired: bool) -> Effect | None:
    """None where a run says too little about the figure.

    `paired`: the runs of both sides are pairs, in this order. Otherwise with several runs a side runs are
    what is counted (Welch); a single run beside several is held to their spread; two single ones have
    nothing but their seconds.
    """
    first, second = ([figure.value(seen) for seen in side] for side in (old, new))
    if not first or not second or None in first or None in second:
        return None
    one, other = (np.array(values, dtype=np.float64) for values in (first, second))
    levels = _level(figure, one, old), _level(figure, other, new)
    if paired and len(one) > 1:
        change = _of_runs(other - one, 0.0)
    elif len(one) == len(other) == 1:
        change = _welch(*levels)
    elif min(len(one), len(other)) == 1:
        change = _one_beside_many(one, other)
    else:
        change = _welch(*levels)
    floor = math.hypot(*(figure.floor(old + new) * math.sqrt(_share(side, old + new)) for side in (old, new)))
    same = bool(np.ptp(np.concatenate([one, other])) == 0)
    return Effect(*levels, Level(change.value, max(change.error, floor), change.freedom), same)


def _share(side: list[Seen], both: list[Seen]) -> float:
    """By how much the variance of a mean over one side is greater than that over both."""
    return len(both) / len(side)


def _level(figure: Figure, values: Floats, side: list[Seen]) -> Level:
    if len(values) > 1:
        return _of_runs(values, figure.floor(side))
    found = figure.spread(side[0])
    if found is None:
        return Level(float(values[0]), math.inf, 1)
    return Level(float(values[0]), max(found.error, figure.floor(side)), found.freedom)


def _of_runs(values: Floats, floor: float) -> Level:
    count = len(values)
    return Level(float(values.mean()), max(float(values.std(ddof=1)) / math.sqrt(count), floor), count - 1)


def _one_beside_many(old: Floats, new: Floats) -> Level:
    many = old if len(old) > 1 else new
    error = float(many.std(ddof=1)) * math.sqrt(1 + 1 / len(many))
    return Level(float(new.mean() - old.mean()), error, len(many) - 1)


def _welch(old: Level, new: Level) -> Level:
    """Degrees of freedom by Welch and Satterthwaite."""
    squares = old.error**2, new.error**2
    if math.isinf(sum(squares)) or not sum(squares):
        return Level(new.value - old.value, math.sqrt(sum(squares)), old.freedom + new.freedom)
    freedom = sum(squares) ** 2 / (squares[0] ** 2 / old.freedom + squares[1] ** 2 / new.freedom)
    return Level(new.value - old.value, math.sqrt(sum(squares)), freedom)
