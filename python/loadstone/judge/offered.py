"""What a plan offers: in each second, where something arrives at a rate that may change; who joins later."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from loadstone.judge.histogram import Floats
from loadstone.unit import Unit


def rate_of(load: Mapping[str, Any]) -> float | None:
    """The rate at the beginning; None where users stay.

    >>> rate_of({"requests_per_s": 20.0}), rate_of({"users": 10})
    (20.0, None)
    """
    unit = Unit.of(load)
    return float(load[unit]) if unit.is_rate else None


def arrivals(load: Mapping[str, Any], start_s: float, end_s: float) -> float:
    """How many arrive in a span of the run, in the mean.

    >>> load = {"sessions_per_s": 8, "ramp_up_s": 5, "profile": [[5, 2], [35, 20]]}
    >>> arrivals(load, 0, 10), arrivals(load, 9, 11), arrivals(load, 35, 50)
    (80.0, 10.0, 210.0)
    """
    steps = [(0.0, rate_of(load) or 0.0)]
    steps += [(load["ramp_up_s"] + at, rate) for at, rate in load.get("profile") or []]
    ends = [at for at, _ in steps[1:]] + [end_s]
    spans = ((max(start_s, at), min(end_s, end), rate) for (at, rate), end in zip(steps, ends, strict=True))
    return float(sum(rate * max(0.0, end - at) for at, end, rate in spans))


def by_second(load: Mapping[str, Any], first_s: int, seconds: int) -> Floats:
    """The same for each of so many seconds from `first_s` on."""
    edges = range(first_s, first_s + seconds + 1)
    return np.array([arrivals(load, start, end) for start, end in pairwise(edges)])


def joined(load: Mapping[str, Any], start_s: float, end_s: float) -> list[tuple[float, int]]:
    """When how many users join in a span of the run, as its load grows. Nobody where something arrives.

    >>> joined({"users": 10, "ramp_up_s": 5, "profile": [[5, 30], [20, 12], [25, 13]]}, 5, 60)
    [(10.0, 20), (30.0, 1)]
    """
    if Unit.of(load).is_rate:
        return []
    levels = [
        (0.0, load["users"]),
        *((load["ramp_up_s"] + at, users) for at, users in load.get("profile") or []),
    ]
    steps = ((at, int(users - before)) for (_, before), (at, users) in pairwise(levels))
    return [(float(at), more) for at, more in steps if more > 0 and start_s <= at < end_s]


def as_it_was(plan: Mapping[str, Any], events: list[dict[str, Any]]) -> dict[str, Any]:
    """The plan with the changes of the load that were made by hand."""
    load = dict(plan["load"])
    for event in events:
        if event["kind"] == CHANGED:
            at = event["at_s"] - load["ramp_up_s"]
            kept = [step for step in load.get("profile") or [] if step[0] < at]
            load["profile"] = [*kept, [at, event["load"]]]
    return {**plan, "load": load}


CHANGED = "load-changed"
"""The event of a change by hand: `at_s` from the beginning of the run, `load` in the plan's unit."""
