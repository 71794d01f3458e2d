"""The older tiers file as a plan's values: one named deployment for each tier; no load, target, prices."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from loadstone.availability.deployments import ARA_CLOUD, PF_ON_PREM_REPAIR
from loadstone.errors import LoadstoneError
from loadstone.nodes.fields import Deployment, Length, LengthOrNone, Rate
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.plan.asked import Asked
from loadstone.plan.carrier import Carrier, TierName, few
from loadstone.plan.estimate import Estimate
from loadstone.plan.inputs import Inputs, Tier
from loadstone.plan.limit import Refused, limit_of
from loadstone.plan.named import Hazards, way_of
from loadstone.plan.read import tier_of
from loadstone.scenario.fields import Table
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.table_file import as_table


class _TierTable(Carrier):
    """One tier; an absent rate or deployment is the file's."""

    crash_rate: Rate | None = None
    failover: Length | None = None
    repair: LengthOrNone | None = None
    deployment: Deployment | None = None
    instance: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class _File(Table):
    """The whole file; tiers in the order in which a request passes them."""

    format: int
    year: Length = "365.25d"
    crash_rate: Rate = "1/year"
    failover: Length = "15s"
    repair: LengthOrNone = "1h"
    deployment: Deployment = ARA_CLOUD
    tier: Annotated[dict[TierName, _TierTable], AfterValidator(few)]


_TARGET = Fraction(999, 1000)
"""Where none is asked for."""


def older_plan(path: Path, source: Source, asked: Asked) -> Inputs:
    """The file that was read, with the load and the target that it does not say.

    LoadstoneError `nodes-input` without users; ScenarioError with everything that is wrong in the file.
    """
    if asked.users is None:
        hint = "give --users, such as `--users 5000`"
        raise LoadstoneError("nodes-input", "the number of users is missing", hint=hint)
    file = as_table(source, _File)
    tiers: list[Tier] = []
    findings: list[Finding] = []
    for name, one in file.tier.items():
        try:
            tiers.append(_tier(name, one, file, path.parent, asked))
        except Refused as error:
            findings += error.findings
    if findings:
        raise source.errors(findings)
    told = (each for tier in tiers if tier.limit for each in tier.limit.told(tier.name))
    return Inputs(
        path, path.stem, float(parse_duration(file.year)), Estimate(float(asked.users)),
        asked.target or _TARGET, tuple(tiers), criterion=asked.criterion, sla=asked.sla or "SLA-1",
        source=source, warnings=tuple(told),
    )  # fmt: skip


def _tier(name: str, one: _TierTable, file: _File, folder: Path, asked: Asked) -> Tier:
    """Raises `Refused`."""
    limit = limit_of(one, ("tier", name), folder, asked.sla or "SLA-1")
    deployment, repair = one.deployment or file.deployment, one.repair or file.repair
    if deployment == PF_ON_PREM_REPAIR and repair == "none":
        at: Keys = ("tier", name, "repair" if one.repair else "deployment")
        message = f"`{name}` is `{deployment}`, and its repair is `none`"
        raise Refused(Finding("nodes-input", message, at, "give a length of time, or `PF on-prem`"))
    year_s = parse_duration(file.year)
    hazards = Hazards(
        crash=parse_rate(one.crash_rate or file.crash_rate, year_s),
        failover=1 / parse_duration(one.failover or file.failover, year_s),
        repair=None if repair == "none" else 1 / parse_duration(repair, year_s),
        target=asked.target or _TARGET,
        year_s=year_s,
        without_spares=asked.without_spares,
    )
    return tier_of(name, limit, one.scales, (way_of(deployment, hazards, one.instance),))
