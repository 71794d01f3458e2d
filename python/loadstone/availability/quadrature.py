"""Gauss-Legendre panels that double in length: for functions that start fast and then flatten."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@cache
def gauss(order: int) -> tuple[Vector, Vector]:
    """Nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return (nodes + 1.0) / 2.0, weights / 2.0


def octaves(first: float, end: float, order: int) -> Iterator[tuple[Vector, Vector]]:
    """Times and weights of the panels [0, s], [s, 2s], [2s, 4s] … up to `end`, where s <= `first` divides
    it exactly.
    """
    nodes, weights = gauss(order)
    doublings = max(0, int(np.ceil(np.log2(end / first))))
    start, length = 0.0, end / 2.0**doublings
    yield length * nodes, length * weights
    for _ in range(doublings):
        start, length = start + length, start + length
        yield start + length * nodes, length * weights
