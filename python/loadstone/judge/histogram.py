"""Histograms of microseconds as the engine hands them out: buckets in use, with their counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def midpoints_us(buckets: npt.ArrayLike) -> Floats:
    """The middle of each bucket in µs; the error is at most half a bucket's width (0.05 %).

    Bounds are those of `docs/reference/run-folder.md`, `Histograms`.

    >>> midpoints_us([7, 2047, 2048, 3071, 3072]).tolist()
    [7.0, 2047.0, 2048.5, 4094.5, 4097.5]
    """
    index = np.asarray(buckets, dtype=np.int64)
    shift = np.maximum((index >> 10) - 1, 0)
    low = np.where(index < 2048, index, ((index & 1023) + 1024) << shift)
    half: Floats = ((np.int64(1) << shift) - 1) / 2
    return low + half


def bucket_of(us: float) -> int:
    """The bucket that a time falls into.

    >>> [bucket_of(us) for us in (7.9, 2047, 2048, 2049, 4096, 4100)]
    [7, 2047, 2048, 2048, 3072, 3073]
    """
    whole = int(us)
    shift = max(0, whole.bit_length() - 11)
    return whole if not shift else ((shift + 1) << 10) + (whole >> shift) - 1024


@dataclass(frozen=True)
class Histogram:
    """Values in µs, ascending, and how often each occurred."""

    values_us: Floats
    counts: Floats

    @staticmethod
    def of(buckets: npt.ArrayLike, counts: npt.ArrayLike) -> Histogram:
        """From bucket indices in any order; a bucket may occur more than once."""
        index, inverse = np.unique(np.asarray(buckets, dtype=np.int64), return_inverse=True)
        summed = np.bincount(inverse, np.asarray(counts, dtype=np.float64), len(index))
        return Histogram(midpoints_us(index), summed.astype(np.float64))

    @property
    def count(self) -> int:
        """How many values."""
        return int(self.counts.sum())

    def moment(self, power: int) -> float:
        """Mean of the values' `power`-th power, in seconds; NaN when empty."""
        if not self.count:
            return math.nan
        return float(np.average((self.values_us / 1e6) ** power, weights=self.counts))

    @property
    def mean_s(self) -> float:
        """Mean in seconds; NaN when empty."""
        return self.moment(1)

    @property
    def deviation_s(self) -> float:
        """Standard deviation of the sample in seconds (n - 1); NaN below two values."""
        if self.count < 2:
            return math.nan
        variance = float(np.average((self.values_us / 1e6 - self.mean_s) ** 2, weights=self.counts))
        return math.sqrt(variance * self.count / (self.count - 1))

    def log_moments(self) -> tuple[float, float]:
        """Mean and standard deviation of ln(seconds); values under 1 µs count as 1 µs. NaN when empty."""
        if not self.count:
            return math.nan, math.nan
        logs = np.log(np.maximum(self.values_us, 1.0) / 1e6)
        mean = float(np.average(logs, weights=self.counts))
        variance = float(np.average((logs - mean) ** 2, weights=self.counts))
        return mean, math.sqrt(variance * self.count / max(1, self.count - 1))

    def quantile_us(self, share: float) -> float | None:
        """The least value that at least `share` of all values do not exceed (nearest rank); None when empty.

        >>> Histogram.of([10, 20, 30], [8, 1, 1]).quantile_us(0.9)
        20.0
        """
        if not self.count:
            return None
        rank = max(1.0, math.ceil(share * self.count - 1e-9))
        return float(self.values_us[int(np.searchsorted(np.cumsum(self.counts), rank))])

    def share_over(self, limit_us: float) -> float:
        """Share of values greater than `limit_us`; 0 when empty."""
        return float(self.counts[self.values_us > limit_us].sum() / self.count) if self.count else 0.0


EMPTY = Histogram(np.zeros(0), np.zeros(0))
"""No values."""
