"""Servers whose capacity follows from a formula."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent
BUCKET = HERE.parents[1] / "tests" / "fakes" / "token_bucket.py"
SHARES = {"SLA-1": 0.9, "SLA-2": 0.99}


@dataclass(frozen=True)
class Bucket:
    """Answers `rate` requests a second, evenly. Each user asks once a second, so `rate` users are the most:
    beyond, the queue grows until nearly every answer is late."""

    rate: float
    limit_s: float = 0.4
    cycle: Literal["fixed"] = "fixed"

    def command(self, _seed: int) -> list[str]:
        """What serves it."""
        return [sys.executable, str(BUCKET), str(self.rate)]

    def capacity(self, _share: float) -> float:
        """The most users, at any share."""
        return self.rate


@dataclass(frozen=True)
class Lanes:
    """`lanes` queues with one clerk each of `rate` a second; requests choose one at random (`lanes.py`).

    Users start about once a second, after exponential cycles cut off at `MOST_CYCLE_S`.
    """

    lanes: int
    rate: float = 20.0
    limit_s: float = 0.25
    cycle: Literal["neg-exp"] = "neg-exp"

    def command(self, seed: int) -> list[str]:
        """What serves it."""
        return [sys.executable, str(HERE / "lanes.py"), str(self.lanes), str(self.rate), str(seed)]

    def capacity(self, share: float) -> float:
        """Users at which `share` of the answers take at most the limit.

        The time in an M/M/1 is exponential with rate v = rate - arrivals, so v = -ln(1 - share) / limit. A
        user's next start waits for the cycle C and for the answer T, so that users = arrivals * E[max(C, T)].
        """
        left = -math.log(1 - share) / self.limit_s
        return self.lanes * (self.rate - left) * _mean_of_longer(left, MOST_CYCLE_S)


MOST_CYCLE_S = 5.0


def _mean_of_longer(rate: float, most: float) -> float:
    """The mean of the longer of an exponential time and a cycle: exponential with mean 1, at most `most`.

    >>> round(_mean_of_longer(1e9, 1e9), 6), round(_mean_of_longer(1.0, 1e9), 6)
    (1.0, 1.5)
    """
    cycle, answer = 1 - math.exp(-most), (1 - math.exp(-rate * most)) / rate
    both = (1 - math.exp(-(1 + rate) * most)) / (1 + rate)
    return cycle + answer - both + math.exp(-rate * most) / rate
