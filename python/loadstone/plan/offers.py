"""What one tier can be: the parts that keep it up when it is alone, the cheapest first."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from loadstone.availability.down import spares_guess
from loadstone.availability.search import smallest
from loadstone.plan.ceiling import least_of_shape_s, pool_is_useless
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.part import Part, Values, alone_s, cluster_of, needed_nodes
from loadstone.plan.search import CENT
from loadstone.plan.shapes import Shape, part_of, shapes

FURTHER = 1e-9
"""A tier beside others is offered down to this part of what it may be down."""
_NO_BETTER = 1 - 1e-9


@dataclass(frozen=True)
class Offer:
    """A part, its price a month, its nodes, and its share of the year down with all crews to itself."""

    part: Part
    usd: float
    nodes: int
    down: float


class Shelf:
    """The parts of a tier that alone are down no longer than they may be, the cheapest first; among equals
    the fewest nodes first. Each is solved when it is asked for.
    """

    def __init__(
        self, inputs: Inputs, values: Values, at: int, ways: Sequence[Way], least: float, allowed: float
    ) -> None:
        """`ways`: those of the tier `at` that are tried, down `least` of the year or more; `allowed`: the
        share that the tier may be down when the others are at their best.
        """
        self.least = least
        self._inputs, self._values, self._allowed_s = inputs, values, allowed * inputs.year_s
        self._made: list[Offer] = []
        self._count = itertools.count()
        self._open: list[tuple[float, int, int, Offer | None, Iterator[Offer]]] = []
        for way in ways:
            needed = needed_nodes(inputs, values, at, way) or 0
            for shape in shapes(inputs, way, needed):
                # Before a spare is bought this much is spent: no need to solve it before that is the least.
                without = part_of(at, way, needed, shape[0], 0)
                self._push(without.usd_per_month, without.nodes, None, self._course(without, shape))

    def __getitem__(self, number: int) -> Offer:
        """Raises `IndexError` when there are fewer."""
        while len(self._made) <= number:
            if not self._open:
                raise IndexError(number)
            self._advance()
        return self._made[number]

    def _push(self, usd: float, nodes: int, offer: Offer | None, course: Iterator[Offer]) -> None:
        heapq.heappush(self._open, (round(usd, CENT), nodes, next(self._count), offer, course))

    def _advance(self) -> None:
        """Of what is least: makes it if it is only known to be no cheaper, else puts it on the shelf."""
        usd, nodes, _, offer, course = heapq.heappop(self._open)
        if offer is not None:
            self._made.append(offer)
            self._push(usd, nodes + 1, None, course)
            return
        found = next(course, None)
        if found is not None:
            self._push(found.usd, found.nodes, found, course)

    def _course(self, without: Part, shape: Shape) -> Iterator[Offer]:
        """From the fewest that do, one more at a time, until far better than asked for or no better at all.

        Assumes that another node never hurts.
        """
        inputs, values, allowed_s = self._inputs, self._values, self._allowed_s
        extra, most = shape
        guess = 0

        def built(count: int) -> Offer:
            part = part_of(without.at, without.way, without.needed, extra, count)
            return Offer(part, part.usd_per_month, part.nodes, alone_s(inputs, values, part) / inputs.year_s)

        if extra is not None:
            if least_of_shape_s(inputs, values, without) > allowed_s:
                return
            if most and pool_is_useless(cluster_of(inputs, values, without)):
                most = 0
            if most:
                lent = cluster_of(inputs, values, part_of(without.at, without.way, without.needed, extra, 1))
                guess = spares_guess(lent, allowed_s, inputs.year_s)
        count = smallest(lambda n: built(n).down * inputs.year_s <= allowed_s, most, guess)
        before = inf
        while count is not None and count <= most:
            offer = built(count)
            if offer.down >= _NO_BETTER * before:
                return
            yield offer
            if offer.down * inputs.year_s <= FURTHER * allowed_s:
                return
            count, before = count + 1, offer.down
