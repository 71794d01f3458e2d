"""In how many shapes a way can be built: what is fixed, and what the search varies."""

from __future__ import annotations

from loadstone.availability.cluster import MOST_SHOCKED
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.part import Part

MOST_EXTRA = 100_000
"""Extra nodes tried before a target counts as out of reach."""
MOST_OF_A_CHAIN = 400
"""Extra active nodes tried where no formula holds, of small tiers; of large ones four times those needed."""
MOST_MIXED = 8
"""Extra active nodes tried beside a pool: beyond a few, a spare does the same for less."""

Shape = tuple[int | None, int]
"""Extra active nodes, or None where they are what is varied; and the most of what is varied."""


def shapes(inputs: Inputs, way: Way, needed: int) -> list[Shape]:
    """As `part_of` takes them."""
    formula = not (inputs.shock or inputs.load_exponent or inputs.crews)
    most = MOST_EXTRA if formula else max(MOST_OF_A_CHAIN, 4 * needed)
    mixed = MOST_MIXED
    if way.deployment == "passive":
        return [(0, 0 if way.endless else most)]
    if inputs.shock:
        # Beyond this a way is refused, so more nodes are never needed.
        most, mixed = (min(each, MOST_SHOCKED - needed) for each in (most, mixed))
    if way.endless or way.deployment == "active":
        return [(None, most)]
    return [(extra, max(MOST_OF_A_CHAIN, 4 * needed)) for extra in range(mixed + 1)]


def part_of(at: int, way: Way, needed: int, extra: int | None, count: int) -> Part:
    """`extra` active nodes beside `count` spares; of None, `count` active nodes more than needed."""
    if extra is None:
        return Part(at, way, needed, needed + count, None if way.endless else 0)
    return Part(at, way, needed, needed + extra, None if way.endless else count)
