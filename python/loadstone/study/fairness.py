"""How evenly requests were spread over servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats


@dataclass(frozen=True)
class Fairness:
    """Requests by server against equal shares, or against the weights asked for."""

    shares: list[float]
    jain: float
    """Jain's index of the shares by weight: 1 all alike, 1/n all to one of n."""
    p_value: float
    """Of the chi-square test: how often independent random choices by these weights spread worse."""
    widest: int
    """Requests by which the server farthest from its share is off, at least."""
    exact: bool
    """No server is off by one whole request or more: what a strict rotation gives."""


def fairness(requests: Sequence[int], weights: Sequence[float] | None = None) -> Fairness | None:
    """None when nothing was served.

    >>> even = fairness([3333, 3334, 3333])
    >>> even.exact, round(even.jain, 6), even.p_value > 0.99
    (True, 1.0, True)
    >>> fairness([9000, 500, 500]).jain < 0.5
    True
    """
    total = sum(requests)
    if not total:
        return None
    weight = list(weights) if weights is not None else [1.0] * len(requests)
    expected = [total * one / sum(weight) for one in weight]
    by_weight = [count / one for count, one in zip(requests, weight, strict=True)]
    off = [abs(count - share) for count, share in zip(requests, expected, strict=True)]
    jain = sum(by_weight) ** 2 / (len(by_weight) * sum(one * one for one in by_weight))
    # Under random choices a rotation would be far too even to be true: p near 1 is a rotation's sign.
    p_value = float(stats.chisquare(requests, expected).pvalue) if len(requests) > 1 else 1.0
    shares = [count / total for count in requests]
    return Fairness(shares, jain, p_value, int(max(off)), max(off) < 1)
