"""From users to nodes and spares of every tier, and what stands in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from loadstone.availability.series import down_in_series
from loadstone.errors import LoadstoneError
from loadstone.nodes.plan import MOST_EXTRA, downtime, guess, least_downtime, most_extra, waits_for
from loadstone.nodes.quantities import spell_availability, spell_duration
from loadstone.nodes.sizing import nodes_needed
from loadstone.nodes.tiers.allocate import Spares, allocate
from loadstone.nodes.tiers.read import Tier, Tiers

End = Literal["value", "low", "high"]
"""Of the interval of every tier's limit."""

Prices = Mapping[str, Fraction]
"""Of one spare, by tier: dollars. Empty: nodes are counted."""


@dataclass(frozen=True)
class Allocation:
    """Nodes of every tier, in the file's order. `down` is each tier's own share of time down."""

    num: tuple[int, ...]
    extra: tuple[int, ...]
    down: tuple[float, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """Nodes to pay for."""
        return tuple(num + extra for num, extra in zip(self.num, self.extra, strict=True))

    @property
    def share_down(self) -> float:
        """Of the whole service."""
        return down_in_series(self.down)


@dataclass(frozen=True)
class Planned:
    """What `users` take: Num of every tier (None: its limit at that end is not known), and the smallest
    allocation, or why there is none.
    """

    num: tuple[int | None, ...]
    chosen: Allocation | None
    why: tuple[str, ...] = ()


def per_node(tier: Tier, end: End) -> Fraction | None:
    """Users one node carries, at that end of its interval."""
    limit: Fraction | None = getattr(tier.limit.users, end)
    return limit


def planned(service: Tiers, users: Fraction, prices: Prices, end: End = "value") -> Planned:
    """The smallest allocation for `users`, with every tier's limit at that end of its interval."""
    limits = [per_node(tier, end) for tier in service.tiers]
    num = tuple(
        (nodes_needed(users, limit) if tier.scales else 1) if limit else None
        for tier, limit in zip(service.tiers, limits, strict=True)
    )
    known = tuple(each for each in num if each is not None)
    beyond = tuple(
        exceeded(tier, users, limit)
        for tier, limit in zip(service.tiers, limits, strict=True)
        if limit and not tier.scales and users > limit
    )
    if beyond or len(known) < len(num):
        return Planned(num, None, beyond)
    try:
        extra = allocate(
            [_spares(*each, prices) for each in zip(service.tiers, known, strict=True)], service.allowed
        )
    except LoadstoneError as error:
        return Planned(num, None, (f"not solved: {error.message}; plan it as several smaller services",))
    if extra is None:
        return Planned(num, None, _out_of_reach(service, known))
    return Planned(num, allocation(service.tiers, known, extra))


def exceeded(tier: Tier, users: Fraction, limit: Fraction) -> str:
    """Why no number of nodes of a tier that does not scale carries these users."""
    return (
        f"{tier.name}: one node carries {float(limit):,.6g} users and a second adds no throughput; for "
        f"{float(users):,.6g} take a faster machine, or split its data, which is not planned here"
    )


def allocation(tiers: Sequence[Tier], num: tuple[int, ...], extra: tuple[int, ...]) -> Allocation:
    """The nodes with the downtime they mean. Errors as the solver's."""
    return Allocation(num, extra, tuple(_down(*each) for each in zip(tiers, num, extra, strict=True)))


def _down(tier: Tier, num: int, extra: int) -> float:
    return downtime(num, extra, tier.deployment, tier.hazards) / float(tier.hazards.year_s)


def _least(tier: Tier, num: int) -> float:
    return least_downtime(num, tier.deployment, tier.hazards) / float(tier.hazards.year_s)


def _spares(tier: Tier, num: int, prices: Prices) -> Spares:
    return Spares(
        lambda extra: _down(tier, num, extra),
        _least(tier, num),
        most_extra(tier.deployment, tier.hazards),
        prices.get(tier.name, Fraction(1)),
        guess(num, tier.deployment, tier.hazards),
    )


def _out_of_reach(service: Tiers, num: tuple[int, ...]) -> tuple[str, ...]:
    """With spares without end only waiting for failover remains: which tiers wait, and how long."""
    year_s = float(service.year_s)
    least = [_least(tier, each) for tier, each in zip(service.tiers, num, strict=True)]
    waiting = [
        f"{tier.name} waits {spell_duration(share * year_s)} a year for "
        f"{waits_for(tier.deployment, tier.hazards)} "
        f"({tier.typed[waits_for(tier.deployment, tier.hazards)]} each time)"
        for tier, share in zip(service.tiers, least, strict=True)
        if share
    ]
    best = down_in_series(least)
    ceiling = f"a ceiling of {spell_availability(best * year_s, year_s)} with any number of spares"
    return (
        (f"{', '.join(waiting)}: {ceiling}",)
        if waiting
        else (f"cannot be met with up to {MOST_EXTRA:,} spares",)
    )
