"""A service of a tiers file: its plan, the plans at the ends of its limits' intervals, and its growth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from loadstone.errors import LoadstoneError
from loadstone.nodes.sizing import MOST_NEEDED
from loadstone.plan.growth import Answer, Growth, OneMore, answer, growth, one_more
from loadstone.plan.part import Values, base, needed_nodes
from loadstone.plan.tiers_read import Service

End = Literal["value", "low", "high"]
"""Of the interval of every tier's limit."""


@dataclass(frozen=True)
class Ended:
    """Num of every tier (None: its limit at that end is not known), and the plan there."""

    num: tuple[int | None, ...]
    answer: Answer


@dataclass(frozen=True)
class Outlook:
    """Everything that is known about the users on this service. `fewest` and `most` are the plans with every
    tier's limit at the high and at the low end of its interval.
    """

    service: Service
    values: Values
    found: Ended
    fewest: Ended
    most: Ended
    one_more: list[OneMore]
    growth: Growth


def outlook(service: Service) -> Outlook:
    """Plans, and the growth to twice the users. Raises `nodes-input` when a tier takes too many nodes."""
    inputs = service.inputs
    values = base(inputs)
    _check_size(service, values)
    found = at_end(service, values, "value")
    chosen = found.answer.chosen
    return Outlook(
        service,
        values,
        found,
        at_end(service, values, "high"),
        at_end(service, values, "low"),
        one_more(inputs, values, chosen) if chosen else [],
        growth(inputs, values, 2 * values.users, lambda work, over: [work(one) for one in over]),
    )


def at_end(service: Service, values: Values, end: End) -> Ended:
    """The plan with every tier's limit at that end of its interval."""
    inputs = service.inputs
    limits = [getattr(stated.limit.users, end) for stated in service.stated]
    there = replace(values, per_node=tuple(float(limit or 1) for limit in limits))
    num = tuple(
        (needed_nodes(inputs, there, at, tier.ways[0]) or 1) if limit else None
        for at, (tier, limit) in enumerate(zip(inputs.tiers, limits, strict=True))
    )
    return Ended(num, answer(inputs, there) if None not in num else Answer(None))


def _check_size(service: Service, values: Values) -> None:
    inputs = service.inputs
    lowest = (stated.limit.users.low or stated.limit.users.value for stated in service.stated)
    there = replace(values, per_node=tuple(map(float, lowest)))
    for at, tier in enumerate(inputs.tiers):
        needed = needed_nodes(inputs, there, at, tier.ways[0])
        if needed and needed > MOST_NEEDED:
            raise LoadstoneError(
                "nodes-input", f"`{tier.name}` needs {needed:,} nodes, more than {MOST_NEEDED:,}",
                place=service.source.place(("tier", tier.name)), hint="check the units of its capacity",
            )  # fmt: skip
