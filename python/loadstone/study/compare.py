"""Differences between variants: how large, how sure, and what is left of it when many were looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from loadstone.judge.differences import holm, inverse, permutation, welch
from loadstone.judge.estimates import CONFIDENCE, Estimate


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
    tests = [welch(logs[first], logs[second], confidence) for first, second in pairs]
    by_t = holm([p for _, p in tests])
    by_order = holm([permutation(logs[first], logs[second], random) for first, second in pairs])
    level = 1 - confidence
    return [
        Difference(first, second, ratio, t, order, t < level and order < level)
        for (first, second), (ratio, _), t, order in zip(pairs, tests, by_t, by_order, strict=True)
    ]
