"""The deployments side by side: how many extra nodes each needs to meet an availability target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from loadstone.availability.cluster import Cluster
from loadstone.availability.criterion import LONG_RUN, Criterion, judged
from loadstone.availability.deployments import (
    ARA_CLOUD,
    ARA_ON_PREM,
    PF_CLOUD,
    PF_ON_PREM_REPAIR,
    WithoutSpares,
    deployed,
)
from loadstone.availability.down import down_s, mends_sooner, spares_guess
from loadstone.availability.search import smallest
from loadstone.errors import LoadstoneError
from loadstone.nodes.integrity import NodeType
from loadstone.nodes.quantities import DEFAULT_YEAR_S, spell_availability, spell_duration
from loadstone.nodes.sizing import PerNode, nodes_needed

MOST_EXTRA = 100_000
"""Extra nodes tried before a target counts as out of reach."""

MOST_NEEDED = 100_000
"""Num up to which the models are solved: their sums run over Num."""


@dataclass(frozen=True)
class Hazards:
    """What goes wrong how often (events per second and node), how fast it is mended, and the target.

    `repair` is None when crashed nodes stay crashed; `target` is the share of `year_s` with at least Num
    nodes up, judged by `criterion`; `without_spares`: what becomes of a mended node where there is no pool.
    """

    crash: Fraction
    failover: Fraction
    repair: Fraction | None
    target: Fraction
    year_s: Fraction = DEFAULT_YEAR_S
    criterion: Criterion = LONG_RUN
    without_spares: WithoutSpares = "returns"

    def allowed_s(self) -> float:
        """Seconds down in a year that the target allows."""
        return float((1 - self.target) * self.year_s)


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
        needed = nodes_needed(load, per_node.low or per_node.value, node.throughput)
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


def best(candidates: list[Option]) -> Option | None:
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
    allowed, most = hazards.allowed_s(), most_extra(deployment, hazards)

    def found(extra: int | None, down: float | None, note: str | None = None) -> Option:
        return Option(
            deployment, node_type, num, extra, None if extra is None else num + extra,
            None if down is None else 1.0 - down / float(hazards.year_s), down,
            criterion_of(deployment, hazards), note,
        )  # fmt: skip

    try:
        ceiling = least_downtime(num, deployment, hazards)
        if ceiling > allowed:
            return found(None, ceiling, _why_unmet(deployment, hazards, ceiling))
        extra = smallest(
            lambda n: downtime(num, n, deployment, hazards) <= allowed,
            most,
            guess(num, deployment, hazards),
        )
        down = downtime(num, most if extra is None else extra, deployment, hazards)
    except LoadstoneError as error:
        return found(None, None, f"not solved: {error.message}; plan it as several smaller services")
    return found(extra, down, _why_unmet(deployment, hazards, down) if extra is None else None)


def cluster(num: int, extra: int, deployment: str, hazards: Hazards) -> Cluster:
    """The deployment as a cluster."""
    return deployed(
        deployment, num, extra, float(hazards.crash), float(hazards.failover),
        float(hazards.repair) if hazards.repair else None, hazards.without_spares,
    )  # fmt: skip


def downtime(num: int, extra: int, deployment: str, hazards: Hazards) -> float:
    """Expected seconds down in a year. Errors as the solver's.

    >>> hazards = Hazards(Fraction(1, 10**7), Fraction(1, 15), None, Fraction(999, 1000), Fraction(10**7))
    >>> f"{downtime(1, 0, ARA_CLOUD, hazards):.4f}"
    '15.0000'
    """
    return down_s(cluster(num, extra, deployment, hazards), float(hazards.year_s), hazards.criterion)


def criterion_of(deployment: str, hazards: Hazards) -> Criterion:
    """What the deployment is judged by: its first year where nobody mends."""
    return judged(cluster(1, 1, deployment, hazards).mended, hazards.criterion)


def most_extra(deployment: str, hazards: Hazards) -> int:
    """Extra nodes up to which another one may help."""
    useless = deployment == PF_CLOUD or mends_sooner(cluster(1, 0, deployment, hazards))
    return 0 if useless else MOST_EXTRA


def least_downtime(num: int, deployment: str, hazards: Hazards) -> float:
    """The least downtime that any number of extra nodes can reach: with spares, waiting for failover
    remains.
    """
    if deployment in (ARA_CLOUD, ARA_ON_PREM):
        return 0.0
    if most_extra(deployment, hazards) == 0:
        return downtime(num, 0, deployment, hazards)
    # Judged as the deployment is: nobody mends a pool that is spent once.
    own = replace(hazards, criterion=criterion_of(deployment, hazards))
    return downtime(num, 0, PF_CLOUD, own)


def guess(num: int, deployment: str, hazards: Hazards) -> int:
    """Spares to begin the search at."""
    if deployment in (ARA_CLOUD, ARA_ON_PREM) or most_extra(deployment, hazards) == 0:
        return 0
    return spares_guess(cluster(num, 1, deployment, hazards), hazards.allowed_s(), float(hazards.year_s))


def waits_for(deployment: str, hazards: Hazards) -> str:
    """What a crash always costs with passive failover: `failover`, or the `repair` that is faster."""
    faster = deployment == PF_ON_PREM_REPAIR and most_extra(deployment, hazards) == 0
    return "repair" if faster else "failover"


def _why_unmet(deployment: str, hazards: Hazards, down: float) -> str:
    if deployment in (ARA_CLOUD, ARA_ON_PREM):
        return f"cannot be met with up to {MOST_EXTRA:,} extra nodes"
    what = waits_for(deployment, hazards)
    rate = (hazards.repair if what == "repair" else None) or hazards.failover
    return (
        f"cannot be met: waiting for {what} ({spell_duration(float(1 / rate))}) alone costs "
        f"{spell_duration(down)} a year, a ceiling of {spell_availability(down, float(hazards.year_s))} "
        "with any pool"
    )


def switched(node: NodeType, hazards: Hazards, deployment: str) -> Hazards:
    """With the failover of such a node: a passive spare that is an image is up as soon as it has started."""
    if node.image is None or not deployment.startswith("PF"):
        return hazards
    return replace(hazards, failover=1 / node.image.switch_over_s)


def _with_ranges(
    load: Fraction, per_node: PerNode, node: NodeType, hazards: Hazards, deployment: str
) -> Option:
    hazards = switched(node, hazards, deployment)
    found = option(nodes_needed(load, per_node.value, node.throughput), node.name, deployment, hazards)
    # A higher capacity needs fewer nodes, so the interval turns round.
    ends = [
        option(nodes_needed(load, capacity, node.throughput), node.name, deployment, hazards)
        if capacity
        else None
        for capacity in (per_node.high, per_node.low)
    ]
    fewest, most = ends
    return replace(
        found,
        num_range=(fewest.num if fewest else None, most.num if most else None),
        total_range=(fewest.total if fewest else None, most.total if most else None),
    )
