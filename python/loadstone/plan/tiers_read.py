"""Reads a tiers file, a plan in few words: every tier has one named deployment, and nodes may go unpriced."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from loadstone.availability.criterion import LONG_RUN, Criterion
from loadstone.availability.deployments import PF_ON_PREM_REPAIR, WithoutSpares
from loadstone.errors import LoadstoneError
from loadstone.nodes.measured import SLAS
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.plan import tiers_model as model
from loadstone.plan.estimate import Estimate
from loadstone.plan.inputs import Inputs, Tier
from loadstone.plan.limit import Limit, Refused, limit_of
from loadstone.plan.named import Hazards, way_of
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.table_file import read_table_file


@dataclass(frozen=True)
class Stated:
    """What the file says of a tier, beside what the search takes of it."""

    limit: Limit
    deployment: str
    typed: dict[str, str]
    """Rates as they stand in the file."""
    instance: str | None


@dataclass(frozen=True)
class Service:
    """A checked file: the plan's inputs, and what was stated of each of their tiers."""

    source: Source
    year: str
    stated: tuple[Stated, ...]
    inputs: Inputs


def read_tiers(
    path: Path, users: Fraction, sla: str, target: Fraction, criterion: Criterion = LONG_RUN,
    without_spares: WithoutSpares = "returns",
) -> Service:  # fmt: skip
    """Reads and checks a tiers file; measured limits are those at `sla`.

    LoadstoneError `tiers-missing`, `toml-syntax` or `nodes-input`; ScenarioError with everything that is
    wrong in the file.
    """
    if sla not in SLAS:
        raise LoadstoneError("nodes-input", f"there is no SLA `{sla}`", place="--sla", hint="SLA-1 or SLA-2")
    file, source = read_table_file(path, model.TiersFile, "tiers-missing", _known_keys)
    year_s = parse_duration(file.year)
    stated: list[Stated] = []
    tiers: list[Tier] = []
    findings: list[Finding] = []
    for name, tier in file.tier.items():
        try:
            one = _stated(name, tier, file, limit_of(tier, ("tier", name), path.parent, sla))
        except Refused as error:
            findings += error.findings
            continue
        stated.append(one)
        way = way_of(one.deployment, _hazards(one, target, year_s, criterion, without_spares))
        per_node = Estimate(float(one.limit.users.value))
        tiers.append(Tier(name, per_node, ((1.0, per_node.value),), tier.scales, 0, (way,)))
    if findings:
        raise source.errors(findings)
    inputs = Inputs(
        path, path.stem, float(year_s), Estimate(float(users)), target, tuple(tiers),
        warnings=_warnings(tiers, stated), criterion=criterion,
    )  # fmt: skip
    return Service(source, file.year, tuple(stated), inputs)


def _stated(name: str, tier: model.Tier, file: model.TiersFile, limit: Limit) -> Stated:
    rates = {key: getattr(tier, key) or getattr(file, key) for key in ("crash_rate", "failover", "repair")}
    deployment = tier.deployment or file.deployment
    if deployment == PF_ON_PREM_REPAIR and rates["repair"] == "none":
        at: Keys = ("tier", name, "repair" if tier.repair else "deployment")
        message = f"`{name}` is `{deployment}`, and its repair is `none`"
        raise Refused(Finding("nodes-input", message, at, "give a length of time, or `PF on-prem`"))
    return Stated(limit, deployment, rates, tier.instance)


def _hazards(
    tier: Stated, target: Fraction, year_s: Fraction, criterion: Criterion, without_spares: WithoutSpares
) -> Hazards:
    typed = tier.typed
    return Hazards(
        crash=parse_rate(typed["crash_rate"], year_s),
        failover=1 / parse_duration(typed["failover"], year_s),
        repair=None if typed["repair"] == "none" else 1 / parse_duration(typed["repair"], year_s),
        target=target,
        year_s=year_s,
        criterion=criterion,
        without_spares=without_spares,
    )


def _warnings(tiers: list[Tier], stated: list[Stated]) -> tuple[str, ...]:
    """What the measurements said about themselves, and which limits are only bounds."""
    pairs = list(zip(tiers, stated, strict=True))
    found = [f"{tier.name}: {warning}" for tier, one in pairs for warning in one.limit.warnings]
    bounds = [
        f"{tier.name}: its limit is an upper bound, from CPU alone; it may need more nodes than this"
        for tier, one in pairs
        if one.limit.upper_bound
    ]
    return (*found, *bounds)


def _known_keys(table: Keys) -> list[str]:
    wild = tuple("*" if index == 1 else str(key) for index, key in enumerate(table))
    found = model.TABLES.get(wild)
    return [field.alias or name for name, field in found.model_fields.items()] if found else []
