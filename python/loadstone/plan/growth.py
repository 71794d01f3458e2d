"""What surrounds a plan: the way to it from one user, one more node of each tier, the users it carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from loadstone.errors import LoadstoneError
from loadstone.parallel import Parallel
from loadstone.plan.candidate import Candidate, best, down_of
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import HAIR, Part, Values, holds, needed_nodes, overworked, work

MOST_STEPS = 24
"""Rows of the growth; of more, every second, third … is kept."""


@dataclass(frozen=True)
class Answer:
    """The cheapest plan; None: nothing meets the targets, and `why`."""

    chosen: Candidate | None
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """From `users_from` to `users_to` the same nodes do; then `limited_by` need one more."""

    users_from: int
    users_to: int
    limited_by: tuple[str, ...]
    answer: Answer


@dataclass(frozen=True)
class Growth:
    """`stride`: 1 when every step is there, k when of the tier with the most steps only every k-th is.
    `wall`: the most users that the tiers that do not scale let through; None: there are none.
    """

    steps: list[Step]
    stride: int
    wall: int | None


@dataclass(frozen=True)
class OneMore:
    """One more node of one tier: the users then carried at the target, and the downtime at the users
    planned for.
    """

    at: int
    users_carried: int
    down_s: float


def answer(inputs: Inputs, values: Values) -> Answer:
    """The cheapest plan, or in words why there is none."""
    try:
        found = best(inputs, values, [tier.ways for tier in inputs.tiers])
    except LoadstoneError as error:
        return Answer(None, (f"not solved: {error.message}; plan it as several smaller services",))
    if isinstance(found, Candidate):
        return Answer(found)
    return Answer(None, tuple(dict.fromkeys(one.why for one in found)))


def growth(inputs: Inputs, values: Values, users_to: float, parallel: Parallel) -> Growth:
    """The cheapest plans from one user to `users_to`, as far as a tier that does not scale lets them."""
    wall = _wall(inputs, values)
    ends = _ends(inputs, values, users_to if wall is None else min(users_to, wall))
    steps = sorted(set().union(*ends))
    # Which of the fastest tier's many steps are shown matters little, the other tiers' few are the news.
    news = set().union(*sorted(ends, key=len)[:-1])
    stride = -(-len(steps) // MOST_STEPS)
    shown = [
        (start, end)
        for i, (start, end) in enumerate(zip([1, *(end + 1 for end in steps)], steps, strict=False))
        if i % stride == 0 or (end in news and len(news) <= MOST_STEPS)
    ]
    answers = parallel(lambda step: answer(inputs, replace(values, users=float(step[0]))), shown)
    return Growth(
        [
            Step(
                start,
                end,
                tuple(t.name for t, own in zip(inputs.tiers, ends, strict=True) if end in own),
                found,
            )
            for (start, end), found in zip(shown, answers, strict=True)
        ],
        stride,
        wall,
    )


def users_carried(inputs: Inputs, values: Values, parts: Sequence[Part], totals: Sequence[int]) -> int:
    """The most users whom this number of nodes, built as `parts`, carries at the target; 0: none.

    Each node is either needed or a spare.
    """

    def meets(users: int) -> bool:
        now = replace(values, users=float(users))
        needed = [needed_nodes(inputs, now, part.at, part.way) for part in parts]
        if any(each is None or each > total for each, total in zip(needed, totals, strict=True)):
            return False
        built = [_of(part, each or 0, total) for part, each, total in zip(parts, needed, totals, strict=True)]
        if overworked(inputs, math.fsum(work(inputs, now, part) for part in built)):
            return False
        return down_of(inputs, now, built) <= inputs.allowed_s

    low = 0
    high = min(_held(inputs, values, part, total) for part, total in zip(parts, totals, strict=True)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if meets(middle) else (low, middle)
    return low


def one_more(inputs: Inputs, values: Values, chosen: Candidate) -> list[OneMore]:
    """What the next node of each tier buys, alone."""
    found = []
    for i, part in enumerate(chosen.parts):
        spared = [*chosen.parts[:i], _of(part, part.needed, part.nodes + 1), *chosen.parts[i + 1 :]]
        totals = [each.nodes + (j == i) for j, each in enumerate(chosen.parts)]
        carried = users_carried(inputs, values, chosen.parts, totals)
        found.append(OneMore(part.at, carried, down_of(inputs, values, spared)))
    return found


def _of(part: Part, needed: int, total: int) -> Part:
    """This number of nodes built like `part`, when so many of them are needed."""
    if part.way.deployment == "active" or (part.pool is None and part.way.deployment == "mixed"):
        return replace(part, needed=needed, active=total)
    active = min(total, needed + part.active - part.needed)
    return replace(part, needed=needed, active=active, pool=None if part.pool is None else total - active)


def _held(inputs: Inputs, values: Values, part: Part, nodes: int) -> int:
    """Users held by this number of nodes, as `needed_nodes` counts."""
    tier, per_node = inputs.tiers[part.at], values.per_node[part.at]
    one = holds(tier, part.way, per_node, 1)
    return math.floor(holds(tier, part.way, per_node, nodes) + HAIR * one)


def _wall(inputs: Inputs, values: Values) -> int | None:
    fixed = [
        max(_held(inputs, values, Part(at, way, 1, 1, 0), 1) for way in tier.ways)
        for at, tier in enumerate(inputs.tiers)
        if not tier.scales
    ]
    return min(fixed, default=None)


def _ends(inputs: Inputs, values: Values, users_to: float) -> list[set[int]]:
    """Of each tier, the users up to which its Num stays the same; the last at or past `users_to`."""
    last = replace(values, users=users_to)
    found = []
    for at, tier in enumerate(inputs.tiers):
        steps = set()
        for way in tier.ways:
            part = Part(at, way, 1, 1, 0)
            most = needed_nodes(inputs, last, at, way) or 1
            steps |= {_held(inputs, values, part, nodes) for nodes in range(1, most + 1)}
        # A node that carries less than one user does not end a step.
        found.append({end for end in steps if end >= 1})
    within = min(max(ends, default=0) for ends in found)
    return [{end for end in ends if end <= within} for ends in found]
