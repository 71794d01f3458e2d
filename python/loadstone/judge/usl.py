"""The universal scalability law, fitted, with intervals that keep to what is possible. Pure.

Of N users, or machines, the throughput is

    X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1))

λ: of one alone; σ, contention: the part of the work that has to wait for its turn; κ, coherency: what each
pair costs to agree. None is negative. With κ > 0 the throughput falls beyond N* = √((1 - σ) / κ).
Source: N. J. Gunther, Guerrilla Capacity Planning, 2007, chapters 4 to 6.

N / X is a straight line in N - 1 and N (N - 1), so that the least squares are those of a linear model whose
coefficients (1 / λ, σ / λ, κ / λ) are not negative. Errors are taken to be relative, the same for all points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadstone.judge.histogram import Floats

_PARTS = 3
_FAR = 1e6
"""By this factor from the best value an end is looked for; beyond it there is none."""
_FINE = 1e-4
"""How near to it, relatively, an end is found."""
_STEP = 0.1
"""Logarithm of the first step from the best value."""
_NIL = 1e-12
"""What rounding makes of zero."""

Ends = tuple[float, float | None]
"""The least and the greatest value; None: there is no greatest."""


@dataclass(frozen=True)
class Law:
    """One curve."""

    one: float
    """λ: throughput of one."""
    contention: float
    coherency: float

    def throughput(self, load: float) -> float:
        """X of so many.

        >>> Law(10.0, 0.05, 0.0).throughput(21)
        105.0
        """
        slowed = 1 + self.contention * (load - 1) + self.coherency * load * (load - 1)
        return self.one * load / slowed

    @property
    def peak(self) -> float | None:
        """N*: where the throughput is greatest; None where it grows for ever.

        >>> Law(10.0, 0.04, 0.0001).peak, Law(10.0, 0.04, 0.0).peak
        (97.97958971132712, None)
        """
        if self.coherency <= 0:
            return None
        return math.sqrt(max(0.0, 1 - self.contention) / self.coherency)


class Fit:
    """The law nearest to some points, and how far every other one is from them."""

    def __init__(self, loads: Floats, throughputs: Floats) -> None:
        """Both above zero, of three different loads at least."""
        self.loads, self.throughputs = loads, throughputs
        # So that the three coefficients are about as great as 1.
        self._unit = float((throughputs / loads).max())
        self._scale = np.array([1.0, max(1.0, loads.max() - 1), loads.max() ** 2])
        rows = np.stack([_terms(load) for load in loads]) / self._scale
        rows *= (throughputs / loads / self._unit)[:, np.newaxis]
        self._gram, self._sums = rows.T @ rows, rows.sum(axis=0)

    @cached_property
    def _best(self) -> tuple[Floats, float]:
        return self._nearest(None, 0.0)

    @cached_property
    def law(self) -> Law:
        """The nearest one."""
        alone, contention, coherency = (float(part) for part in self._best[0] / self._scale)
        return Law(self._unit / alone, contention / alone, coherency / alone)

    @property
    def squares(self) -> float:
        """Sum of its squared relative distances."""
        return self._best[1]

    @property
    def freedom(self) -> int:
        """Points beyond those that determine a law."""
        return len(self.loads) - _PARTS

    def distances(self) -> Floats:
        """measured ÷ the law's - 1, of each point."""
        expected = np.array([self.law.throughput(load) for load in self.loads])
        return np.asarray(self.throughputs / expected - 1, dtype=np.float64)

    def contention(self, slack: float) -> Ends:
        """The least and greatest σ of laws whose squares exceed the least by no more than `slack`."""
        return self._ends(
            lambda value: self._excess([-value, 1.0, 0.0]),
            self.law.contention,
            1 / float(self.loads.max()),
            slack,
        )

    def coherency(self, slack: float) -> Ends:
        """As `contention`, of κ."""
        width = 1 / float(self.loads.max()) ** 2
        return self._ends(lambda value: self._excess([-value, 0.0, 1.0]), self.law.coherency, width, slack)

    def throughput(self, load: float, slack: float) -> Ends:
        """As `contention`, of the throughput of so many."""
        best, terms = self.law.throughput(load), _terms(load)
        return self._ends(lambda value: self._excess(terms, load / value * self._unit), best, best, slack)

    def peak(self, slack: float) -> Ends:
        """As `contention`, of N*: the second is None where some of these laws have none."""

        def beyond(value: float) -> float:
            return self._excess([1.0, -1.0, -(value**2)])

        far = float(self.loads.max()) * _FAR
        return self._ends(beyond, max(1.0, min(far, self.law.peak or far)), 1.0, slack, least=1.0)

    def _excess(self, weights: Sequence[float], total: float = 0.0) -> float:
        """By how much the squares grow where the coefficients have to have this weighted sum."""
        return self._nearest(np.asarray(weights) / self._scale, total)[1] - self.squares

    def _nearest(self, weights: Floats | None, total: float) -> tuple[Floats, float]:
        """Coefficients, none negative, of the least squares, with a weighted sum if one is given.

        Some of them are zero and the others free: all such choices are tried.
        """
        best, least = np.zeros(_PARTS), math.inf
        for chosen in ([0], [0, 1], [0, 2], [0, 1, 2]):
            found = self._solved(chosen, weights, total)
            if found is None or found[0] <= 0 or (found < -_NIL).any():
                continue
            squares = float(found @ self._gram @ found - 2 * found @ self._sums) + len(self.loads)
            if squares < least:
                best, least = np.maximum(found, 0.0), squares
        return best, max(0.0, least)

    def _solved(self, chosen: list[int], weights: Floats | None, total: float) -> Floats | None:
        """With all but the `chosen` coefficients zero; None where that has no single answer."""
        size = len(chosen)
        system, wanted = self._gram[np.ix_(chosen, chosen)], self._sums[chosen]
        scale = 0.0 if weights is None else float(np.abs(weights[chosen]).max())
        if weights is not None and scale:
            side = weights[chosen][:, np.newaxis] / scale
            system = np.block([[system, side], [side.T, np.zeros((1, 1))]])
            wanted = np.append(wanted, total / scale)
        try:
            solved = np.linalg.solve(system, wanted)
        except np.linalg.LinAlgError:
            return None
        found = np.zeros(_PARTS)
        found[chosen] = solved[:size]
        return found

    def _ends(
        self,
        beyond: Callable[[float], float],
        best: float,
        width: float,
        slack: float,
        least: float | None = None,
    ) -> Ends:
        """The values around `best` up to where `beyond` is more than `slack`.

        They hang together, for the laws that are near enough are a convex set. `width`: how great a value may
        be where `best` is zero. `least`: none is less; 0 without it.
        """
        far = max(best, width) * _FAR
        high = _edge(beyond, max(best, width / _FAR), far, slack) if beyond(far) > slack else None
        near = best / _FAR if least is None else least
        low = _edge(beyond, best, near, slack) if best > near and beyond(near) > slack else least or 0.0
        return low, high


def _terms(load: float) -> list[float]:
    """What the coefficients are multiplied by to give N / X."""
    return [1.0, load - 1, load * (load - 1)]


def _edge(beyond: Callable[[float], float], inside: float, outside: float, slack: float) -> float:
    """Where `beyond` passes `slack`, by ratio: ever wider steps lead past it, and halvings to it."""
    at, end = math.log(inside), math.log(outside)
    step = math.copysign(_STEP, end - at)
    while abs(step) < abs(end - at) and beyond(math.exp(at + step)) <= slack:
        at, step = at + step, 2 * step
    end = at + step if abs(step) < abs(end - at) else end
    while abs(end - at) > _FINE:
        middle = (at + end) / 2
        at, end = (at, middle) if beyond(math.exp(middle)) > slack else (middle, end)
    return math.exp(at)
