"""From injections to shares of outcomes with intervals. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from loadstone.judge.intervals import wilson
from loadstone.stages.inject import OUTCOMES, Share

CONFIDENCE = 0.975
"""Of each bound: both together are an interval of 95 %."""
MISSED = "missed"


def tally(injections: Iterable[Mapping[str, Any]]) -> tuple[list[Share], int]:
    """The share of each class of what was hit, and how many injections hit nothing.

    >>> shares, missed = tally([{"outcome": "masked"}] * 3 + [{"outcome": "crash"}, {"outcome": "missed"}])
    >>> [(one.outcome, one.count, one.share) for one in shares if one.count], missed
    ([('masked', 3, 0.75), ('crash', 1, 0.25)], 1)
    """
    counts = Counter(one["outcome"] for one in injections)
    total = sum(counts[outcome] for outcome in OUTCOMES)
    return [share_of(outcome, counts[outcome], total) for outcome in OUTCOMES], counts[MISSED]


def share_of(outcome: str, count: int, total: int) -> Share:
    """One class with its interval; of nothing it is unknown, from 0 to 1."""
    share = count / total if total else 0.0
    low, high = wilson(share, total, CONFIDENCE)
    return Share(outcome=outcome, count=count, share=share, low=low, high=high)
