"""`loadstone nodes` without tiers: node types and deployments side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loadstone.availability.criterion import SENTENCES, parse_criterion
from loadstone.availability.deployments import PF_ON_PREM_REPAIR, parse_without_spares
from loadstone.cli.columns import columns
from loadstone.cli.count import models_counted
from loadstone.cli.written import show, warn, write_beside
from loadstone.nodes.appliance import NAME, is_appliance, parse_appliance, warnings
from loadstone.nodes.appliance import appliance as node_of
from loadstone.nodes.choices import parse_deployments, parse_node_type
from loadstone.nodes.image import Image
from loadstone.nodes.integrity import NodeType, ranges, shares
from loadstone.nodes.load import Demand, Load, demands
from loadstone.nodes.measured import read_measured
from loadstone.nodes.quantities import (
    parse_duration,
    parse_rate,
    parse_target,
    spell_availability,
    spell_duration,
)
from loadstone.nodes.shown import Measured
from loadstone.plan.compared import Option, fewest, options
from loadstone.plan.named import Hazards

if TYPE_CHECKING:
    from loadstone.stages.nodes import Integrity, Nodes


@dataclass(frozen=True)
class _Comparison:
    hazards: Hazards
    node_types: list[NodeType]
    deployments: list[str]
    demands: list[Demand]
    faults_per_s: Fraction | None
    typed: dict[str, Any]


def compare(context: typer.Context) -> None:
    """Parses the command's options, plans, reports; exit code 1 when nothing meets the target."""
    given = context.params
    year_s = parse_duration(given["year"], place="--year")
    hazards = replace(
        _hazards(given, year_s),
        criterion=parse_criterion(given["criterion"]),
        without_spares=parse_without_spares(given["without_spares"]),
    )
    folder = given["folder"]
    measured = read_measured(folder, anyway=given["anyway"]) if folder else None
    wanted = Load(given["users"], given["load"], given["users_per_node"], given["throughput_per_node"])
    kinds = _kinds(given["node_type"] or [], _appliance(given["appliance"], measured), measured)
    fault_rate = given["fault_rate"]
    names = ("sla", "target", "crash_rate", "failover", "repair", "year", "fault_rate")
    asked = _Comparison(
        hazards,
        kinds,
        [n for n in parse_deployments(given["deployment"]) if hazards.repair or n != PF_ON_PREM_REPAIR],
        demands(wanted, measured, given["sla"]),
        parse_rate(fault_rate, year_s, place="--fault-rate") if fault_rate else None,
        {name: given[name] for name in names}
        | {"criterion": hazards.criterion, "without_spares": hazards.without_spares}
        | {"from": str(folder) if folder else None},
    )
    told = [warning for kind in kinds for warning in warnings(kind)]
    with models_counted():
        record, found = _solve(asked, [*(measured.warnings if measured else []), *told])
    if scale := given["scale"]:
        record = _scaled(record, asked.demands[0], scale)
    if measured:
        record = record.model_copy(update=measured.marks())
        write_beside(measured.file, record)
    show(record, given["as_json"], lambda record: _table(asked, found, record))
    warn(record)
    if record.chosen is None:
        raise typer.Exit(1)


def _scaled(record: Nodes, demand: Demand, typed: list[str]) -> Nodes:
    """With the law of several machine counts. It does not change the plan: it warns of it."""
    # Imported here: most plans have no law.
    from loadstone.nodes.scale import law_warning, machines_for, machines_law, parse_scale
    from loadstone.nodes.sizing import nodes_needed

    unit = demand.per_node.unit
    law = machines_law(parse_scale(typed), demand.sla, unit)
    warning = law_warning(law, demand.load, nodes_needed(demand.load, demand.per_node.value), unit)
    return record.model_copy(
        update={
            "scaling": law,
            "machines_by_law": machines_for(law, demand.load),
            "warnings": [*record.warnings, *([warning] if warning else [])],
        }
    )


def _appliance(typed: str | None, measured: Measured | None) -> NodeType | None:
    """The SLA that was typed, or else the one that the users of a node were measured at."""
    own = measured.file if measured else None
    if typed or own is None or measured is None or not is_appliance(measured):
        return parse_appliance(typed, own) if typed else None
    return node_of({"from": str(own), "against": str(own)}, Path(), "--from")


def _kinds(typed: list[str], known: NodeType | None, measured: Measured | None) -> list[NodeType]:
    """The node types that are compared: native without any; `appliance` need not be named twice.

    Of users that an image carried, what a native node carries does not follow.
    """
    named = [known if known and text.strip() == NAME else parse_node_type(text) for text in typed]
    if known and known not in named:
        native = [] if measured and is_appliance(measured) else [parse_node_type("native")]
        named = [*(named or native), known]
    return named or [parse_node_type("native")]


def _hazards(given: dict[str, Any], year_s: Fraction) -> Hazards:
    never = given["repair"].strip().lower() == "none"
    mending = None if never else parse_duration(given["repair"], year_s, place="--repair")
    return Hazards(
        crash=parse_rate(given["crash_rate"], year_s, place="--crash-rate"),
        failover=1 / parse_duration(given["failover"], year_s, place="--failover"),
        repair=1 / mending if mending else None,
        target=parse_target(given["target"], place="--target"),
        year_s=year_s,
    )


