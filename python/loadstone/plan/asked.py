"""What a command asks of a service in tiers, whatever file it is in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from loadstone.availability.criterion import LONG_RUN, Criterion
from loadstone.availability.deployments import WithoutSpares


@dataclass(frozen=True)
class Asked:
    """Users, SLA and target instead of those of the file; None: as the file has them."""

    users: Fraction | None = None
    sla: str | None = None
    target: Fraction | None = None
    criterion: Criterion = LONG_RUN
    without_spares: WithoutSpares = "returns"
