"""Performability: users held at the SLA in every degraded state, and for what share of the year."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from loadstone.availability.chain import (
    Bounds,
    Model,
    Outages,
    down_bounds,
    outages,
    time_in,
    within_reach,
)
from loadstone.availability.series import down_in_series
from loadstone.plan.candidate import Candidate, crewed, sharing
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Part, Values, cluster_of, holds

_MOST_LEVELS = 24
"""Levels told apart; below the last the year has no time to speak of, or see `rest`."""
_MOST_STATES = 4_000
"""Of a chain whose first year is computed too: that takes far longer than its long run."""


@dataclass(frozen=True)
class Level:
    """`users` are held at the SLA for `share` of the year, since only `nodes` of the tier `at` are up.

    Both None: all users are held, for no tier is short.
    """

    at: int | None
    nodes: int | None
    users: float
    share: float


@dataclass(frozen=True)
class Served:
    """The mean share of users held at the SLA over the year, and the hours of users a year that are not."""

    levels: list[Level]
    rest: float
    """Share of the year below the last level; counted as if no user were served."""
    mean_share: float
    user_hours_lost: float
    outages: Outages | None
    """None with several tiers that do not share crews: no one chain holds them."""
    first_year_down_s: Bounds | None
    """From a start with every node up; None as of `outages`, or when the chain is large."""


@dataclass(frozen=True)
class _Below:
    """A number of users, and how few nodes of each tier mean that fewer are held: `short[tier] = nodes`."""

    users: float
    at: int
    short: tuple[int, ...]


def served(inputs: Inputs, values: Values, plan: Candidate) -> Served:
    """The chosen plan's year. Users beyond what is up are not held: they wait too long or are turned away."""
    below = _thresholds(inputs, values, plan)
    shares = _shares(inputs, values, plan, below)
    levels = [Level(None, None, values.users, 1 - shares[0])]
    # Summed from the losses, so that many nines keep their digits.
    lost_s = 0.0
    for i, one in enumerate(below[1:], 1):
        share = max(0.0, shares[i - 1] - shares[i])
        levels.append(Level(one.at, one.short[one.at], one.users, share))
        lost_s += (values.users - one.users) * share * inputs.year_s
    lost_s += shares[-1] * values.users * inputs.year_s
    mean = 1 - lost_s / (values.users * inputs.year_s)
    model = _one_chain(inputs, values, plan)
    first_year = model and model.states <= _MOST_STATES
    return Served(
        levels,
        shares[-1],
        mean,
        lost_s / 3600,
        outages(model) if model else None,
        down_bounds(model, inputs.year_s) if model and first_year else None,
    )


def _thresholds(inputs: Inputs, values: Values, plan: Candidate) -> list[_Below]:
    """From all users down to none, at most `_MOST_LEVELS`; the last is 0, below which nothing is."""
    each = [_held(inputs, values, part) for part in plan.parts]
    steps = sorted(
        {(users, part.at) for part, own in zip(plan.parts, each, strict=True) for users in own}, reverse=True
    )
    found = []
    for users, group in groupby(steps, key=lambda step: step[0]):
        short = tuple(sum(users > least for least in own) for own in each)
        found.append(_Below(users, next(group)[1], short))
    return found[:_MOST_LEVELS]


def _held(inputs: Inputs, values: Values, part: Part) -> list[float]:
    """Users held with 0, 1, … nodes up, to the number that holds all of them."""
    tier = inputs.tiers[part.at]
    return [
        min(values.users, holds(tier, part.way, values.per_node[part.at], nodes))
        for nodes in range(part.needed)
    ] + [values.users]


def _shares(inputs: Inputs, values: Values, plan: Candidate, below: list[_Below]) -> list[float]:
    """For each threshold the share of the year with fewer users held: upper bounds, never growing."""
    shared = sharing(inputs, plan.parts)
    groups = [[part] for part in plan.parts if part not in shared] + ([shared] if shared else [])
    found = [0.0] * len(below)
    each = []
    for group in groups:
        model = _model(inputs, values, group)
        conditions = [_condition(inputs, group, one) for one in below]
        asked = [condition for condition in dict.fromkeys(conditions) if condition]
        times = (
            dict(zip(asked, time_in(model, inputs.year_s, asked, inputs.criterion), strict=True))
            if asked
            else {}
        )
        each.append([times[one].high / inputs.year_s if one else 0.0 for one in conditions])
    for i in range(len(below)):
        share = each[0][i] if len(each) == 1 else down_in_series(own[i] for own in each)
        found[i] = share if i == 0 else min(found[i - 1], share)
    return found


def _model(inputs: Inputs, values: Values, group: list[Part]) -> Model:
    if len(group) == 1:
        return cluster_of(inputs, values, group[0])
    return within_reach(crewed(inputs, values, group))


def _condition(inputs: Inputs, group: list[Part], below: _Below) -> str:
    """In the words of the group's chain; empty when it cannot be."""
    short = [(part, below.short[part.at]) for part in group if below.short[part.at]]
    if len(group) == 1:
        return f"up < {short[0][1]}" if short else ""
    names = {part.at: inputs.tiers[part.at].name.replace("-", "_") for part, _ in short}
    return " | ".join(f"{names[part.at]}_up < {count}" for part, count in short)


def _one_chain(inputs: Inputs, values: Values, plan: Candidate) -> Model | None:
    shared = sharing(inputs, plan.parts)
    if len(plan.parts) > 1 and len(shared) < len(plan.parts):
        return None
    return _model(inputs, values, list(plan.parts))
