"""Standard errors from the seconds of one run, which depend on each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadstone.judge.histogram import Floats

SHORTEST_S = 30
"""Seconds below which nobody can tell how much they depend on each other."""
_BATCHES = 20
_CAUTION = 0.5
"""Standard errors by which the correlation is taken to be greater than it looks. Chosen by simulation: fewer
let waves of ten seconds raise false alarms in a minute, more hide differences of a tenth."""
_MOST_DEPENDENT = 0.95
"""Of the correlation of neighbours: closer to 1 it cannot be told from a level that drifts away."""


class Spread(NamedTuple):
    """A standard error and the degrees of freedom behind it."""

    error: float
    freedom: float


def ratio_spread(numerator: Floats, denominator: Floats) -> Spread | None:
    """Of the ratio of two sums over the seconds; None with fewer than `SHORTEST_S` seconds.

    Batch means as in `judge.intervals.ratio`: Σ(y_b - r·x_b)² of 20 batches gives the variance if batches
    do not depend on each other. In a short run they do. With the correlation c of neighbours, n batches are
    worth n (1 - c) / (1 + c) independent ones. A short series shows too little of c: the estimate is raised
    by its known bias (1 + 4c) / n (Kendall, Biometrika 41, 1954), and by a part of its own error, 1 / √n.
    """
    total, seconds = float(denominator.sum()), len(denominator)
    if not total or seconds < SHORTEST_S:
        return None
    residuals = numerator - float(numerator.sum()) / total * denominator
    parts = np.array([part.sum() for part in np.array_split(residuals, _BATCHES)])
    seen = _neighbours(parts)
    correlation = seen + (1 + 4 * seen) / _BATCHES + _CAUTION / math.sqrt(_BATCHES)
    correlation = min(_MOST_DEPENDENT, max(0.0, correlation))
    worth = (1 - correlation) / (1 + correlation)
    variance = _BATCHES / (_BATCHES - 1) * float((parts**2).sum()) / worth
    return Spread(math.sqrt(variance) / total, max(1.0, _BATCHES * worth - 1))


def _neighbours(parts: Floats) -> float:
    """Correlation of neighbours; 0 where nothing varies. Their mean is 0: they are residuals."""
    squares = float((parts**2).sum())
    return float((parts[1:] * parts[:-1]).sum()) / squares if squares else 0.0
