"""A plan and what surrounds it: its interval, the way to it from one user, one more node of each tier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from loadstone.errors import LoadstoneError
from loadstone.nodes.plan import MOST_NEEDED
from loadstone.nodes.sizing import nodes_needed
from loadstone.nodes.tiers.plan import Allocation, Planned, Prices, allocation, planned
from loadstone.nodes.tiers.read import Tiers

MOST_STEPS = 24
"""Rows of the growth plan; of more, every second, third … is kept."""


@dataclass(frozen=True)
class Step:
    """From `users_from` to `users_to` the same nodes do; then `limited_by` need one more. `chosen` None:
    nothing meets the target here, and `why`."""

    users_from: int
    users_to: int
    limited_by: tuple[str, ...]
    chosen: Allocation | None
    why: tuple[str, ...]


@dataclass(frozen=True)
class OneMore:
    """One more node of one tier: the users then carried at the target, and the downtime at the users
    planned for."""

    tier: str
    users_carried: int
    share_down: float


@dataclass(frozen=True)
class Outlook:
    """Everything that is known about `users` on this service. `fewest` and `most` are the plans with every
    tier's limit at the high and at the low end of its interval; `stride` is 1 when every step of the growth
    is there, k when only every k-th is.
    """

    service: Tiers
    users: Fraction
    found: Planned
    fewest: Planned
    most: Planned
    one_more: list[OneMore]
    growth: list[Step]
    stride: int


def outlook(service: Tiers, users: Fraction, prices: Prices) -> Outlook:
    """Plans for `users`, and the growth to twice as many. With `prices` of a spare, in dollars, the cheapest
    plan; without, the fewest nodes. Raises `nodes-input` when a tier takes too many nodes.
    """
    _check_size(service, users)
    found = planned(service, users, prices)
    steps, stride = growth(service, 2 * users, prices)
    return Outlook(
        service,
        users,
        found,
        planned(service, users, prices, "high"),
        planned(service, users, prices, "low"),
        one_more(service, found.chosen) if found.chosen else [],
        steps,
        stride,
    )


def _check_size(service: Tiers, users: Fraction) -> None:
    for tier in service.tiers:
        needed = nodes_needed(users, tier.limit.users.low or tier.limit.users.value)
        if tier.scales and needed > MOST_NEEDED:
            raise LoadstoneError(
                "nodes-input", f"`{tier.name}` needs {needed:,} nodes, more than {MOST_NEEDED:,}",
                place=service.source.place(("tier", tier.name)), hint="check the units of its capacity",
            )  # fmt: skip


def users_carried(service: Tiers, totals: tuple[int, ...]) -> int:
    """The most users whom these nodes carry at the target, each node either needed or a spare; 0: none."""
    limits = [tier.limit.users.value for tier in service.tiers]

    def holds(users: int) -> bool:
        num = tuple(nodes_needed(Fraction(users), limit) for limit in limits)
        if any(
            each > (total if tier.scales else 1)
            for tier, each, total in zip(service.tiers, num, totals, strict=True)
        ):
            return False
        spare = tuple(total - each for total, each in zip(totals, num, strict=True))
        return allocation(service.tiers, num, spare).share_down <= service.allowed

    low, high = 0, min(math.floor(total * limit) for total, limit in zip(totals, limits, strict=True)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def one_more(service: Tiers, chosen: Allocation) -> list[OneMore]:
    """What the next node of each tier buys, alone."""
    found = []
    for i, tier in enumerate(service.tiers):
        extra = tuple(each + (j == i) for j, each in enumerate(chosen.extra))
        totals = tuple(each + (j == i) for j, each in enumerate(chosen.totals))
        spared = allocation(service.tiers, chosen.num, extra)
        found.append(OneMore(tier.name, users_carried(service, totals), spared.share_down))
    return found


def growth(service: Tiers, users_to: Fraction, prices: Prices) -> tuple[list[Step], int]:
    """The smallest plans from one user to `users_to`, and the stride: 1 when every step is there, k when of
    the tier with the most steps only every k-th is. It ends where a tier that does not scale ends it.
    """
    ends = _ends(service, users_to)
    steps = sorted(set().union(*ends))
    # Which of the fastest tier's many steps are shown matters little, the other tiers' few are the news.
    news = set().union(*sorted(ends, key=len)[:-1])
    stride = -(-len(steps) // MOST_STEPS)
    starts = [1, *(end + 1 for end in steps)]
    rows = [
        _step(service, starts[i], end, prices)
        for i, end in enumerate(steps)
        if i % stride == 0 or (end in news and len(news) <= MOST_STEPS)
    ]
    return rows, stride


def wall(service: Tiers) -> int | None:
    """The most users that the tiers that do not scale let through; None: there are none."""
    fixed = [math.floor(tier.limit.users.value) for tier in service.tiers if not tier.scales]
    return min(fixed, default=None)


def _ends(service: Tiers, users_to: Fraction) -> list[set[int]]:
    """Of each tier, the users up to which its Num stays the same; the last at or past `users_to`."""
    most = wall(service)
    last = users_to if most is None else min(users_to, Fraction(most))
    found = []
    for tier in service.tiers:
        limit = tier.limit.users.value
        steps = 1 if not tier.scales else nodes_needed(last, limit)
        # A node that carries less than one user ends nobody's step.
        found.append({end for end in (math.floor(n * limit) for n in range(1, steps + 1)) if end >= 1})
    within = min(max(ends, default=0) for ends in found)
    return [{end for end in ends if end <= within} for ends in found]


def _step(service: Tiers, start: int, end: int, prices: Prices) -> Step:
    found = planned(service, Fraction(start), prices)
    limited = tuple(
        tier.name
        for tier, num in zip(service.tiers, found.num, strict=True)
        if num and math.floor(num * tier.limit.users.value) == end
    )
    return Step(start, end, limited, found.chosen, found.why)