def _solve(asked: _Comparison, warnings: list[str]) -> tuple[Nodes, list[Option]]:
    # Imported here: the other commands need not wait for the record's model.
    from loadstone.plan.compared_record import nodes_record

    per_sla = {
        demand.sla: options(demand.load, demand.per_node, asked.node_types, asked.hazards, asked.deployments)
        for demand in asked.demands
    }
    first = asked.demands[0]
    integrity, intervals = {}, {}
    if asked.faults_per_s:
        rate = float(asked.faults_per_s)
        integrity = {kind.name: shares(kind, rate) for kind in asked.node_types}
        intervals = {kind.name: found for kind in asked.node_types if (found := ranges(kind, rate))}
    inputs = asked.typed | first.record() | {
        "crash_per_s": float(asked.hazards.crash), "failover_per_s": float(asked.hazards.failover),
        "repair_per_s": float(asked.hazards.repair) if asked.hazards.repair else None,
        "target_share": float(asked.hazards.target), "year_s": float(asked.hazards.year_s),
        "throughput_factors": {kind.name: float(kind.throughput) for kind in asked.node_types},
        "node_types": {kind.name: _faults(kind) for kind in asked.node_types},
        "images": {kind.name: _image(kind.image) for kind in asked.node_types if kind.image},
    }  # fmt: skip
    record = nodes_record(inputs, first.sla, per_sla, integrity, warnings, intervals)
    return record, per_sla[first.sla]


def _faults(kind: NodeType) -> dict[str, Any]:
    spread, carries = kind.spread, kind.throughput_range
    return {
        "source": kind.source, "corrupts": kind.corrupts, "crashes": kind.crashes, "retries": kind.retries,
        "interval": {name: list(ends) for name, ends in vars(spread).items()} if spread else None,
        "throughput_interval": [float(end) for end in carries] if carries else None,
    }  # fmt: skip


def _image(image: Image) -> dict[str, Any]:
    return {
        "start_s": float(image.start_s), "detect_s": float(image.detect_s),
        "memory_mib": float(image.memory_mib), "source": image.source, "alone": image.alone,
    }  # fmt: skip


def _table(asked: _Comparison, found: list[Option], record: Nodes) -> str:
    hazards, demand = asked.hazards, asked.demands[0]
    allowed = spell_duration(hazards.allowed_s())
    parts = [
        f"{demand.sentence()}, up {asked.typed['target']} of a {asked.typed['year']} year "
        f"(at most {allowed} down); one node crashes at {asked.typed['crash_rate']}.",
        SENTENCES[hazards.criterion],
        "",
        _options_table(found, float(hazards.year_s)),
    ]
    notes: dict[str, list[str]] = {}
    for option in found:
        if option.note:
            notes.setdefault(option.note, []).append(f"{option.deployment} {option.node_type}")
    if notes:
        parts += ["", *(f"{', '.join(names)}: {note}." for note, names in notes.items())]
    chosen = fewest(found)
    if chosen:
        parts += [
            "",
            f"Fewest nodes: {chosen.total} × {chosen.node_type}, {chosen.deployment}{_spread(chosen)}.",
        ]
    else:
        parts += ["", "No deployment meets the target."]
    parts += [f"{sla} is withheld: {why}." for sla, why in record.withheld.items()]
    if record.scaling:
        from loadstone.report.scaling import scaling_lines

        parts += ["", *scaling_lines(record.scaling)]
    if record.integrity:
        parts += ["", _integrity_table(record.integrity, asked)]
    return "\n".join(parts)


def _options_table(found: list[Option], year_s: float) -> str:
    numbers = {"Num", "extra", "total", "availability", "down a year"}
    head = ["deployment", "node", "Num", "extra", "total", "availability", "down a year"]
    ranged = any(option.num_range != (None, None) for option in found)
    rows = []
    for option in found:
        down = option.downtime_s_per_year
        row = [
            option.deployment, option.node_type, str(option.num), _or(option.extra, "-"),
            _or(option.total, "-"), "-" if down is None else spell_availability(down, year_s), "-" if down is
            None else spell_duration(down),
        ]  # fmt: skip
        if ranged:
            fewest, most = (_or(count, "?") for count in option.total_range)
            row.append(fewest if fewest == most else f"{fewest}–{most}")
        rows.append(row)
    return columns([*head, "total over interval"] if ranged else head, rows, numbers)


def _spread(chosen: Option) -> str:
    """The same at the ends of the capacity's interval, where it was measured."""
    if chosen.total_range == (None, None):
        return ""
    fewest, most = (_or(count, "?") for count in chosen.total_range)
    return f"; {fewest} to {most} over the interval of the capacity"


def _or(count: int | None, otherwise: str) -> str:
    return otherwise if count is None else str(count)


def _integrity_table(integrity: list[Integrity], asked: _Comparison) -> str:
    rows = [
        [each.node_type, *(_share(each, name) for name in ("correct", "corrupt", "down"))]
        for each in integrity
    ]
    sources = [f"Shares of faults of {kind.name}: {kind.source}." for kind in asked.node_types]
    head = ["node", "correct", "corrupt", "down"]
    told = f"Under {asked.typed['fault_rate']} transient faults, mean over 30 days:"
    return "\n".join([told, columns(head, rows, set(head[1:])), *sources])


def _share(each: Integrity, name: str) -> str:
    """A share of the time, with its interval where faults were measured."""
    value = f"{100 * getattr(each, name):.4g} %"
    ends = (each.interval or {}).get(name)
    if ends is None or ends[0] is None or ends[1] is None:
        return value
    return f"{value} ({100 * ends[0]:.4g}–{100 * ends[1]:.4g})"
