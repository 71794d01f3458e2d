"""One way to build the service, and the cheapest: a part for each tier, their price, their downtime."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loadstone.availability.cluster import Crewed
from loadstone.availability.down import down_s
from loadstone.availability.series import down_in_series
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.offers import CENT, Offer, Shelf
from loadstone.plan.part import (
    Part,
    Values,
    alone_s,
    cluster_of,
    needed_nodes,
    overworked,
    refused,
    work,
)

MOST_CHAINS = 400
"""Chains of shared crews solved in one search before it is given up."""


@dataclass(frozen=True)
class Candidate:
    """A part for each tier, in their order."""

    parts: tuple[Part, ...]
    down_s: float
    usd_per_month: float

    @property
    def nodes(self) -> int:
        """All that are paid for."""
        return sum(part.nodes for part in self.parts)


@dataclass(frozen=True)
class Refused:
    """Why a way of the tier `at` cannot meet the targets."""

    at: int
    way: Way
    why: str


@dataclass(frozen=True)
class Outcome:
    """The choice (None: nothing meets the targets), the best with each way, and the ways that cannot.

    `met` holds at least one for each way that can: with several tiers the best of it beside any others.
    """

    chosen: Candidate | None
    met: list[tuple[Part, Candidate]]
    refused: list[Refused]


def cheapest(inputs: Inputs, values: Values) -> Outcome:
    """The cheapest of all that meet the targets, and the best with each way of each tier."""
    met, refused = [], []
    every = [tier.ways for tier in inputs.tiers]
    for at, tier in enumerate(inputs.tiers):
        for way in tier.ways:
            found = best(inputs, values, [*every[:at], (way,), *every[at + 1 :]])
            if isinstance(found, Candidate):
                met.append((found.parts[at], found))
            else:
                refused += [one for one in found if (one.at, one.way) == (at, way)] or [
                    Refused(at, way, "the other tiers keep the service from its targets")
                ]
    return Outcome(min((one for _, one in met), key=_rank, default=None), met, refused)


def cheapest_only(inputs: Inputs, values: Values) -> Candidate | None:
    """The choice of `cheapest`, without the best of the ways that cannot be it."""
    found = best(inputs, values, [tier.ways for tier in inputs.tiers])
    return found if isinstance(found, Candidate) else None


def _rank(one: Candidate) -> tuple[float, int]:
    return (round(one.usd_per_month, CENT), one.nodes)


def candidate(inputs: Inputs, values: Values, parts: Sequence[Part]) -> Candidate:
    """The parts, priced and solved. Errors as the solver's."""
    usd = math.fsum(part.usd_per_month for part in parts)
    return Candidate(tuple(parts), down_of(inputs, values, parts), usd)


def down_of(inputs: Inputs, values: Values, parts: Sequence[Part]) -> float:
    """Seconds of a year that the service is down: tiers that share crews by one chain, independent ones by
    the product of their shares up.
    """
    shared = sharing(inputs, parts)
    others = [part for part in parts if part not in shared]
    downs = [alone_s(inputs, values, part) for part in others]
    if shared:
        downs.append(down_s(crewed(inputs, values, shared), inputs.year_s, inputs.criterion))
    if len(downs) == 1:
        return downs[0]
    return down_in_series(each / inputs.year_s for each in downs) * inputs.year_s


def sharing(inputs: Inputs, parts: Sequence[Part]) -> list[Part]:
    """The parts whose nodes can be kept waiting by those of another one: none where crews are plenty."""
    if inputs.crews is None:
        return []
    mended = [part for part in parts if part.pool is not None and part.way.repair_s is not None]
    plenty = sum(part.nodes for part in mended) <= inputs.crews
    return [] if plenty or len(mended) < 2 else mended


def crewed(inputs: Inputs, values: Values, parts: Sequence[Part]) -> Crewed:
    """The chain of parts that share crews."""
    assert inputs.crews is not None
    return Crewed(
        names=tuple(inputs.tiers[part.at].name.replace("-", "_") for part in parts),
        clusters=tuple(replace(cluster_of(inputs, values, part), crews=None) for part in parts),
        crews=inputs.crews,
        ranks=tuple(inputs.tiers[part.at].rank for part in parts),
    )


