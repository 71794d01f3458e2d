"""Choices of one offer for each tier, in the order of their price, as far as they may meet the target.

Spares of one tier cannot stand in for another's, so equal nines for every tier would waste nodes: a tier
whose next spare buys many nines should buy them for the others. The search is exact: it always goes on from
the beginning of a choice that can be ended for the least, which the tiers that are left tell beforehand.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Generic, Protocol, TypeVar

from loadstone.availability.series import down_in_series

CENT = 6
"""Digits to which dollars are compared: sums in another order must not differ."""
_ROUNDED = 1 + 1e-12
"""Downtime of tiers taken together step by step may be off by so much: whole choices are looked at again."""


class Offered(Protocol):
    """What a tier can be: its price, its nodes and its share of time down."""

    @property
    def usd(self) -> float:
        """Dollars a month; nodes where those are counted."""

    @property
    def nodes(self) -> int:
        """All that are paid for."""

    @property
    def down(self) -> float:
        """Share of time down."""


One = TypeVar("One", bound=Offered)
_OneOf = TypeVar("_OneOf", bound=Offered, covariant=True)


class Offers(Protocol[_OneOf]):
    """The offers of a tier, the cheapest first; among equals the fewest nodes first."""

    @property
    def least(self) -> float:
        """What the share of time down of each stays above, or at."""

    def __getitem__(self, number: int) -> _OneOf:
        """Raises `IndexError` when there are not so many."""


class _Ended:
    """What the last tiers come to together: the cheapest first, each down less than all that cost no more.

    Each is found when it is asked for, from the offers of the first of them and what the others come to.
    """

    def __init__(self, first: Offers[Offered], others: _Ended | None) -> None:
        self._first, self._others = first, others
        self._made: list[_Sum] = []
        self._open: list[tuple[_Sum, int, int]] = []
        self._push(0, 0)

    def __getitem__(self, number: int) -> _Sum:
        """Raises `IndexError` when there are not so many."""
        while len(self._made) <= number:
            if not self._open:
                raise IndexError(number)
            found, i, j = heapq.heappop(self._open)
            self._push(i, j + 1)
            if j == 0:
                self._push(i + 1, 0)
            if not self._made or found.down < self._made[-1].down:
                self._made.append(found)
        return self._made[number]

    def _push(self, i: int, j: int) -> None:
        """The offer `i` of the first tier with the offer `j` of the others together, if both exist."""
        if self._others is None and j:
            return
        try:
            offer = self._first[i]
            rest = self._others[j] if self._others else _Sum(0.0, 0, 0.0)
        except IndexError:
            return
        usd, down = round(offer.usd + rest.usd, CENT), down_in_series((offer.down, rest.down))
        heapq.heappush(self._open, (_Sum(usd, offer.nodes + rest.nodes, down), i, j))


@dataclass(frozen=True, order=True)
class _Sum:
    usd: float
    nodes: int
    down: float


@dataclass(order=True)
class _Begun(Generic[One]):
    """Offers of the first tiers, by their numbers, and what they come to with the least that ends them.

    not `weighed`: the last of them was not looked at, and they come to this or more.
    """

    usd: float
    nodes: int
    numbers: tuple[int, ...]
    chosen: tuple[One, ...] = field(compare=False)
    weighed: bool = field(compare=False)


def by_price(tiers: Sequence[Offers[One]], allowed: float) -> Iterator[tuple[One, ...]]:
    """Every choice with which independent tiers are down at most `allowed` of the time.

    The cheapest first; among equals the fewest nodes, then the least downtime, then the earlier offers of
    the tiers that come first.
    """
    for _, equal in groupby(_in_order(tiers, allowed), key=lambda one: (one.usd, one.nodes)):
        for one in sorted(equal, key=lambda one: (_down(one.chosen), one.numbers)):
            yield one.chosen


def _down(chosen: Sequence[Offered]) -> float:
    return down_in_series(one.down for one in chosen)


def _in_order(tiers: Sequence[Offers[One]], allowed: float) -> Iterator[_Begun[One]]:
    ends: list[_Ended | None] = [None]
    for tier in reversed(tiers):
        ends.insert(0, _Ended(tier, ends[0]))
    begun: list[_Begun[One]] = []

    def push(chosen: Sequence[One], numbers: Sequence[int], end: _Sum, *, weighed: bool) -> None:
        usd = round(math.fsum(one.usd for one in chosen) + end.usd, CENT)
        nodes = sum(one.nodes for one in chosen) + end.nodes
        heapq.heappush(begun, _Begun(usd, nodes, tuple(numbers), tuple(chosen), weighed))

    def go_on(chosen: Sequence[One], numbers: Sequence[int], number: int) -> None:
        """With that offer of the next tier, if it exists."""
        others = ends[len(chosen) + 1]
        try:
            push([*chosen, tiers[len(chosen)][number]], [*numbers, number], _cheapest(others), weighed=False)
        except IndexError:
            return

    go_on((), (), 0)
    while begun:
        one = heapq.heappop(begun)
        at = len(one.chosen)
        if not one.weighed:
            go_on(one.chosen[:-1], one.numbers[:-1], one.numbers[-1] + 1)
            end = _end(ends[at], one.chosen, [tier.least for tier in tiers[at:]], allowed)
            if end is not None:
                push(one.chosen, one.numbers, end, weighed=True)
        elif at == len(tiers):
            yield one
        else:
            go_on(one.chosen, one.numbers, 0)


def _cheapest(ends: _Ended | None) -> _Sum:
    return ends[0] if ends else _Sum(0.0, 0, 0.0)


def _end(ends: _Ended | None, chosen: Sequence[Offered], least: list[float], allowed: float) -> _Sum | None:
    """The cheapest of `ends` with which the first offers meet the target; None: none does."""
    before = _down(chosen)
    if ends is None:
        return _Sum(0.0, 0, 0.0) if before <= allowed else None
    if down_in_series([before, *least]) > allowed * _ROUNDED:
        return None
    for number in count():
        try:
            if down_in_series([before, ends[number].down]) <= allowed * _ROUNDED:
                return ends[number]
        except IndexError:
            break
    return None
