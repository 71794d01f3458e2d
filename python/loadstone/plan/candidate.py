"""One way to build the service, and the cheapest: a part for each tier, their price, their downtime."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from loadstone.availability.cluster import Crewed
from loadstone.availability.down import down_s
from loadstone.availability.series import down_in_series
from loadstone.plan.ceiling import least_s, why_unmet
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.offers import Offer, Shelf
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
from loadstone.plan.search import CENT, by_price
from loadstone.plan.shapes import shapes

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
    """Why a way of the tier `at` cannot meet the targets. `ceiling_s`: the least that the service is down in
    a year with any number of nodes; None: it is not what keeps it from them.
    """

    at: int
    way: Way
    why: str
    ceiling_s: float | None = None


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
    """The cheapest of these ways of each tier; among equals the fewest nodes, then the least downtime with
    crews for each. Else why there is none.

    Plans are taken in the order of their price, so that the first to meet the target is it. A chain of
    shared crews is solved only for plans that would do with crews for each tier alone: other tiers' broken
    nodes never get a node mended sooner.
    """
    fit, unfit = fitting(inputs, values, ways)
    if not all(fit):
        return unfit
    fit, least, beyond = _within_reach(inputs, values, fit)
    if not all(fit):
        return [*unfit, *beyond]
    solved = 0
    for chosen in by_price(_shelves(inputs, values, fit, least), inputs.allowed_s / inputs.year_s):
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
    most = max(
        most
        for at, own in enumerate(fit)
        for way in own
        for _, most in shapes(inputs, way, needed_nodes(inputs, values, at, way) or 0)
    )
    why = f"cannot be met with up to {most:,} extra nodes{' of a tier' if len(fit) > 1 else ''}"
    return [*unfit, *beyond, *(Refused(at, way, why) for at, own in enumerate(fit) for way in own)]


def _within_reach(
    inputs: Inputs, values: Values, ways: Sequence[Sequence[Way]]
) -> tuple[list[list[Way]], list[float], list[Refused]]:
    """Of each tier the ways with which some number of nodes may meet the target, the others at their best;
    the least share of the year that such a tier is down; and the ways with which none can.
    """
    each = [[least_s(inputs, values, at, way) for way in own] for at, own in enumerate(ways)]
    best = [
        min(zip(own, of, strict=True), key=lambda one: one[1]) for own, of in zip(ways, each, strict=True)
    ]
    fit: list[list[Way]] = []
    beyond = []
    for at, own in enumerate(ways):
        fit.append([])
        for way, least in zip(own, each[at], strict=True):
            service = [*best[:at], (way, least), *best[at + 1 :]]
            down_s = down_in_series(down / inputs.year_s for _, down in service) * inputs.year_s
            if down_s <= inputs.allowed_s:
                fit[at].append(way)
                continue
            why = why_unmet(inputs, values, [one for one, _ in service], [down for _, down in service])
            beyond.append(Refused(at, way, why, down_s))
    return fit, [down / inputs.year_s for _, down in best], beyond


def _shelves(
    inputs: Inputs, values: Values, ways: Sequence[Sequence[Way]], least: Sequence[float]
) -> list[Shelf]:
    """Of each tier what may do with the others at their best."""
    allowed, shelves = inputs.allowed_s / inputs.year_s, []
    for at, own in enumerate(ways):
        others = down_in_series([*least[:at], *least[at + 1 :]])
        # 1 - (1 - allowed) / (1 - others), without losing nines; of one tier exactly what is allowed.
        share = (allowed - others) / (1 - others)
        shelves.append(Shelf(inputs, values, at, own, least[at], share))
    return shelves


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
    """Whether any two of the parts that share crews meet the target: three are solved for no others."""
    downs = [offer.down for offer in chosen]
    allowed = inputs.allowed_s / inputs.year_s
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
