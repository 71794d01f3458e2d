"""A service in tiers: its plan, the plans at the ends of its limits' intervals, and its growth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from loadstone.errors import LoadstoneError
from loadstone.nodes.sizing import MOST_NEEDED
from loadstone.plan.growth import Answer, Growth, OneMore, answer, growth, one_more
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Values, base, needed_nodes

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

    inputs: Inputs
    values: Values
    found: Ended
    fewest: Ended
    most: Ended
    one_more: list[OneMore]
    growth: Growth


def outlook(inputs: Inputs) -> Outlook:
    """Plans, and the growth to twice the users. Raises `nodes-input` when a tier takes too many nodes."""
    values = base(inputs)
    _check_size(inputs, values)
    found = at_end(inputs, values, "value")
    chosen = found.answer.chosen
    return Outlook(
        inputs,
        values,
        found,
        at_end(inputs, values, "high"),
        at_end(inputs, values, "low"),
        one_more(inputs, values, chosen) if chosen else [],
        growth(inputs, values, 2 * values.users, lambda work, over: [work(one) for one in over]),
    )


def at_end(inputs: Inputs, values: Values, end: End) -> Ended:
    """The plan with every tier's limit at that end of its interval."""
    limits = [getattr(tier.limit.users, end) if tier.limit else None for tier in inputs.tiers]
    there = replace(values, per_node=tuple(float(limit or 1) for limit in limits))
    found = answer(inputs, there) if None not in limits else Answer(None)
    # Where there is no plan, Num is that of the tier's first way.
    ways = [part.way for part in found.chosen.parts] if found.chosen else [t.ways[0] for t in inputs.tiers]
    num = tuple(
        (needed_nodes(inputs, there, at, way) or 1) if limit else None
        for at, (way, limit) in enumerate(zip(ways, limits, strict=True))
    )
    return Ended(num, found)


def _check_size(inputs: Inputs, values: Values) -> None:
    lowest = (tier.limit.users.low or tier.limit.users.value if tier.limit else 1 for tier in inputs.tiers)
    there = replace(values, per_node=tuple(map(float, lowest)))
    for at, tier in enumerate(inputs.tiers):
        needed = max(needed_nodes(inputs, there, at, way) or 0 for way in tier.ways)
        if needed > MOST_NEEDED:
            raise LoadstoneError(
                "nodes-input", f"`{tier.name}` needs {needed:,} nodes, more than {MOST_NEEDED:,}",
                place=inputs.source.place(("tier", tier.name)) if inputs.source else None,
                hint="check the units of its capacity",
            )  # fmt: skip
