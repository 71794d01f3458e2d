"""What is compared: each figure's value in a run, its error by the run's seconds, which way is better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

from loadstone.compare.seen import Seen
from loadstone.compare.within import Spread, ratio_spread
from loadstone.judge.histogram import Floats
from loadstone.stages.compare import Said

BUCKET = 0.001 / math.sqrt(12)
"""Relative standard error of a response time that is known to its bucket, 0.1 % wide."""
BEYOND = 5
"""Answers beyond a quantile, in every run, below which it is not judged."""
FEWEST = 20
"""Right answers of an operation, in every run, below which its mean is not judged."""

Words = tuple[Said, Said]
"""What the newer release is where the figure is better, and where it is worse."""


class Figure(Protocol):
    """One figure. Its `value` and errors are logarithms where `relative`, else the figure itself."""

    @property
    def name(self) -> str:
        """In tables and records."""

    @property
    def unit(self) -> str:
        """Of its levels."""

    @property
    def relative(self) -> bool:
        """Compared by a ratio; else by a difference."""

    @property
    def less_is_better(self) -> bool:
        """Which way is better."""

    @property
    def words(self) -> Words:
        """What to say."""

    def value(self, seen: Seen) -> float | None:
        """None where the run says too little."""

    def spread(self, seen: Seen) -> Spread | None:
        """Its standard error by the run's seconds; None where they say too little."""

    def floor(self, runs: list[Seen]) -> float:
        """What the error of a mean over `runs` cannot be under, however alike they look."""


class _Time:
    """What figures of response times have in common."""

    unit = "ms"
    relative = True
    less_is_better = True
    words: Words = ("faster", "slower")

    def floor(self, runs: list[Seen]) -> float:
        """The width of a bucket."""
        return BUCKET


@dataclass(frozen=True)
class Mean(_Time):
    """Mean response time."""

    name: str = "mean"

    def value(self, seen: Seen) -> float | None:
        """ln(ms)."""
        count = float(seen.answers.sum())
        total = float((seen.value_ms * seen.answers).sum())
        return math.log(total / count) if count >= FEWEST and total else None

    def spread(self, seen: Seen) -> Spread | None:
        """Of the sum of times over their number, relative to the mean."""
        times, answers = seen.by_second(seen.value_ms * seen.answers), seen.by_second(seen.answers)
        return _log_spread(times, answers, self.value(seen))


@dataclass(frozen=True)
class Quantile(_Time):
    """A quantile of response times."""

    share: float
    name: str

    def value(self, seen: Seen) -> float | None:
        """ln(ms)."""
        if seen.answers.sum() * (1 - self.share) < BEYOND:
            return None
        return _log_ms(seen, self.share)

    def spread(self, seen: Seen) -> Spread | None:
        """Woodruff's: the quantiles one standard error of the share below and above.

        The share of answers up to the quantile is a ratio of two sums over the seconds; its error, read off
        the distribution, is the quantile's (Journal of the American Statistical Association 47, 1952).
        """
        middle = self.value(seen)
        if middle is None:
            return None
        up_to = seen.answers * (seen.value_ms <= math.exp(middle) * (1 + 1e-12))
        found = ratio_spread(seen.by_second(up_to), seen.by_second(seen.answers))
        if found is None or not found.error < min(self.share, 1 - self.share):
            return None
        low, high = (_log_ms(seen, self.share + sign * found.error) for sign in (-1, 1))
        return Spread((high - low) / 2, found.freedom)


@dataclass(frozen=True)
class Share:
    """Share of operations within the limit, or failed."""

    name: str
    part: Literal["within", "failed"]
    less_is_better: bool
    unit: str = "%"
    relative: bool = False
    words: Words = ("better", "worse")

    def value(self, seen: Seen) -> float | None:
        """A share, from 0 to 1."""
        count = float(seen.count.sum())
        return float(self._of(seen).sum()) / count if count >= FEWEST else None

    def spread(self, seen: Seen) -> Spread | None:
        """By the seconds."""
        return ratio_spread(self._of(seen), seen.count)

    def floor(self, runs: list[Seen]) -> float:
        """Of as many independent operations; a run in which all did alike counts one that did not."""
        count = float(sum(seen.count.sum() for seen in runs))
        share = (float(sum(self._of(seen).sum() for seen in runs)) + 0.5) / (count + 1)
        return math.sqrt(share * (1 - share) / count) if count else math.inf

    def _of(self, seen: Seen) -> Floats:
        return seen.within if self.part == "within" else seen.failed


@dataclass(frozen=True)
class Rate:
    """Right answers a second."""

    name: str = "throughput"
    unit: str = "operations/s"
    relative: bool = True
    less_is_better: bool = False
    words: Words = ("better", "worse")

    def value(self, seen: Seen) -> float | None:
        """ln(1/s)."""
        count, length_s = float(seen.ok.sum()), float(seen.length_s.sum())
        return math.log(count / length_s) if count >= FEWEST and length_s else None

    def spread(self, seen: Seen) -> Spread | None:
        """By the seconds, relative to the rate."""
        return _log_spread(seen.ok, seen.length_s, self.value(seen))

    def floor(self, runs: list[Seen]) -> float:
        """One operation."""
        return 1 / max(1.0, float(sum(seen.ok.sum() for seen in runs)))


TIMES: tuple[Figure, ...] = (Mean(), Quantile(0.5, "p50"), Quantile(0.9, "p90"), Quantile(0.99, "p99"))
SHARES: tuple[Figure, ...] = (Share("within limit", "within", False), Share("failed", "failed", True))
RATE: Figure = Rate()


def _log_spread(part: Floats, whole: Floats, middle: float | None) -> Spread | None:
    """The error of the logarithm of a ratio of two sums: that of the ratio over the ratio."""
    found = ratio_spread(part, whole)
    if found is None or middle is None:
        return None
    return Spread(found.error / math.exp(middle), found.freedom)


def _log_ms(seen: Seen, share: float) -> float:
    found = seen.times().quantile_us(share)
    assert found is not None  # the caller counted the answers
    return math.log(max(found, 1.0) / 1000)
