"""The least downtime that any number of nodes can reach: with spares without end, waiting remains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loadstone.availability.cluster import Cluster
from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.down import down_s, mends_sooner
from loadstone.availability.series import down_in_series
from loadstone.nodes.quantities import spell_availability, spell_duration
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.part import Part, Values, cluster_of, needed_nodes
from loadstone.plan.shapes import part_of, shapes


def least_s(inputs: Inputs, values: Values, at: int, way: Way) -> float:
    """Seconds of a year that the tier `at`, built in this way, is down however many nodes it has, or more."""
    needed = needed_nodes(inputs, values, at, way)
    assert needed is not None
    return min(
        least_of_shape_s(inputs, values, part_of(at, way, needed, extra, 0)) if extra is not None else 0.0
        for extra, _ in shapes(inputs, way, needed)
    )


def least_of_shape_s(inputs: Inputs, values: Values, without: Part) -> float:
    """The same for this number of active nodes, with any pool; `without`: the part with none."""
    cluster = cluster_of(inputs, values, without)
    if without.way.endless or pool_is_useless(cluster):
        return down_s(cluster, inputs.year_s, inputs.criterion)
    endless = replace(cluster, pool=None, repair=None, crews=None, phases=1, dormancy=0.0)
    # A tier that nobody mends is judged by its first year, even if the others are not.
    criterion = FIRST_YEAR if without.way.repair_s is None else inputs.criterion
    waiting = down_s(endless, inputs.year_s, criterion)
    if waiting <= inputs.allowed_s or cluster.repair is None:
        return waiting
    return min(waiting, down_s(cluster, inputs.year_s, inputs.criterion))


def pool_is_useless(cluster: Cluster) -> bool:
    """Whether a mended node is always back before a spare would be up."""
    return cluster.crews is None and mends_sooner(cluster)


def why_unmet(inputs: Inputs, values: Values, ways: Sequence[Way], least: Sequence[float]) -> str:
    """In words: who waits for what, when each tier built in one of `ways` is down `least` seconds a year."""
    year_s = inputs.year_s
    down = down_in_series(each / year_s for each in least) * year_s
    ceiling = f"a ceiling of {spell_availability(down, year_s)}"
    waits = [_waits_for(inputs, values, at, way) for at, way in enumerate(ways)]
    if len(ways) == 1:
        what, length_s = waits[0]
        return (
            f"cannot be met: waiting for {what} ({spell_duration(length_s)}) alone costs "
            f"{spell_duration(down)} a year, {ceiling} with any pool"
        )
    waiting = [
        f"{tier.name} waits {spell_duration(each)} a year for {what} ({spell_duration(length_s)} each time)"
        for tier, each, (what, length_s) in zip(inputs.tiers, least, waits, strict=True)
        if each
    ]
    return f"{', '.join(waiting)}: {ceiling} with any number of spares"


def _waits_for(inputs: Inputs, values: Values, at: int, way: Way) -> tuple[str, float]:
    """What a crash always costs: `failover`, or the `repair` that is faster; and how long in the mean."""
    needed = needed_nodes(inputs, values, at, way)
    assert needed is not None
    cluster = cluster_of(inputs, values, part_of(at, way, needed, 0, 0))
    if not way.endless and cluster.repair is not None and pool_is_useless(cluster):
        return "repair", 1 / cluster.repair
    return "failover", 1 / cluster.failover
