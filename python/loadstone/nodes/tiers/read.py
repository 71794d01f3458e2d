"""Reads a tiers file; refuses it with everything that is wrong, each with its line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from loadstone.availability.criterion import LONG_RUN, Criterion
from loadstone.availability.deployments import PF_ON_PREM_REPAIR, WithoutSpares
from loadstone.errors import LoadstoneError
from loadstone.nodes.measured import SLAS
from loadstone.nodes.plan import Hazards
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.nodes.tiers import model
from loadstone.nodes.tiers.limit import Limit, Refused, limit_of
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.table_file import read_table_file


@dataclass(frozen=True)
class Tier:
    """A checked tier: what one node carries, how it fails, what it runs on."""

    name: str
    limit: Limit
    scales: bool
    deployment: str
    hazards: Hazards
    typed: dict[str, str]
    """Rates as they stand in the file."""
    instance: str | None


@dataclass(frozen=True)
class Tiers:
    """A checked file: tiers in series, in its order."""

    path: Path
    source: Source
    tiers: tuple[Tier, ...]
    target: Fraction
    year: str
    year_s: Fraction
    criterion: Criterion
    without_spares: WithoutSpares

    @property
    def allowed(self) -> float:
        """Share of the year the service may be down."""
        return float(1 - self.target)

    @property
    def warnings(self) -> list[str]:
        """What the measurements said about themselves, and which limits are only bounds."""
        found = [f"{tier.name}: {warning}" for tier in self.tiers for warning in tier.limit.warnings]
        return found + [
            f"{tier.name}: its limit is an upper bound, from CPU alone; it may need more nodes than this"
            for tier in self.tiers
            if tier.limit.upper_bound
        ]


def read_tiers(
    path: Path, sla: str, target: Fraction, criterion: Criterion = LONG_RUN,
    without_spares: WithoutSpares = "returns",
) -> Tiers:  # fmt: skip
    """Reads and checks a tiers file; measured limits are those at `sla`.

    LoadstoneError `tiers-missing`, `toml-syntax` or `nodes-input`; ScenarioError with everything that is
    wrong in the file.
    """
    if sla not in SLAS:
        raise LoadstoneError("nodes-input", f"there is no SLA `{sla}`", place="--sla", hint="SLA-1 or SLA-2")
    file, source = read_table_file(path, model.TiersFile, "tiers-missing", _known_keys)
    year_s = parse_duration(file.year)
    tiers: list[Tier] = []
    findings: list[Finding] = []
    for name, tier in file.tier.items():
        try:
            limit = limit_of(tier, ("tier", name), path.parent, sla)
            judged = _tier(name, tier, file, limit, target, year_s)
            hazards = replace(judged.hazards, criterion=criterion, without_spares=without_spares)
            tiers.append(replace(judged, hazards=hazards))
        except Refused as error:
            findings += error.findings
    if findings:
        raise source.errors(findings)
    return Tiers(path, source, tuple(tiers), target, file.year, year_s, criterion, without_spares)


def _tier(
    name: str, tier: model.Tier, file: model.TiersFile, limit: Limit, target: Fraction, year_s: Fraction
) -> Tier:
    rates = {key: getattr(tier, key) or getattr(file, key) for key in ("crash_rate", "failover", "repair")}
    deployment = tier.deployment or file.deployment
    if deployment == PF_ON_PREM_REPAIR and rates["repair"] == "none":
        at: Keys = ("tier", name, "repair" if tier.repair else "deployment")
        message = f"`{name}` is `{deployment}`, and its repair is `none`"
        raise Refused(Finding("nodes-input", message, at, "give a length of time, or `PF on-prem`"))
    mending = None if rates["repair"] == "none" else parse_duration(rates["repair"], year_s)
    hazards = Hazards(
        crash=parse_rate(rates["crash_rate"], year_s),
        failover=1 / parse_duration(rates["failover"], year_s),
        repair=1 / mending if mending else None,
        target=target,
        year_s=year_s,
    )
    return Tier(name, limit, tier.scales, deployment, hazards, rates, tier.instance)


def _known_keys(table: Keys) -> list[str]:
    wild = tuple("*" if index == 1 else str(key) for index, key in enumerate(table))
    found = model.TABLES.get(wild)
    return [field.alias or name for name, field in found.model_fields.items()] if found else []
