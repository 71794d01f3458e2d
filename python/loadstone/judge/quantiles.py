"""Quantiles of a few laws, by scipy's special functions: its statistics take half a second to import."""

from __future__ import annotations

import math

from scipy import special


def normal(share: float) -> float:
    """Of the standard normal law.

    >>> round(normal(0.975), 2)
    1.96
    """
    return float(special.ndtri(share))


def student(share: float, freedom: float) -> float:
    """Of Student's t.

    >>> round(student(0.975, 4), 2), round(student(0.975, math.inf), 2)
    (2.78, 1.96)
    """
    return normal(share) if math.isinf(freedom) else float(special.stdtrit(freedom, share))


def gamma(share: float, shape: float) -> float:
    """Of a gamma law of scale 1."""
    return float(special.gammaincinv(shape, share))


def poisson(share: float, mean: float) -> float:
    """The least count that a Poisson law exceeds in at most 1 - `share` of all cases.

    >>> poisson(0.025, 2.0), poisson(0.975, 2.0)
    (0.0, 5.0)
    """
    found = _whole(special.pdtrik(share, mean))
    return found - 1 if found > 0 and special.pdtr(found - 1, mean) >= share else found


def binomial(share: float, draws: int, chance: float) -> float:
    """The least count that a binomial law exceeds in at most 1 - `share` of all cases.

    >>> binomial(0.1, 4, 0.5), binomial(0.9, 4, 0.5)
    (1.0, 3.0)
    """
    if not 0 < chance < 1:
        return float(draws) if chance > 0 else 0.0
    found = min(_whole(special.bdtrik(share, draws, chance)), float(draws))
    return found - 1 if found > 0 and special.bdtr(found - 1, draws, chance) >= share else found


def _whole(point: float) -> float:
    """The next whole number; where not even the count 0 is exceeded seldom enough, there is no point."""
    return 0.0 if math.isnan(point) else max(0.0, math.ceil(point) + 0.0)
