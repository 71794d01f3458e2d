"""Whether a run had settled: three windows, one after the other, must agree in rate and in response time.

Two windows disagree when they differ by more than `BOUND` of their mean, beyond what chance explains. Pure.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from loadstone.judge import Measurement
from loadstone.judge.histogram import Floats
from loadstone.judge.intervals import Ratio, ratio
from loadstone.stages.capacity import Trend

WINDOWS = 3
BOUND = 0.1
"""By how much windows of a settled run may differ."""

SHORTEST_S = 5
"""Of a window: with fewer seconds, their spread says too little of what chance does."""

SURE = 0.9995
"""One-sided confidence that a difference is none of chance. Each run has six looks at it."""


@dataclass(frozen=True)
class Steadiness:
    """The trend, and what it was judged by: one figure a window."""

    trend: Trend
    rate_per_s: tuple[float, ...] = ()
    """Operations."""
    response_s: tuple[float | None, ...] = ()
    """Operations in flight by their rate: Little's law. None where none ended."""


def steadiness(measurement: Measurement) -> Steadiness:
    """Looks at the steady state of a run, all operations together."""
    count = sum((one.count for one in measurement.operations), np.zeros(len(measurement.users)))
    in_flight = measurement.in_flight
    if len(count) < WINDOWS * SHORTEST_S or len(in_flight) != len(count):
        return Steadiness("unknown")
    rates = [ratio(part, np.ones(len(part))) for part in _windows(count)]
    waits = [ratio(*pair) for pair in zip(_windows(in_flight), _windows(count), strict=True)]
    falls, rises = _changes(rates)
    slower, faster = _changes(waits)[::-1]
    worse, better = falls or slower, rises or faster
    trend: Trend = "worse" if worse else "better" if better else "steady"
    return Steadiness(trend, tuple(one.value for one in rates), tuple(map(_known, waits)))


def _windows(series: Floats) -> list[Floats]:
    return list(np.array_split(series, WINDOWS))


def _changes(found: list[Ratio]) -> tuple[bool, bool]:
    """Whether a later window is surely less, and whether one is surely more, than an earlier one."""
    pairs = list(itertools.combinations(found, 2))
    return any(_surely_more(a, b) for a, b in pairs), any(_surely_more(b, a) for a, b in pairs)


def _surely_more(one: Ratio, other: Ratio) -> bool:
    if math.isnan(one.value) or math.isnan(other.value):
        return False
    quantile = float(stats.t.ppf(SURE, min(one.batches, other.batches) - 1))
    chance = quantile * math.hypot(one.error, other.error)
    return one.value - other.value > BOUND * (one.value + other.value) / 2 + chance


def _known(one: Ratio) -> float | None:
    return None if math.isnan(one.value) else one.value
