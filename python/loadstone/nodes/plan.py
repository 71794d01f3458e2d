"""The deployments side by side: how many extra nodes each needs to meet an availability target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from loadstone.errors import LoadstoneError
from loadstone.nodes import models
from loadstone.nodes.chain import TooLarge
from loadstone.nodes.integrity import NodeType
from loadstone.nodes.quantities import DEFAULT_YEAR_S, spell_availability, spell_duration
from loadstone.nodes.search import smallest
from loadstone.nodes.sizing import PerNode, nodes_needed

ARA_CLOUD = "ARA cloud"
ARA_ON_PREM = "ARA on-prem"
PF_CLOUD = "PF cloud"
PF_ON_PREM = "PF on-prem"
PF_ON_PREM_REPAIR = "PF on-prem + repair"
DEPLOYMENTS = (ARA_CLOUD, ARA_ON_PREM, PF_CLOUD, PF_ON_PREM, PF_ON_PREM_REPAIR)

MOST_EXTRA = 100_000
"""Extra nodes tried before a target counts as out of reach."""

MOST_NEEDED = 100_000
"""Num up to which the models are solved: their sums run over Num."""


@dataclass(frozen=True)
class Hazards:
    """What goes wrong how often (events per second and node), how fast it is mended, and the target.

    `repair` is None when crashed nodes stay crashed; `target` is the share of `year_s` with at least Num
    nodes up.
    """

    crash: Fraction
    failover: Fraction
    repair: Fraction | None
    target: Fraction
    year_s: Fraction = DEFAULT_YEAR_S

    def allowed_s(self) -> float:
        """Seconds down in a year that the target allows."""
        return float((1 - self.target) * self.year_s)


@dataclass(frozen=True)
class Option:
    """One deployment of one node type. `extra` and `total` are None when no number of nodes meets the target.

    `extra` counts over-provisioned active nodes for ARA and pool nodes for PF. `downtime_s_per_year` and
    `availability` are what the option gives, or the best it could give when the target cannot be met (None:
    the model is too large for the solver). `num_range` and `total_range` are (fewest, most) over the interval
    of the measured capacity; None: unknown.
    """

    deployment: str
    node_type: str
    num: int
    extra: int | None
    total: int | None
    availability: float | None
    downtime_s_per_year: float | None
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


@lru_cache(maxsize=1024)
def option(num: int, node_type: str, deployment: str, hazards: Hazards) -> Option:
    """The smallest deployment of `num` needed nodes that meets the target.

    >>> year = Fraction(365 * 86_400)
    >>> hazards = Hazards(1 / year, Fraction(1, 15), Fraction(1, 3600), Fraction(999, 1000), year)
    >>> [option(10, "native", deployment, hazards).extra for deployment in DEPLOYMENTS]
    [0, 35, 0, 18, 1]
    """
    allowed = hazards.allowed_s()
    ceiling = least_downtime(num, deployment, hazards)
    if ceiling > allowed:
        return _unmet(num, node_type, deployment, hazards, ceiling)
    most = 0 if deployment == PF_CLOUD else MOST_EXTRA
    try:
        extra = smallest(lambda n: downtime(num, n, deployment, hazards) <= allowed, most)
    except TooLarge as error:
        return Option(
            deployment, node_type, num, None, None, None, None,
            f"not solved: {error}; plan it as several smaller services",
        )  # fmt: skip
    if extra is None:
        return _unmet(num, node_type, deployment, hazards, downtime(num, most, deployment, hazards))
    down = downtime(num, extra, deployment, hazards)
    return Option(deployment, node_type, num, extra, num + extra, _availability(down, hazards), down)


@lru_cache(maxsize=16_384)
def downtime(num: int, extra: int, deployment: str, hazards: Hazards) -> float:
    """Expected seconds down in a year. Raises `TooLarge`.

    >>> hazards = Hazards(Fraction(1, 10**7), Fraction(1, 15), None, Fraction(999, 1000), Fraction(10**7))
    >>> f"{downtime(1, 0, ARA_CLOUD, hazards):.4f}"
    '15.0000'
    """
    crash, failover, year_s = float(hazards.crash), float(hazards.failover), float(hazards.year_s)
    if deployment == ARA_CLOUD:
        return models.ara_cloud(num, extra, crash, failover, year_s)
    if deployment == ARA_ON_PREM:
        return models.ara_on_premises(num, extra, crash, year_s)
    if deployment == PF_CLOUD:
        return models.pf_cloud(num, crash, failover, year_s)
    repair = float(hazards.repair) if hazards.repair and deployment == PF_ON_PREM_REPAIR else None
    return models.pf_on_premises(num, extra, crash, failover, repair, year_s)


def least_downtime(num: int, deployment: str, hazards: Hazards) -> float:
    """The least downtime that any number of extra nodes can reach: with spares, waiting for failover
    remains.
    """
    if deployment in (ARA_CLOUD, ARA_ON_PREM):
        return 0.0
    return downtime(num, 0, PF_CLOUD, hazards)


def _availability(down: float, hazards: Hazards) -> float:
    return 1.0 - down / float(hazards.year_s)


def _unmet(num: int, node_type: str, deployment: str, hazards: Hazards, down: float) -> Option:
    year_s = float(hazards.year_s)
    if deployment in (ARA_CLOUD, ARA_ON_PREM):
        why = f"cannot be met with up to {MOST_EXTRA:,} extra nodes"
    else:
        wait = spell_duration(float(1 / hazards.failover))
        why = (
            f"cannot be met: waiting for failover ({wait}) alone costs "
            f"{spell_duration(down)} a year, a ceiling of {spell_availability(down, year_s)} with any pool"
        )
    return Option(deployment, node_type, num, None, None, _availability(down, hazards), down, why)


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
