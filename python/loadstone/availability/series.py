"""Tiers in series: the service is up while every tier is.

With independent tiers the shares up multiply. That is the product form of independent chains, taken of the
year's means: exact at every instant, and so for tiers that have settled (those that are mended, seconds after
the start). A tier that nobody mends only gets worse; two such tiers are bad together, late in the year,
and the product then states more downtime than there is (Chebyshev's inequality for monotone functions), never
less. Whatever the tiers have in common, the downtime lies between that of the worst tier and the sum of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def down_in_series(shares: Iterable[float]) -> float:
    """Share of time with at least one of several independent tiers down: 1 - product of (1 - share).

    Without a subtraction, so that nines keep their digits; the order of the tiers changes nothing.

    >>> f"{down_in_series([1e-20, 3e-20]):.12g}"
    '4e-20'
    >>> down_in_series([0.5, 0.5])
    0.75
    """
    logs = []
    for share in shares:
        if share >= 1.0:
            return 1.0
        logs.append(math.log1p(-share))
    return -math.expm1(math.fsum(logs))
