"""Passive failover on-premises without repair: the pool is spent once, then the service is lost.

Give the chain a pool without end: its `num` slots are then independent, each alternating between up (crash
rate) and missing (failover rate). The real service is up at time t exactly when every slot is up and at most
`pool` failovers were completed, for then each of them found a spare. So with G(z, t) = sum over n of P[a slot
is up at t after n failovers]·zⁿ,

    P[up at t] = sum of the coefficients of G(z, t) ** num up to z ** pool

and the downtime is that of the endless pool plus the time with every slot up but more than `pool` failovers
used. G is one entry of the exponential of a 2 x 2 matrix: a formula. A sum of coefficients is an integral
over a circle around 0. Equally spaced points give it to all digits when the circle's radius is where the
coefficients, weighted by its powers, have their middle at `pool`: nothing large cancels then.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from loadstone.availability import closed
from loadstone.availability.quadrature import gauss

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

_LOST = 36.0
"""Exponent at which something is nothing: exp(-36) is 2e-16."""
_WIDEST = 300.0
"""Logarithm of the largest radius looked at."""
_HALVINGS = 24
"""Of that range: the radius need not be exact, only the middle be near `pool`."""
_ORDER = 40


def downtime(num: int, pool: int, crash: float, failover: float, year_s: float) -> float:
    """Expected seconds down in `year_s`, to about eleven digits; `pool` at least 1."""
    slots = _Slots(num, pool, crash, failover)
    # The pool runs out within a part of the year that narrows as the pool grows: shorter panels.
    nodes, weights = _panels(math.ceil(math.sqrt(pool) / 16))
    spent, start = 0.0, year_s / 2
    # The panels [T/2, T], [T/4, T/2] … : more failovers are used as time goes on, so everything before
    # `start` is at most `start` times the value there.
    while True:
        spent += start * float(weights @ slots.spent(start + start * nodes))
        if start * slots.most_spent(start) <= 1e-15 * spent:
            return closed.pf_cloud(num, crash, failover, year_s) + spent
        start /= 2


def _panels(count: int) -> tuple[Vector, Vector]:
    """Nodes and weights of this number of equal panels on [0, 1]."""
    nodes, weights = gauss(_ORDER)
    starts = np.arange(count)[:, None]
    return ((starts + nodes) / count).ravel(), np.tile(weights / count, count)


class _Slots:
    """The `num` slots of an endless pool, and how many failovers they have used."""

    def __init__(self, num: int, pool: int, crash: float, failover: float) -> None:
        self._num, self._pool, self._crash, self._failover = num, pool, crash, failover
        # Points on the circle: the weighted coefficients are no wider than a Poisson law's, whose middle is
        # at `pool`; what lies `points` away is added by mistake and must be nothing.
        self._points = 2 * math.ceil(6 * math.sqrt(pool) + 40)
        self._nearest = _LOST / self._points
        """Least distance of the circle from 1, where the sum has a pole, as a logarithm."""

    def most_spent(self, time: float) -> float:
        """Chernoff's bound of `spent` at a time."""
        at = np.array([time])
        middle = self._radius(at)
        if middle[0] <= 0:
            return 1.0
        return math.exp(float((self._log_power(middle, at) - self._pool * middle)[0]))

    def spent(self, times: Vector) -> Vector:
        """P[every slot up, more than `pool` failovers used] at each time (seconds), ascending."""
        every = np.exp(self._num * self._log_slot(np.zeros(1), times)[:, 0])
        middle = self._radius(times)
        early = middle > 0
        # Chernoff's bound, as a logarithm: what it says is nothing is not computed.
        bound = self._log_power(middle, times) - self._pool * middle
        last = max(float(bound[early].max(initial=-np.inf)), 0.0 if not early.all() else -np.inf)
        asked = bound > np.where(early, last - _LOST, -_LOST)
        part = np.zeros_like(times)
        part[asked] = self._side(times[asked], middle[asked])
        return np.asarray(np.where(early, part, every - part))

    def _side(self, times: Vector, middle: Vector) -> Vector:
        """The sum of the coefficients past `pool` where `middle` is above 0, of those up to it elsewhere."""
        log_radius = np.where(middle > 0, 1.0, -1.0) * np.maximum(np.abs(middle), self._nearest)
        found = np.empty_like(times)
        angles = 2 * np.pi * np.arange(self._points // 2 + 1) / self._points
        # Values on the lower half of the circle are the conjugates of those on the upper one.
        share = np.full(len(angles), 2.0 / self._points)
        share[[0, -1]] /= 2
        for i, (time, radius) in enumerate(zip(times, log_radius, strict=True)):
            log_z = radius + 1j * angles
            log_sum = self._num * self._log_slot(log_z, np.array([time]))[0] - self._pool * log_z
            scale = log_sum[0].real
            terms = np.exp(log_sum - scale) / (np.exp(log_z) - 1)
            found[i] = abs(float(share @ terms.real)) * math.exp(scale)
        return found

    def _radius(self, times: Vector) -> Vector:
        """Logarithm of the radius at which the weighted coefficients have their middle at `pool`: there a
        convex function is least.
        """
        low, high = np.full_like(times, -_WIDEST), np.full_like(times, _WIDEST)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            step = 1e-6 * np.maximum(1.0, np.abs(middle))
            slope = (self._log_power(middle + step, times) - self._log_power(middle - step, times)) / (
                2 * step
            )
            up = slope < self._pool
            low, high = np.where(up, middle, low), np.where(up, high, middle)
        return (low + high) / 2

    def _log_power(self, log_z: Vector, times: Vector) -> Vector:
        """log of G(z, t) ** num for one real z at each time."""
        return self._num * np.asarray(self._log_of(log_z, times).real)

    def _log_slot(self, log_z: NDArray[np.inexact], times: Vector) -> NDArray[np.inexact]:
        """log G: a row for each time, a column for each z."""
        found = self._log_of(log_z[None, :], times[:, None])
        return found if np.iscomplexobj(log_z) else found.real

    def _log_of(self, log_z: NDArray[np.inexact], times: Vector) -> Complex:
        """log G(z, t), without a difference of large numbers: with m = (crash + failover) / 2, d = (crash -
        failover) / 2 and w² = d² + crash·failover·z,

            G = exp((w - m)·t)·((w - d) + (w + d)·exp(-2·w·t)) / (2·w)
        """
        crash, failover = self._crash, self._failover
        both, apart = (crash + failover) / 2, (crash - failover) / 2
        product = crash * failover * np.exp(log_z + 0j)
        root = np.sqrt(apart * apart + product)
        growth = crash * failover * np.expm1(log_z + 0j) / (root + both)
        # w - d and w + d multiply to crash·failover·z: the one that would cancel is had from the other.
        if apart > 0:
            larger = root + apart
            slow, fast = product / larger, larger
        else:
            larger = root - apart
            slow, fast = larger, product / larger
        return np.asarray(growth * times + np.log((slow + fast * np.exp(-2 * root * times)) / (2 * root)))
