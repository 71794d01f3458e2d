"""The tiers file, table by table: a plan file's tiers with one named deployment each, and nothing else."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from loadstone.availability.deployments import ARA_CLOUD
from loadstone.nodes.fields import Deployment, Length, LengthOrNone, Rate
from loadstone.plan.carrier import Capacity, Carrier, Demand, TierName, few
from loadstone.scenario.fields import Table


class Tier(Carrier):
    """One tier; an absent rate or deployment is the file's."""

    crash_rate: Rate | None = None
    failover: Length | None = None
    repair: LengthOrNone | None = None
    deployment: Deployment | None = None
    instance: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class TiersFile(Table):
    """The whole file; tiers in the order in which a request passes them."""

    format: int
    year: Length = "365.25d"
    crash_rate: Rate = "1/year"
    failover: Length = "15s"
    repair: LengthOrNone = "1h"
    deployment: Deployment = ARA_CLOUD
    tier: Annotated[dict[TierName, Tier], AfterValidator(few)]


TABLES: dict[tuple[str, ...], type[Table]] = {
    (): TiersFile,
    ("tier", "*"): Tier,
    ("tier", "*", "capacity"): Capacity,
    ("tier", "*", "demand"): Demand,
}
"""Models by path; `*` is a tier's name."""
