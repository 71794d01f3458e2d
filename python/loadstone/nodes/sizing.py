"""How many nodes a load needs while none of them fails: Num = ceil(load / per node)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Unit = Literal["users", "operations/s"]

MOST_NEEDED = 100_000
"""Num up to which the models are solved: their sums run over Num."""


@dataclass(frozen=True)
class PerNode:
    """What one native node carries: the value, and the interval it was measured in (None: unknown)."""

    unit: Unit
    value: Fraction
    low: Fraction | None = None
    high: Fraction | None = None


def nodes_needed(load: Fraction, per_node: Fraction, throughput: Fraction = Fraction(1)) -> int:
    """Num for nodes that run at `throughput` times the measured one. Exact: 10 / 1 is 10, never 11.

    >>> [nodes_needed(Fraction(10), Fraction(1), Fraction(share, 100)) for share in (100, 92, 71)]
    [10, 11, 15]
    """
    return math.ceil(load / (per_node * throughput))
