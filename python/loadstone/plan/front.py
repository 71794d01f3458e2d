"""The Pareto front: for each availability the cheapest plan, and nothing that another one beats in both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadstone.plan.candidate import (
    MOST_EXTRA,
    MOST_MIXED,
    MOST_POOL,
    Candidate,
    Values,
    candidate,
    corrupt_why,
    needed_nodes,
    overworked,
)
from loadstone.plan.read import Inputs, Way

_BETTER = 1e-4
"""A front reaches this far below the downtime that the target allows: four nines more."""
_MOST_POINTS = 48
"""Numbers of nodes looked at on the way there."""


@dataclass(frozen=True)
class Front:
    """Undominated plans, the cheapest first, so in ascending availability; and all that were looked at."""

    best: list[Candidate]
    seen: list[Candidate]


def front(inputs: Inputs, values: Values) -> Front:
    """Every way from no extra node to four nines beyond the target; ways that fail otherwise are left out."""
    seen = [one for way in inputs.ways for one in _course(inputs, way, values)]
    best: list[Candidate] = []
    for one in sorted(seen, key=lambda one: (one.usd_per_month, one.down_s)):
        if not best or one.down_s < best[-1].down_s:
            best.append(one)
    return Front(best, seen)


def _course(inputs: Inputs, way: Way, values: Values) -> list[Candidate]:
    needed = needed_nodes(values.users, values.per_node, way, inputs)
    if corrupt_why(inputs, way) or overworked(inputs, way, values, needed):
        return []

    def active(pool: int | None) -> list[Candidate]:
        return _climb(lambda n: candidate(inputs, way, values, needed, needed + n, pool), MOST_EXTRA, inputs)

    def passive(extra: int) -> list[Candidate]:
        return _climb(lambda n: candidate(inputs, way, values, needed, needed + extra, n), MOST_POOL, inputs)

    if way.endless:
        return active(None)
    if way.deployment == "active":
        return active(0)
    extras = [0] if way.deployment == "passive" else range(MOST_MIXED + 1)
    return [one for extra in extras for one in passive(extra)]


def _climb(built: Callable[[int], Candidate], most: int, inputs: Inputs) -> list[Candidate]:
    """One by one at first, then in growing steps, until far better than asked for or no better at all."""
    found: list[Candidate] = []
    count, step = 0, 1
    while count <= most and len(found) < _MOST_POINTS:
        found.append(built(count))
        if found[-1].down_s <= inputs.allowed_s * _BETTER:
            break
        if len(found) > 3 and found[-1].down_s >= 0.999 * found[-3].down_s:
            break
        if len(found) % 8 == 0:
            step *= 2
        count += step
    return found
