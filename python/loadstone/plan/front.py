"""The Pareto front: for each availability the cheapest plan, and nothing that another one beats in both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from loadstone.parallel import Parallel
from loadstone.plan.candidate import Candidate, candidate, cheapest_only, fitting
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.part import Values, needed_nodes
from loadstone.plan.shapes import part_of, shapes

_BETTER = 1e-4
"""A front reaches this far below the downtime that the target allows: four nines more."""
_MOST_POINTS = 48
"""Numbers of nodes looked at on the way there."""
_TARGETS = tuple(
    Fraction(part, 10_000)
    for part in (100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 10, 1)
)
"""Of the downtime allowed: targets for which plans of several tiers are made."""


@dataclass(frozen=True)
class Front:
    """Undominated plans, the cheapest first, so in ascending availability; and all that were looked at."""

    best: list[Candidate]
    seen: list[Candidate]


def front(inputs: Inputs, values: Values, parallel: Parallel) -> Front:
    """From less than is asked for to far beyond it; ways that fail otherwise are left out."""
    if len(inputs.tiers) > 1:
        seen = _targets(inputs, values, parallel)
    else:
        [ways], _ = fitting(inputs, values, [inputs.tiers[0].ways])
        seen = [one for way in ways for one in _course(inputs, way, values)]
    best: list[Candidate] = []
    for one in sorted(seen, key=lambda one: (one.usd_per_month, one.down_s)):
        if not best or one.down_s < best[-1].down_s:
            best.append(one)
    return Front(best, seen)


def _targets(inputs: Inputs, values: Values, parallel: Parallel) -> list[Candidate]:
    """The cheapest plan for each of a row of targets: with several tiers too many plans lie between them."""
    targets = [1 - (1 - inputs.availability) * part for part in _TARGETS]
    met = parallel(
        lambda target: cheapest_only(replace(inputs, availability=target), values),
        [target for target in targets if target > 0],
    )
    return [one for one in met if one is not None]


def _course(inputs: Inputs, way: Way, values: Values) -> list[Candidate]:
    """Of the only tier, built in this way: from no extra node to four nines beyond the target."""
    needed = needed_nodes(inputs, values, 0, way)
    assert needed is not None

    found = []
    for extra, most in shapes(inputs, way, needed):

        def built(count: int, extra: int | None = extra) -> Candidate:
            return candidate(inputs, values, [part_of(0, way, needed, extra, count)])

        found += _climb(built, most, inputs)
    return found


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
