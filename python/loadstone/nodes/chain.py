"""Expected time in a set of states of a small Markov chain, without a subtraction anywhere.

Rates here span a microsecond to a year and the answer is often a few seconds of downtime in a year. Computing
`1 - availability` would lose those digits, so the *down* time itself is summed from products and sums of
non-negative numbers, each of which keeps its relative accuracy.

The matrix exponential is found by scaling and squaring: a step so short that uniformization needs a
few terms, then the doublings P(2t) = P(t)², r(2t) = r(t) + P(t)·r(t), with P's rows brought back to sum to 1
at each doubling (else a rounding error in a diagonal next to 1 doubles along with the time).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_TERMS = 24
"""Uniformization terms: the step has at most one expected jump, and 1/24! is below 1e-23."""


def time_in(rates: Matrix, marked: Matrix, duration_s: float) -> Matrix:
    """Expected seconds spent in marked states during `duration_s`, from each starting state.

    `rates` is n x n, events per second, diagonal ignored, no entry negative; `marked` is n weights, or n x m
    for m sets at once; the result has `marked`'s shape. Relative accuracy about n * doublings * 1e-16 for
    each entry, however small. Raises `ValueError` for a negative rate or weight.

    A state left at rate 1 and never re-entered is held for 1 - exp(-T):

    >>> spent = time_in(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]), 2.0)
    >>> f"{spent[0]:.7f}"
    '0.8646647'
    """
    rates = np.array(rates, dtype=np.float64)
    np.fill_diagonal(rates, 0.0)
    if (rates < 0).any() or (marked < 0).any():
        raise ValueError("rates and weights cannot be negative")
    leaving = rates.sum(axis=1)
    # Twice the fastest rate: the jump matrix's diagonal, 1 - leaving/pace, stays at or above one half.
    pace = 2.0 * float(leaving.max(initial=0.0))
    if pace == 0.0:
        return np.asarray(marked * duration_s, dtype=np.float64)
    doublings = max(0, math.ceil(math.log2(pace * duration_s)))
    step = duration_s / 2.0**doublings
    jump = rates / pace
    np.fill_diagonal(jump, 1.0 - leaving / pace)
    moved, total = _short_step(jump, marked, pace, step)
    for _ in range(doublings):
        total = total + moved @ total
        moved = moved @ moved
        moved /= moved.sum(axis=1, keepdims=True)
    return np.asarray(total, dtype=np.float64)


def _short_step(jump: Matrix, marked: Matrix, pace: float, step: float) -> tuple[Matrix, Matrix]:
    """P(step) and the integral of P·marked over it, by uniformization; at most one jump is expected."""
    mean = pace * step
    weight = math.exp(-mean)
    weights = [weight]
    for j in range(1, 2 * _TERMS):
        weight *= mean / j
        weights.append(weight)
    moved = np.zeros_like(jump)
    power = np.eye(len(jump))
    total = np.zeros_like(marked, dtype=np.float64)
    seen = np.asarray(marked, dtype=np.float64)
    for j in range(_TERMS):
        moved += weights[j] * power
        # P[more than j jumps], summed from its small end: 1 minus the head would cancel.
        total += math.fsum(reversed(weights[j + 1 :])) / pace * seen
        power = power @ jump
        seen = jump @ seen
    return moved / moved.sum(axis=1, keepdims=True), total
