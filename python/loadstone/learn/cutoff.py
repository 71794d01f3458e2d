"""The idle time that ends a session: fitted to the log, and how much hangs on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PER_DECADE = 20
LOW, HIGH = -3, 8
"""Powers of ten of the seconds that bins cover: a millisecond to three years."""
EDGES: Floats = 10.0 ** np.linspace(LOW, HIGH, (HIGH - LOW) * PER_DECADE + 1)
CUSTOM_S = 1800.0
"""Half an hour, the cut-off by custom, where the log shows none."""
TRIED_S = (300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0)
_SHORTEST_S, _LONGEST_S = 60.0, 86_400.0
_LEAST = 200
"""Pauses between sessions from which on a mixture is fitted."""
_STEPS = 300
_APART = 2.0
"""Of the two medians, in standard deviations of both: closer ones are one hump."""


@dataclass(frozen=True)
class CutOff:
    """A cut-off, s, and why: `given`, `fitted` or `custom`.

    within, between: median, s, and sigma of the logarithm of the pauses within and between sessions, and the
    share of the latter, where they were fitted.
    """

    seconds: float
    how: str
    within: tuple[float, float] | None = None
    between: tuple[float, float] | None = None
    share_between: float | None = None


def binned(gaps_s: Floats) -> Ints:
    """How many pauses are in each bin of EDGES, those beyond in the first or last."""
    found, _ = np.histogram(np.clip(gaps_s, EDGES[0], EDGES[-1]), EDGES)
    return found.astype(np.int64)


def fitted(counts: Ints) -> CutOff:
    """The pause that is as likely within a session as between two.

    counts: all pauses of all clients, by bin. A mixture of two log-normal laws by EM (the pauses of people
    are one of a fast and a slow law); where one law does as well by BIC, the cut-off by custom.
    """
    x = np.log10(np.sqrt(EDGES[1:] * EDGES[:-1]))
    # Pauses of less than a second are no pauses of people, and of whole seconds many are 0.
    seen = x > -0.3
    n, x = counts[seen].astype(float), x[seen]
    if n.sum() < _LEAST:
        return CutOff(CUSTOM_S, "custom")
    one = stats.norm.logpdf(x, *_moments(x, n))
    weight, means, sigmas = _mixture(x, n)
    parts = np.log(weight)[:, None] + stats.norm.logpdf(x, means[:, None], sigmas[:, None])
    two = np.logaddexp(*parts)
    gain = 2 * float(n @ (two - one)) - 3 * np.log(n.sum())
    grid = np.linspace(means[0], means[1], 2001)
    ahead = np.log(weight)[:, None] + stats.norm.logpdf(grid, means[:, None], sigmas[:, None])
    over = np.flatnonzero(ahead[1] >= ahead[0])
    apart = (means[1] - means[0]) / max(1e-9, (sigmas[0] + sigmas[1]) / 2)
    if gain <= 0 or apart < _APART or not len(over) or over[0] == 0 or weight[1] * n.sum() < _LEAST / 10:
        return CutOff(CUSTOM_S, "custom")
    seconds = float(np.clip(10 ** grid[over[0]], _SHORTEST_S, _LONGEST_S))
    ln10 = float(np.log(10))
    within, between = ((float(10**m), float(s) * ln10) for m, s in zip(means, sigmas, strict=True))
    return CutOff(float(f"{seconds:.2g}"), "fitted", within, between, float(weight[1]))


def sensitivity(counts: Ints, clients: int, cutoff_s: float) -> list[tuple[float, int, float]]:
    """Cut-off, s, sessions and mean operations of one, for the cut-offs of TRIED_S and `cutoff_s`."""
    total = clients + int(counts.sum())
    found = []
    for seconds in sorted({*TRIED_S, cutoff_s}):
        at = np.searchsorted(EDGES, seconds)
        share = (EDGES[at] - seconds) / (EDGES[at] - EDGES[at - 1])
        sessions = clients + round(float(counts[at:].sum() + share * counts[at - 1]))
        found.append((seconds, sessions, total / sessions if sessions else 0.0))
    return found


def _moments(x: Floats, n: Floats) -> tuple[float, float]:
    mean = float(n @ x / n.sum())
    return mean, max(0.05, float(np.sqrt(n @ (x - mean) ** 2 / n.sum())))


def _mixture(x: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """Weights, means and deviations of two normal laws in log10 s, the lower mean first."""
    best, found = -np.inf, (np.array([0.5, 0.5]), np.array([0.0, 3.0]), np.array([0.5, 0.5]))
    for start in (1.5, 2.5, 3.5, 4.5):
        weight, means, sigmas = np.array([0.8, 0.2]), np.array([0.5, start]), np.array([0.6, 0.6])
        for _ in range(_STEPS):
            parts = np.log(weight)[:, None] + stats.norm.logpdf(x, means[:, None], sigmas[:, None])
            whole = np.logaddexp(*parts)
            share = np.exp(parts - whole) * n
            total = np.maximum(share.sum(axis=1), 1e-9)
            weight, means = total / n.sum(), share @ x / total
            sigmas = np.sqrt((share * (x - means[:, None]) ** 2).sum(axis=1) / total).clip(0.05)
        if (likelihood := float(n @ whole)) > best:
            order = np.argsort(means)
            best, found = likelihood, (weight[order], means[order], sigmas[order])
    return found
