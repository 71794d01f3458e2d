"""Differences between variants: how large, how sure, and what is left of it when many were looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import stats

from loadstone.study.intervals import CONFIDENCE, Estimate

_DRAWS = 9_999
"""Permutations drawn where there are too many to try all: the least p-value is then 1 in 10,000."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """Two variants beside each other. p-values are those of no difference, for both sides."""

    first: str
    second: str
    ratio: Estimate
    """first ÷ second, of the geometric means."""
    p_welch: float
    """Welch's t on the logarithms, corrected by Holm for all pairs of the family."""
    p_permutation: float
    """Of a permutation test, corrected in the same way: it assumes no distribution."""
    significant: bool
    """Both corrected p-values are under 1 - confidence."""

    def words(self) -> str:
        """The comparison as a sentence, the larger first.

        >>> ratio = Estimate(1.12, 1.08, 1.16, 10)
        >>> Difference("HAProxy", "nginx", ratio, 0.001, 0.002, True).words()
        'HAProxy carries 1.12 (1.08–1.16) × nginx'
        """
        first, second, ratio = self.first, self.second, self.ratio
        if ratio.value < 1:
            first, second, ratio = second, first, inverse(ratio)
        if self.significant:
            return f"{first} carries {ratio.words('.2f')} × {second}"
        return f"no difference shown between {first} and {second}: {ratio.words('.2f')}"


def inverse(ratio: Estimate) -> Estimate:
    """second ÷ first."""
    low = None if ratio.high is None else 1 / ratio.high
    high = None if ratio.low is None else 1 / ratio.low
    return Estimate(1 / ratio.value, low, high, ratio.count)


def pairwise(
    samples: Mapping[str, Sequence[float]], confidence: float = CONFIDENCE, seed: int = 1
) -> list[Difference]:
    """Every pair of variants, by their independent repetitions (positive figures).

    The chance that any difference is called significant where there is none is at most 1 - confidence for
    the whole family. The intervals of the ratios are single ones. Variants with fewer than two repetitions
    are left out.
    """
    logs = {name: np.log(np.asarray(values, dtype=float)) for name, values in samples.items()}
    pairs = list(combinations([name for name, values in logs.items() if len(values) > 1], 2))
    if not pairs:
        return []
    random = np.random.default_rng(seed)
    tests = [_welch(logs[first], logs[second], confidence) for first, second in pairs]
    welch = holm([p for _, p in tests])
    permuted = holm([permutation(logs[first], logs[second], random) for first, second in pairs])
    level = 1 - confidence
    return [
        Difference(first, second, ratio, by_t, by_order, by_t < level and by_order < level)
        for (first, second), (ratio, _), by_t, by_order in zip(pairs, tests, welch, permuted, strict=True)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number (Holm, Scandinavian Journal of Statistics 6, 1979).

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = highest
    return corrected


def permutation(first: Floats, second: Floats, random: np.random.Generator) -> float:
    """How often a random division of all values in two separates the means as far; both sides.

    All divisions where there are at most 9,999 of them, else that many drawn by chance.
    """
    pooled = np.concatenate([first, second])
    count, total = len(first), len(pooled)
    observed = abs(first.mean() - second.mean())
    if math.comb(total, count) <= _DRAWS:
        chosen = np.array(list(combinations(range(total), count)))
        extra = 0
    else:
        chosen = random.random((_DRAWS, total)).argpartition(count, axis=1)[:, :count]
        extra = 1  # the division that was observed is one of them
    sums = pooled[chosen].sum(axis=1)
    apart = np.abs(sums / count - (pooled.sum() - sums) / (total - count))
    # Sums in another order differ in their last digits.
    reached = int((apart >= observed * (1 - 1e-9) - 1e-12).sum())
    return (reached + extra) / (len(chosen) + extra)


def _welch(first: Floats, second: Floats, confidence: float) -> tuple[Estimate, float]:
    """The ratio with its interval and the p-value, by Welch's t on logarithms."""
    difference = float(first.mean() - second.mean())
    parts = [float(one.var(ddof=1)) / len(one) for one in (first, second)]
    count = min(len(first), len(second))
    error = math.sqrt(sum(parts))
    if not error:
        value = math.exp(difference)
        return Estimate(value, value, value, count), 1.0 if difference == 0 else 0.0
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(one) - 1) for part, one in zip(parts, (first, second), strict=True)
    )
    half = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    ratio = Estimate(math.exp(difference), math.exp(difference - half), math.exp(difference + half), count)
    return ratio, float(2 * stats.t.sf(abs(difference) / error, freedom))
