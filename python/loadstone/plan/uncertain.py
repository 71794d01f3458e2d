"""What the uncertainty of the inputs means for nodes and dollars: the plan made again for inputs drawn anew.

Load, capacity of a node and crash rate are drawn from log-normal laws through their 95 % intervals, each
side by its own; the draws are the same for every way, so that ways are compared like with like.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadstone.plan.candidate import Candidate, Values, candidate, cheapest_only, needed_nodes
from loadstone.plan.read import Inputs
from loadstone.plan.spread import Spread

SURE = 0.95
_MOST_MORE = 64
"""Nodes added at most in the search for a plan that holds in `SURE` of the draws."""


@dataclass(frozen=True)
class Interval:
    """Median, and the middle 95 % of the draws."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Uncertainty:
    """Over the draws: nodes and dollars of the cheapest plan, how often each way is it, how often there is
    none; how often the chosen plan meets the target, and its downtime; and the smallest plan of the same way
    that meets it in `SURE` of the draws.
    """

    draws: int
    nodes: Interval | None
    usd_per_month: Interval | None
    wins: dict[str, float]
    unmet: float
    chosen_holds: float
    chosen_down_s: Interval
    sure: Candidate | None
    sure_holds: float | None


def draws(inputs: Inputs, count: int, seed: int) -> list[Values]:
    """Inputs drawn anew. What has no interval stays as it is."""
    z = np.random.default_rng(seed).standard_normal((count, 3))
    return [
        Values(inputs.users.at(float(a)), inputs.per_node.at(float(b)), crash_z=float(c)) for a, b, c in z
    ]


def uncertainty(inputs: Inputs, chosen: Candidate, values: Sequence[Values], spread: Spread) -> Uncertainty:
    """The plan for every draw, and the chosen plan under every draw."""
    found = spread(lambda drawn: cheapest_only(inputs, drawn), values)
    met = [one for one in found if one is not None]
    downs = _downs(inputs, chosen, values, spread)
    sure, sure_holds = _sure(inputs, chosen, values, spread)
    return Uncertainty(
        draws=len(values),
        nodes=_interval([one.nodes for one in met]) if met else None,
        usd_per_month=_interval([one.usd_per_month for one in met]) if met else None,
        wins={way.name: sum(one.way.name == way.name for one in met) / len(values) for way in inputs.ways},
        unmet=1 - len(met) / len(values),
        chosen_holds=_share(inputs, downs),
        chosen_down_s=_interval(downs),
        sure=sure,
        sure_holds=sure_holds,
    )


def _downs(inputs: Inputs, plan: Candidate, values: Sequence[Values], spread: Spread) -> list[float]:
    """Downtime of a fixed plan under every draw: too few nodes for the load are down all year."""

    def down(drawn: Values) -> float:
        needed = needed_nodes(drawn.users, drawn.per_node, plan.way, inputs)
        if needed > plan.active:
            return inputs.year_s
        return candidate(inputs, plan.way, drawn, needed, plan.active, plan.pool).down_s

    return spread(down, values)


def _share(inputs: Inputs, downs: Sequence[float]) -> float:
    return sum(down <= inputs.allowed_s for down in downs) / len(downs)


def _sure(
    inputs: Inputs, chosen: Candidate, values: Sequence[Values], spread: Spread
) -> tuple[Candidate | None, float | None]:
    """The smallest plan of the chosen way that holds in `SURE` of the draws: a node more at a time, where it
    helps the more.
    """
    plan = chosen
    for _ in range(_MOST_MORE):
        holds = _share(inputs, _downs(inputs, plan, values, spread))
        if holds >= SURE:
            return plan, holds
        plan = _one_more(inputs, plan, values)
    return None, None


def _one_more(inputs: Inputs, plan: Candidate, values: Sequence[Values]) -> Candidate:
    """An active node more; for a pool a spare more, unless nodes are too few for the load in many draws."""
    short = [needed_nodes(drawn.users, drawn.per_node, plan.way, inputs) > plan.active for drawn in values]
    grows = plan.way.endless or plan.way.deployment == "active" or sum(short) / len(short) > 1 - SURE
    active = plan.active + (1 if grows else 0)
    pool = plan.pool if grows or plan.pool is None else plan.pool + 1
    return candidate(
        inputs, plan.way, Values(inputs.users.value, inputs.per_node.value), plan.needed, active, pool
    )


def _interval(values: Sequence[float]) -> Interval:
    """By order statistics: no quantile lies between two draws."""
    ordered = sorted(values)
    at = [min(len(ordered) - 1, math.floor(level * len(ordered))) for level in (0.5, 0.025, 0.975)]
    return Interval(*(float(ordered[index]) for index in at))
