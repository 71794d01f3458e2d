"""A service of known capacity as evidence only: shares that fall around it, in clumps as real ones do."""

from __future__ import annotations

import math

import numpy as np

from loadstone.capacity.evidence import Sample, Trial
from loadstone.judge import Histogram

MIX = {"Home": 0.5, "Search": 0.45, "Add": 0.05}
CYCLE_S = 5.0
LIMIT_S = 1.0


def capacity(knee: float, sigma: float, share: float, steepness: float = 6.0) -> float:
    """The most users at which `share` of the answers take at most the limit: the model below, inverted."""
    # share = P(median * exp(sigma * z) <= limit), median = limit * (users / knee) ** steepness
    z = _inverse_normal(share)
    return knee * math.exp(-sigma * z / steepness)


def run(
    rng: np.random.Generator, users: int, knee: float, sigma: float, seconds: int, steepness: float = 6.0
) -> Trial:
    """One run: log-normal response times; their median grows with the users, and seconds differ."""
    median = LIMIT_S * (users / knee) ** steepness
    own = rng.normal(0, sigma * math.sqrt(0.3), seconds)
    samples = []
    for name, share in MIX.items():
        count = rng.poisson(users / CYCLE_S * share, seconds)
        spread = np.repeat(own, count) + rng.normal(0, sigma * math.sqrt(0.7), int(count.sum()))
        times = median * np.exp(spread)
        second = np.repeat(np.arange(seconds), count)
        within = np.bincount(second, times <= LIMIT_S, seconds)
        histogram = Histogram(np.sort(times) * 1e6, np.ones(len(times)))
        if len(times):
            samples.append(Sample(name, LIMIT_S, count.astype(float), within, histogram))
    return Trial(dict.fromkeys(("SLA-1", "SLA-2"), samples))


def _inverse_normal(share: float) -> float:
    from scipy import stats

    return float(stats.norm.ppf(share))
