"""What the uncertainty of the inputs means for nodes and dollars: the plan made again for inputs drawn anew.

Load, capacity of a node and crash rate are drawn from log-normal laws through their 95 % intervals, each
side by its own; the draws are the same for every way, so that ways are compared like with like.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadstone.availability.cluster import MOST_SHOCKED
from loadstone.parallel import Parallel
from loadstone.plan.candidate import Candidate, candidate, cheapest_only, down_of
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Part, Values, alone_s, base, needed_nodes

SURE = 0.95
_MOST_MORE = 64
"""Nodes added at most in the search for a plan that holds in `SURE` of the draws."""
_MOST_STALLED = 3
"""Nodes added without holding more often before that search is given up."""


@dataclass(frozen=True)
class Interval:
    """Median, and the middle 95 % of the draws."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Uncertainty:
    """Over the draws: nodes and dollars of the cheapest plan, how often each way of each tier is in it, how
    often there is none; how often the chosen plan meets the target, and its downtime; and the smallest plan
    of the same ways that meets it in `SURE` of the draws.
    """

    draws: int
    nodes: Interval | None
    usd_per_month: Interval | None
    wins: list[dict[str, float]]
    unmet: float
    chosen_holds: float
    chosen_down_s: Interval
    sure: Candidate | None
    sure_holds: float | None


def draws(inputs: Inputs, count: int, seed: int) -> list[Values]:
    """Inputs drawn anew. What has no interval stays as it is."""
    many = len(inputs.tiers)
    rows = np.random.default_rng(seed).standard_normal((count, 1 + 2 * many)).tolist()
    return [
        Values(
            inputs.users.at(z[0]),
            tuple(tier.per_node.at(each) for tier, each in zip(inputs.tiers, z[1 : 1 + many], strict=True)),
            crash_z=tuple(z[1 + many :]),
        )
        for z in rows
    ]


def uncertainty(
    inputs: Inputs, chosen: Candidate, values: Sequence[Values], parallel: Parallel
) -> Uncertainty:
    """The plan for every draw, and the chosen plan under every draw."""
    found = parallel(lambda drawn: cheapest_only(inputs, drawn), values)
    met = [one for one in found if one is not None]
    downs = _downs(inputs, chosen, values, parallel)
    sure, sure_holds = _sure(inputs, chosen, values, parallel)
    return Uncertainty(
        draws=len(values),
        nodes=_interval([one.nodes for one in met]) if met else None,
        usd_per_month=_interval([one.usd_per_month for one in met]) if met else None,
        wins=[
            {way.name: sum(one.parts[at].way == way for one in met) / len(values) for way in tier.ways}
            for at, tier in enumerate(inputs.tiers)
        ],
        unmet=1 - len(met) / len(values),
        chosen_holds=_share(inputs, downs),
        chosen_down_s=_interval(downs),
        sure=sure,
        sure_holds=sure_holds,
    )


def _downs(inputs: Inputs, plan: Candidate, values: Sequence[Values], parallel: Parallel) -> list[float]:
    """Downtime of a fixed plan under every draw: too few nodes for the load are down all year."""

    def down(drawn: Values) -> float:
        parts = [_under(inputs, part, drawn) for part in plan.parts]
        fit = [part for part in parts if part is not None]
        return down_of(inputs, drawn, fit) if len(fit) == len(parts) else inputs.year_s

    return parallel(down, values)


def _under(inputs: Inputs, part: Part, drawn: Values) -> Part | None:
    """The same nodes under other values; None when they are too few for the load."""
    needed = needed_nodes(inputs, drawn, part.at, part.way)
    return None if needed is None or needed > part.active else replace(part, needed=needed)


def _share(inputs: Inputs, downs: Sequence[float]) -> float:
    return sum(down <= inputs.allowed_s for down in downs) / len(downs)


def _sure(
    inputs: Inputs, chosen: Candidate, values: Sequence[Values], parallel: Parallel
) -> tuple[Candidate | None, float | None]:
    """The smallest plan of the chosen ways that holds in `SURE` of the draws: a node more at a time, where it
    helps the more.
    """
    plan, most, stalled = chosen, -1.0, 0
    for _ in range(_MOST_MORE):
        downs = _downs(inputs, plan, values, parallel)
        holds = _share(inputs, downs)
        if holds >= SURE:
            return plan, holds
        most, stalled = (holds, 0) if holds > most else (most, stalled + 1)
        failed = [drawn for drawn, down in zip(values, downs, strict=True) if down > inputs.allowed_s]
        more = _one_more(inputs, plan, failed, len(values))
        if more is None or stalled == _MOST_STALLED:
            break
        plan = more
    return None, None


def _one_more(inputs: Inputs, plan: Candidate, failed: Sequence[Values], of: int) -> Candidate | None:
    """A node more for the tier that by itself is down the longest in the most draws that `failed`, `of` so
    many: of a pool a spare, unless the nodes are too few for the load in many draws. None: no node helps.
    """
    fits = [[_under(inputs, part, drawn) for part in plan.parts] for drawn in failed]
    worst = [0] * len(plan.parts)
    for drawn, parts in zip(failed, fits, strict=True):
        downs = [alone_s(inputs, drawn, part) if part else inputs.year_s for part in parts]
        worst[downs.index(max(downs))] += 1
    at = worst.index(max(worst))
    part = plan.parts[at]
    small = sum(parts[at] is None for parts in fits) > (1 - SURE) * of
    if small and not inputs.tiers[at].scales:
        return None
    if inputs.shock and part.active >= MOST_SHOCKED:
        return None
    grows = small or part.way.endless or part.way.deployment == "active" or part.pool is None
    more = replace(part, active=part.active + 1) if grows else replace(part, pool=(part.pool or 0) + 1)
    return candidate(inputs, base(inputs), [*plan.parts[:at], more, *plan.parts[at + 1 :]])


def _interval(values: Sequence[float]) -> Interval:
    """By order statistics: no quantile lies between two draws."""
    ordered = sorted(values)
    at = [min(len(ordered) - 1, math.floor(level * len(ordered))) for level in (0.5, 0.025, 0.975)]
    return Interval(*(float(ordered[index]) for index in at))
