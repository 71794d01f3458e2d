"""Passive failover on-premises without repair: the pool is spent once, then the service is lost.

Give the chain a pool without end: its `num` slots are then independent, each alternating between up (crash
rate) and missing (failover rate). The real service is up at time t exactly when every slot is up and at most
`pool` failovers were completed, for then each of them found a spare. So with G(z, t) = sum over n of P[a slot
is up at t after n failovers]·zⁿ,

    P[up at t] = sum of the coefficients of G(z, t) ** num up to z ** pool

and the downtime is that of the endless pool plus the time with every slot up but more than `pool` failovers
used. Polynomials of non-negative coefficients replace a chain of (num + 1)(pool + 1) states.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from loadstone.nodes import models
from loadstone.nodes.chain import TooLarge
from loadstone.nodes.quadrature import gauss

Polynomial = NDArray[np.float64]
Slot = NDArray[np.float64]
"""Shape (2, 2, degree + 1): from {up, missing} to {up, missing}; coefficient n: n failovers completed."""

_MOST_TERMS = 6000
_TERMS = 24


def downtime(num: int, pool: int, crash: float, failover: float, year_s: float) -> float:
    """Expected seconds down in `year_s`. Raises `TooLarge` beyond some thousand failovers."""
    # Coefficients past `pool` fall at least as fast as a Poisson tail, wherever the tail is the smaller part.
    terms = pool + math.ceil(12 * math.sqrt(pool)) + 60
    busiest = max(crash * year_s, terms / num)
    # In steps, so that the pools of one search share their polynomials.
    degree = _step_up(busiest + 12 * math.sqrt(busiest) + 40, 32)
    order = _step_up(24 + 4 * math.sqrt(pool), 16)
    if max(terms, degree) > _MOST_TERMS:
        raise TooLarge(f"more than {_MOST_TERMS:,} failovers without repair")
    spent = 0.0
    for start, length, points in _octaves_backwards(crash, failover, year_s, degree, order):
        _, weights = gauss(order)
        tails = [_spent(slot, num, pool, terms) for slot in points]
        spent += length * float(weights @ tails)
        # More failovers are used as time goes on, so everything before `start` is at most start times its
        # first tail.
        if start * tails[0] <= 1e-15 * spent:
            break
    return models.pf_cloud(num, crash, failover, year_s) + spent


def _step_up(value: float, step: int) -> int:
    return math.ceil(value / step) * step


def _spent(slot: Polynomial, num: int, pool: int, terms: int) -> float:
    """P[every slot up, more than `pool` failovers used] for one slot's polynomial."""
    used = _power(slot, num, terms)
    every = float(slot.sum()) ** num
    head = float(used[: pool + 1].sum())
    if head < every / 2.0:
        return every - head
    return float(used[:pool:-1].sum())


def _power(base: Polynomial, exponent: int, terms: int) -> Polynomial:
    """`base ** exponent`, cut after `terms` coefficients."""
    result: Polynomial | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else np.convolve(result, base)[:terms]
        exponent >>= 1
        if exponent:
            base = np.convolve(base, base)[:terms]
    assert result is not None
    return np.pad(result, (0, max(0, terms - len(result))))


@lru_cache(maxsize=24)
def _octaves_backwards(
    crash: float, failover: float, year_s: float, degree: int, order: int
) -> list[tuple[float, float, list[Polynomial]]]:
    """`(start, length, [G(z, t) at the Gauss points t])` of the panels [T/2, T], [T/4, T/2] … [0, s].

    Squaring a slot doubles its time, so one chain of squarings from below a failover's length serves every
    panel.
    """
    pace = 2.0 * max(crash, failover)
    doublings = max(1, math.ceil(math.log2(pace * year_s)))
    first = year_s / 2.0**doublings
    points, _ = gauss(order)
    inside = [_short_step(crash, failover, pace, first * float(c), degree) for c in points]
    edge = _short_step(crash, failover, pace, first, degree)
    panels = [(0.0, first, [slot[0, 0] for slot in inside])]
    for k in range(doublings):
        if k:
            inside = [_product(slot, slot) for slot in inside]
            edge = _product(edge, edge)
        start = first * 2.0**k
        panels.append((start, start, [_product(edge, slot)[0, 0] for slot in inside]))
    panels.reverse()
    return panels


def _short_step(crash: float, failover: float, pace: float, step: float, degree: int) -> Slot:
    """One slot's exponential over `step`, by uniformization with at most one expected jump."""
    jump = np.zeros((2, 2, degree + 1))
    jump[0, 0, 0] = 1.0 - crash / pace
    jump[0, 1, 0] = crash / pace
    jump[1, 0, 1] = failover / pace
    jump[1, 1, 0] = 1.0 - failover / pace
    power = np.zeros_like(jump)
    power[0, 0, 0] = power[1, 1, 0] = 1.0
    total = np.zeros_like(jump)
    weight = math.exp(-pace * step)
    for j in range(1, _TERMS):
        total += weight * power
        power = _product(power, jump)
        weight *= pace * step / j
    return _normalized(total)


def _product(left: Slot, right: Slot) -> Slot:
    result = np.empty_like(left)
    terms = left.shape[2]
    for i in range(2):
        for j in range(2):
            result[i, j] = (
                np.convolve(left[i, 0], right[0, j])[:terms] + np.convolve(left[i, 1], right[1, j])[:terms]
            )
    return _normalized(result)


def _normalized(slot: Slot) -> Slot:
    """Rows brought back to total probability 1, so that rounding does not double with the time."""
    return np.asarray(slot / slot.sum(axis=(1, 2), keepdims=True))
