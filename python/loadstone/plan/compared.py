"""The deployments side by side: how many extra nodes each needs to meet an availability target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from loadstone.availability.criterion import Criterion, judged
from loadstone.availability.deployments import deployed
from loadstone.availability.down import down_s
from loadstone.errors import LoadstoneError
from loadstone.nodes.integrity import NodeType
from loadstone.nodes.sizing import MOST_NEEDED, PerNode, nodes_needed
from loadstone.plan.candidate import Candidate, best
from loadstone.plan.estimate import Estimate
from loadstone.plan.inputs import Inputs, Tier
from loadstone.plan.named import Hazards, way_of
from loadstone.plan.part import base
from loadstone.plan.shapes import MOST_EXTRA


@dataclass(frozen=True)
class Option:
    """One deployment of one node type. `extra` and `total` are None when no number of nodes meets the target.

    `extra` counts over-provisioned active nodes for ARA and pool nodes for PF. `downtime_s_per_year` and
    `availability` are what the option gives, or the best it could give when the target cannot be met (None:
    the model is too large for the solver), by `criterion`. `num_range` and `total_range` are (fewest, most)
    over the interval of the measured capacity; None: unknown.
    """

    deployment: str
    node_type: str
    num: int
    extra: int | None
    total: int | None
    availability: float | None
    downtime_s_per_year: float | None
    criterion: Criterion
    note: str | None = None
    num_range: tuple[int | None, int | None] = (None, None)
    total_range: tuple[int | None, int | None] = (None, None)


def options(
    load: Fraction, per_node: PerNode, node_types: list[NodeType], hazards: Hazards, deployments: list[str]
) -> list[Option]:
    """Every deployment for every node type, in order. Raises `nodes-input` when Num is too large."""
    for node in node_types:
        # Of a record that was changed, the value may lie outside of its interval.
        least = min(carried for carried in (per_node.value, per_node.low, per_node.high) if carried)
        factor = node.throughput_range[0] if node.throughput_range else node.throughput
        needed = nodes_needed(load, least, factor)
        if needed > MOST_NEEDED:
            raise LoadstoneError(
                "nodes-input",
                f"the load needs {needed:,} nodes, more than {MOST_NEEDED:,}",
                hint="check the units of the load and of what one node carries",
            )
    return [
        _with_ranges(load, per_node, node, hazards, deployment)
        for node in node_types
        for deployment in deployments
    ]


def fewest(candidates: list[Option]) -> Option | None:
    """The option with the fewest nodes in total; the earlier of equals; None when none meets the target."""
    met = [option for option in candidates if option.total is not None]
    return min(met, key=lambda option: option.total or 0, default=None)


def option(num: int, node_type: str, deployment: str, hazards: Hazards) -> Option:
    """The smallest deployment of `num` needed nodes that meets the target.

    >>> year = Fraction(365 * 86_400)
    >>> hazards = Hazards(1 / year, Fraction(1, 15), Fraction(1, 3600), Fraction(999, 1000), year)
    >>> from loadstone.availability.deployments import DEPLOYMENTS
    >>> [option(10, "native", deployment, hazards).extra for deployment in DEPLOYMENTS]
    [0, 35, 0, 18, 1]
    """
    way = way_of(deployment, hazards)
    inputs = Inputs(
        Path(), deployment, float(hazards.year_s), Estimate(float(num)), hazards.target,
        (Tier("", Estimate(1.0), ((1.0, 1.0),), True, 0, (way,)),), criterion=hazards.criterion,
    )  # fmt: skip
    extra, down, note = None, None, None
    try:
        found = best(inputs, base(inputs), [[way]])
        if isinstance(found, Candidate):
            extra, down = found.nodes - num, found.down_s
        else:
            [refused] = found
            note, down = refused.why, refused.ceiling_s
            if down is None:
                down = downtime(num, MOST_EXTRA, deployment, hazards)
    except LoadstoneError as error:
        note = f"not solved: {error.message}; plan it as several smaller services"
    return Option(
        deployment, node_type, num, extra, None if extra is None else num + extra,
        None if down is None else 1.0 - down / float(hazards.year_s), down,
        judged(way.endless or way.repair_s is not None, hazards.criterion), note,
    )  # fmt: skip


def downtime(num: int, extra: int, deployment: str, hazards: Hazards) -> float:
    """Expected seconds down in a year, by number of nodes. Errors as the solver's.

    >>> hazards = Hazards(Fraction(1, 10**7), Fraction(1, 15), None, Fraction(999, 1000), Fraction(10**7))
    >>> f"{downtime(1, 0, 'ARA cloud', hazards):.4f}"
    '15.0000'
    """
    cluster = deployed(
        deployment, num, extra, float(hazards.crash), float(hazards.failover),
        float(hazards.repair) if hazards.repair else None, hazards.without_spares,
    )  # fmt: skip
    return down_s(cluster, float(hazards.year_s), hazards.criterion)


def switched(node: NodeType, hazards: Hazards, deployment: str) -> Hazards:
    """With the failover of such a node: a passive spare that is an image is up as soon as it has started."""
    if node.image is None or not deployment.startswith("PF"):
        return hazards
    return replace(hazards, failover=1 / node.image.switch_over_s)


def _ends(per_node: PerNode, node: NodeType) -> list[tuple[Fraction | None, Fraction]]:
    """What a native node carries and the factor of its type, at the most and the least of both; what has no
    interval stays as it is.
    """
    if node.throughput_range is None:
        return [(per_node.high, node.throughput), (per_node.low, node.throughput)]
    low, high = node.throughput_range
    if (per_node.low, per_node.high) == (None, None):
        return [(per_node.value, high), (per_node.value, low)]
    return [(per_node.high, high), (per_node.low, low)]


def _with_ranges(
    load: Fraction, per_node: PerNode, node: NodeType, hazards: Hazards, deployment: str
) -> Option:
    hazards = switched(node, hazards, deployment)
    found = option(nodes_needed(load, per_node.value, node.throughput), node.name, deployment, hazards)
    # A higher capacity needs fewer nodes, so the interval turns round.
    ends = [
        option(nodes_needed(load, capacity, factor), node.name, deployment, hazards) if capacity else None
        for capacity, factor in _ends(per_node, node)
    ]
    fewest, most = ends
    return replace(
        found,
        num_range=(fewest.num if fewest else None, most.num if most else None),
        total_range=(fewest.total if fewest else None, most.total if most else None),
    )
