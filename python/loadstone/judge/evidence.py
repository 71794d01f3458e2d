"""The model of evidence: what chance may do to a figure whose law is known (docs/background/evidence.md).

Every check compares a figure with what the plan leads to expect. It is missed when the deviation is larger
than the check's tolerance and chance, under the law that the plan states, explains it less often than at
the check's level. The spread that a run happens to show says nothing here: five pauses may look alike.
"""

from __future__ import annotations

import math

from scipy import special

from loadstone.judge import quantiles

RUN_ALARM = 0.005
"""How often at most a healthy run may be called anything but healthy by chance."""

_CHECKS = 8
"""Checks that share it: Little's law, mix, pace, arrivals and their spacing, stalls, late starts, errors."""


def level(comparisons: int = 1) -> float:
    """Doubt that each of a check's comparisons is allowed, both sides together."""
    return RUN_ALARM / _CHECKS / max(1, comparisons)


def deviations(doubt: float) -> float:
    """Standard deviations of a normal figure that are exceeded, on either side, with this doubt.

    >>> round(deviations(0.05), 2)
    1.96
    """
    return -quantiles.normal(doubt / 2)


def heavy_deviations(doubt: float, terms: float) -> float:
    """The same for a sum of `terms` differences of pauses, whose tails are those of an exponential law.

    Cornish and Fisher's correction for the excess kurtosis 3 of such a difference.
    """
    normal = deviations(doubt)
    return normal + (normal**3 - 3 * normal) / 24 * 3 / max(terms, 1.0)


def mean_bounds(mean: float, variation: float, count: float, doubt: float) -> tuple[float, float]:
    """Bounds of the mean of `count` independent draws of a law of times.

    `variation` is the law's variance by its squared mean. The sum is taken as a gamma law of its mean and
    variance: exact for negative exponential times, whose few draws are far from normal.

    >>> [round(bound, 2) for bound in mean_bounds(1.0, 1.0, 5, 0.05)]
    [0.32, 2.05]
    >>> mean_bounds(2.0, 0.0, 5, 0.05)
    (2.0, 2.0)
    """
    if variation * mean <= 0 or count <= 0:
        return mean, mean
    shape = count / variation
    low, high = (quantiles.gamma(share, shape) * mean / shape for share in (doubt / 2, 1 - doubt / 2))
    return low, high


def count_bounds(mean: float, doubt: float, spread: float = 1.0) -> tuple[float, float]:
    """Bounds of a count of independent events; `spread` is its variance by its mean where that is greater.

    >>> count_bounds(2.0, 0.05)
    (0.0, 5.0)
    """
    if mean <= 0:
        return 0.0, 0.0
    low, high = (quantiles.poisson(share, mean / spread) * spread for share in (doubt / 2, 1 - doubt / 2))
    return low, high


def share_bounds(share: float, count: float, doubt: float) -> tuple[float, float]:
    """Bounds of the share seen in `count` independent draws of which `share` is expected: binomial.

    >>> share_bounds(0.5, 4, 0.2)
    (0.25, 0.75)
    >>> share_bounds(0.5, 4, 0.01)
    (0.0, 1.0)
    """
    draws = math.floor(count)
    if draws < 1:
        return 0.0, 1.0
    low, high = (quantiles.binomial(tail, draws, share) / draws for tail in (doubt / 2, 1 - doubt / 2))
    return low, high


def dispersion_bounds(seconds: int, doubt: float) -> tuple[float, float]:
    """Bounds of the variance by the mean of Poisson counts in so many seconds."""
    freedom = seconds - 1
    low, high = (2 * quantiles.gamma(share, freedom / 2) / freedom for share in (doubt / 2, 1 - doubt / 2))
    return low, high


def at_least_by_chance(seen: float, count: float, share: float) -> float:
    """How often `count` draws show `seen` or more of what has this share.

    >>> round(at_least_by_chance(1, 40, 0.001), 3)
    0.039
    """
    return float(special.bdtrc(math.floor(seen - 1), math.floor(count), share)) if seen > 0 else 1.0
