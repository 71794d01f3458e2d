"""The deployments that have names, as ways to build a tier."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from loadstone.availability.criterion import LONG_RUN, Criterion
from loadstone.availability.deployments import PF_ON_PREM_REPAIR, WithoutSpares
from loadstone.nodes.integrity import NODE_TYPES
from loadstone.nodes.quantities import DEFAULT_YEAR_S
from loadstone.plan.estimate import Estimate
from loadstone.plan.inputs import Way


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


def way_of(deployment: str, hazards: Hazards, instance: str | None = None) -> Way:
    """A tier of native nodes that is deployed so; its nodes are counted until it has a machine."""
    mends = hazards.repair is not None and deployment == PF_ON_PREM_REPAIR
    return Way(
        name=deployment,
        deployment="passive" if deployment.startswith("PF") else "active",
        machine=None,
        node=NODE_TYPES["native"],
        crash=Estimate(float(hazards.crash)),
        failover_s=1 / hazards.failover,
        repair_s=1 / hazards.repair if mends and hazards.repair else None,
        endless=deployment.endswith("cloud"),
        without_spares=hazards.without_spares,
        instance=instance,
    )
