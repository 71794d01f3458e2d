"""Performability: users held at the SLA in every degraded state, and for what share of the year."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.nodes.cluster.answers import Bounds, Outages, down_bounds, outages, time_up
from loadstone.plan.candidate import Candidate, Values, cluster_of, held
from loadstone.plan.read import Inputs

_MOST_STATES = 24
"""Numbers of nodes told apart; with fewer than that up the year has no time to speak of, or see `rest`."""


@dataclass(frozen=True)
class Level:
    """So many nodes up hold `users` at the SLA, for `share` of the year."""

    nodes: int
    users: float
    share: float


@dataclass(frozen=True)
class Served:
    """The mean share of users held at the SLA over the year, and the hours of users a year that are not."""

    levels: list[Level]
    rest: float
    """Share of the year with fewer nodes up than the last level's; counted as nobody served."""
    mean_share: float
    user_hours_lost: float
    outages: Outages
    first_year_down_s: Bounds
    """From a start with every node up."""


def served(inputs: Inputs, values: Values, plan: Candidate) -> Served:
    """The chosen plan's year. Users beyond what is up are not held: they wait too long or are turned away."""
    cluster = cluster_of(inputs, plan.way, values, plan.needed, plan.active, plan.pool)
    fewest = max(0, plan.active - _MOST_STATES)
    counts = list(range(plan.active, fewest - 1, -1))
    times = time_up(cluster, inputs.year_s, counts)
    factor = float(plan.way.node.throughput) * values.per_node / inputs.per_node.value
    levels, lost_s = [], 0.0
    for count, time in zip(counts, times, strict=True):
        users = min(values.users, held(count, inputs.curve) * factor)
        levels.append(Level(count, users, time.high / inputs.year_s))
        # Summed from the losses, so that many nines keep their digits.
        lost_s += (values.users - users) * time.high
    rest = max(0.0, 1 - sum(level.share for level in levels)) if fewest else 0.0
    # What is left of 1 after the sum is rounding, unless it is more than the bounds are wide.
    rest = rest if rest > 1e-6 else 0.0
    lost_s += rest * values.users * inputs.year_s
    mean = 1 - lost_s / (values.users * inputs.year_s)
    first_year = down_bounds(cluster, inputs.year_s)
    return Served(levels, rest, mean, lost_s / 3600, outages(cluster), first_year)