def best(inputs: Inputs, values: Values, ways: Sequence[Sequence[Way]]) -> Candidate | list[Refused]:
    """The cheapest of these ways of each tier; among equals the fewest nodes. Else why there is none.

    Plans are taken in the order of their price, so that the first to meet the target is it. A chain of
    shared crews is solved only for plans that would do with crews for each tier alone: other tiers' broken
    nodes never get a node mended sooner.
    """
    fit, unfit = fitting(inputs, values, ways)
    if not all(fit):
        return unfit
    solved = 0
    shelves = [Shelf(inputs, values, at, own) for at, own in enumerate(fit)]
    for chosen in _by_price(shelves):
        parts = [offer.part for offer in chosen]
        if overworked(inputs, math.fsum(work(inputs, values, part) for part in parts)):
            continue
        if not _may_do(inputs, values, chosen):
            continue
        one = candidate(inputs, values, parts)
        if one.down_s <= inputs.allowed_s:
            return one
        solved += 1
        if solved >= MOST_CHAINS:
            why = f"the cheapest {MOST_CHAINS} plans miss the target: crews that are shared mend too late"
            return [Refused(at, way, why) for at, own in enumerate(fit) for way in own]
    why = "no number of extra nodes or spares within reach meets the target"
    return [*unfit, *(Refused(at, way, why) for at, own in enumerate(fit) for way in own)]


def fitting(
    inputs: Inputs, values: Values, ways: Sequence[Sequence[Way]]
) -> tuple[list[list[Way]], list[Refused]]:
    """Of each tier the ways that some number of nodes may do with, and those that none can."""
    unfit, fit = [], []
    for at, own in enumerate(ways):
        whys = {way.name: refused(inputs, values, at, way) for way in own}
        unfit += [Refused(at, way, whys[way.name]) for way in own if whys[way.name]]
        fit.append([way for way in own if not whys[way.name]])
    if not all(fit):
        return fit, unfit
    busy = [[_work(inputs, values, at, way) for way in own] for at, own in enumerate(fit)]
    least = math.fsum(min(each) for each in busy)
    for at, own in enumerate(list(fit)):
        for way, each in zip(own, busy[at], strict=True):
            if why := overworked(inputs, least - min(busy[at]) + each):
                unfit.append(Refused(at, way, f"with the other tiers {why}" if len(ways) > 1 else why))
                fit[at] = [one for one in fit[at] if one != way]
    return fit, unfit


def _work(inputs: Inputs, values: Values, at: int, way: Way) -> float:
    needed = needed_nodes(inputs, values, at, way)
    assert needed is not None
    return work(inputs, values, Part(at, way, needed, needed, 0))


def _may_do(inputs: Inputs, values: Values, chosen: Sequence[Offer]) -> bool:
    """Whether the parts meet the target with crews of their own, and any two of them when they share."""
    downs = [offer.down_s / inputs.year_s for offer in chosen]
    allowed = inputs.allowed_s / inputs.year_s
    if down_in_series(downs) > allowed:
        return False
    shared = sharing(inputs, [offer.part for offer in chosen])
    if len(shared) < 3:
        return True
    for i, first in enumerate(shared):
        for second in shared[i + 1 :]:
            both = crewed(inputs, values, [first, second])
            pair = down_s(both, inputs.year_s, inputs.criterion) / inputs.year_s
            rest = [
                down for down, offer in zip(downs, chosen, strict=True) if offer.part not in (first, second)
            ]
            if down_in_series([pair, *rest]) > allowed:
                return False
    return True


def _by_price(shelves: Sequence[Shelf]) -> Iterator[tuple[Offer, ...]]:
    """One offer of each tier, every combination, the cheapest first; among equals the fewest nodes first."""
    heap: list[tuple[float, int, tuple[int, ...], tuple[Offer, ...]]] = []

    def push(at: tuple[int, ...]) -> None:
        try:
            chosen = tuple(shelf[number] for shelf, number in zip(shelves, at, strict=True))
        except IndexError:
            return
        usd = round(math.fsum(one.usd for one in chosen), CENT)
        heapq.heappush(heap, (usd, sum(one.part.nodes for one in chosen), at, chosen))

    push((0,) * len(shelves))
    while heap:
        _, _, at, chosen = heapq.heappop(heap)
        yield chosen
        # Each combination has one parent: the last of its numbers that is not 0, one less.
        last = max((tier for tier, number in enumerate(at) if number), default=0)
        for tier in range(last, len(at)):
            push((*at[:tier], at[tier] + 1, *at[tier + 1 :]))
