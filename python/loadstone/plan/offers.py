"""What one tier can be: the parts that keep it up when it is alone, the cheapest first."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loadstone.availability.cluster import MOST_SHOCKED
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.down import down_s, spares_guess
from loadstone.availability.search import smallest
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.part import Part, Values, alone_s, cluster_of, needed_nodes

MOST_EXTRA = 400
MOST_POOL = 120
"""Extra active nodes and spares tried, of small tiers; of large ones as many as some times those needed."""
MOST_MIXED = 8
"""Extra active nodes tried beside a pool: beyond a few, a spare does the same for less."""

CENT = 6
"""Digits to which dollars are compared: sums in another order must not differ."""

FURTHER = 1e-4
"""A tier beside others is offered down to this part of what the whole service may be down."""


@dataclass(frozen=True)
class Offer:
    """A part, its price a month, and the seconds of a year it is down with all crews to itself."""

    part: Part
    usd: float
    down_s: float


class Shelf:
    """The parts of a tier that alone are down no longer than the service may be, the cheapest first; among
    equals the fewest nodes first. Each is solved when it is asked for.
    """

    def __init__(self, inputs: Inputs, values: Values, at: int, ways: Sequence[Way]) -> None:
        """`ways`: those of the tier `at` that are tried."""
        self._made: list[Offer] = []
        self._count = itertools.count()
        self._open: list[tuple[float, int, int, Offer | None, Iterator[Offer]]] = []
        for way in ways:
            needed = needed_nodes(inputs, values, at, way) or 0
            for extra, most in shapes(inputs, way, needed):
                course = _course(inputs, values, at, way, needed, extra, most)
                # Before a spare is bought this much is spent: no need to solve it before that is the least.
                least = part_of(at, way, needed, extra, 0)
                self._push(least.usd_per_month, least.nodes, None, course)

    def __getitem__(self, number: int) -> Offer:
        """Raises `IndexError` when there are not so many."""
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
            self._push(found.usd, found.part.nodes, found, course)


def _course(
    inputs: Inputs, values: Values, at: int, way: Way, needed: int, extra: int | None, most: int
) -> Iterator[Offer]:
    """From the fewest that do, one more at a time, until far better than asked for or no better at all.

    Assumes that another node never hurts.
    """

    def built(count: int) -> Offer:
        part = part_of(at, way, needed, extra, count)
        return Offer(part, part.usd_per_month, alone_s(inputs, values, part))

    if extra is not None and _hopeless(inputs, values, built(0)):
        return
    guess = 0
    if extra is not None:
        lent = cluster_of(inputs, values, part_of(at, way, needed, extra, 1))
        guess = spares_guess(lent, inputs.allowed_s, inputs.year_s)
    count = smallest(lambda n: built(n).down_s <= inputs.allowed_s, most, guess)
    before = math.inf
    while count is not None and count <= most:
        offer = built(count)
        if offer.down_s >= 0.999 * before:
            return
        yield offer
        if offer.down_s <= FURTHER * inputs.allowed_s:
            return
        count, before = count + 1, offer.down_s


def _hopeless(inputs: Inputs, values: Values, without: Offer) -> bool:
    """Whether no pool meets the target: neither none nor one without end, which leaves the failovers."""
    if without.down_s <= inputs.allowed_s:
        return False
    cluster = cluster_of(inputs, values, without.part)
    endless = replace(cluster, pool=None, repair=None, crews=None, phases=1, dormancy=0.0)
    # What nobody mends is judged by its first year, whoever else is not.
    criterion = FIRST_YEAR if without.part.way.repair_s is None else inputs.criterion
    return down_s(endless, inputs.year_s, criterion) > inputs.allowed_s


def shapes(inputs: Inputs, way: Way, needed: int) -> list[tuple[int | None, int]]:
    """(extra active nodes, most of what the search varies), as `part_of` takes them."""
    most_extra = max(MOST_EXTRA, 4 * needed)
    most_pool = max(MOST_POOL, 2 * needed)
    most_mixed = MOST_MIXED
    if inputs.shock:
        # `refused` has seen to it that those needed are no more.
        most_extra, most_mixed = (min(most, MOST_SHOCKED - needed) for most in (most_extra, most_mixed))
    if way.endless or way.deployment == "active":
        return [(None, most_extra)]
    if way.deployment == "passive":
        return [(0, most_pool)]
    return [(extra, most_pool) for extra in range(most_mixed + 1)]


def part_of(at: int, way: Way, needed: int, extra: int | None, count: int) -> Part:
    """`extra` active nodes beside `count` spares; of None, `count` active nodes more than needed."""
    if extra is None:
        return Part(at, way, needed, needed + count, None if way.endless else 0)
    return Part(at, way, needed, needed + extra, count)
