"""`loadstone nodes`: from what one node carries to the nodes that keep the service available."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.availability.criterion import SENTENCES, parse_criterion
from loadstone.availability.deployments import PF_ON_PREM_REPAIR, parse_without_spares
from loadstone.cli.columns import columns
from loadstone.cli.count import models_counted
from loadstone.cli.defaults import defaults_from
from loadstone.cli.tiers import in_tiers
from loadstone.cli.written import show, warn, write_beside
from loadstone.nodes.appliance import NAME, is_appliance, parse_appliance, warnings
from loadstone.nodes.appliance import appliance as node_of
from loadstone.nodes.choices import parse_deployments, parse_node_type
from loadstone.nodes.image import Image
from loadstone.nodes.integrity import NodeType, shares
from loadstone.nodes.load import Demand, Load, demands
from loadstone.nodes.measured import Measured, read_measured
from loadstone.nodes.quantities import (
    parse_duration,
    parse_rate,
    parse_target,
    spell_availability,
    spell_duration,
)
from loadstone.plan.compared import Option, fewest, options
from loadstone.plan.named import Hazards

if TYPE_CHECKING:
    from loadstone.stages.nodes import Integrity, Nodes

EXAMPLES = """
Compute how many nodes carry a load and stay available.

With --from, capacity.json or run.json of that folder says what one node carries, and nodes.json is written
beside it.

Examples:

  loadstone nodes --from runs/olio --users 5000 --target "four nines"

  loadstone nodes --users-per-node 500 --users 5000 --crash-rate 1/183d --failover 30min

  loadstone nodes --throughput-per-node 40.2 --load 500 --node-type native --node-type ilr:0.87

  loadstone nodes --users-per-node 500 --users 5000 --appliance throughput=1.6,start=200ms,memory_mib=16

  loadstone nodes --users-per-node 1 --users 10 --year 365d --fault-rate 0.9/day

  loadstone nodes --tiers site/tiers.toml --users 20000 --target "five nines"

With --tiers, that file has limits and rates, tier by tier, and nodes.json is written beside it.

The exit code is 1 if no deployment meets the target.
"""


@dataclass(frozen=True)
class _Comparison:
    hazards: Hazards
    node_types: list[NodeType]
    deployments: list[str]
    demands: list[Demand]
    faults_per_s: Fraction | None
    typed: dict[str, Any]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("nodes", help=EXAMPLES, no_args_is_help=True)(nodes)


def nodes(
    context: typer.Context,
    scenario: Annotated[
        Path | None,
        typer.Argument(
            help="Scenario with a table `nodes` for the defaults.",
            callback=defaults_from("nodes", "nodes-input"),
            is_eager=True,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--from", help="Folder of one node's measurement, with capacity.json or run.json."),
    ] = None,
    tiers: Annotated[
        Path | None,
        typer.Option(help="Plan file with tiers: balancer, web, database, each with its own limit."),
    ] = None,
    users: Annotated[float | None, typer.Option(help="Users the service must carry.")] = None,
    load: Annotated[float | None, typer.Option(help="Operations a second it must carry.")] = None,
    users_per_node: Annotated[float | None, typer.Option(help="Users one node carries.")] = None,
    throughput_per_node: Annotated[
        float | None, typer.Option(help="Operations a second one node carries.")
    ] = None,
    sla: Annotated[str, typer.Option(help="SLA whose capacity is used: SLA-1 or SLA-2.")] = "SLA-1",
    target: Annotated[
        str, typer.Option(help="Target availability: `0.99999`, `99.9 %` or `five nines`.")
    ] = "0.999",
    crash_rate: Annotated[
        str, typer.Option(help="How often one node crashes: `1/year`, `1/183d`.")
    ] = "1/year",
    failover: Annotated[str, typer.Option(help="Mean time to replace a crashed node.")] = "15s",
    repair: Annotated[
        str,
        typer.Option(help="Mean time to mend a crashed node. `none`: crashed nodes stay crashed."),
    ] = "1h",
    year: Annotated[str, typer.Option(help="Length of a year.")] = "365.25d",
    criterion: Annotated[
        str,
        typer.Option(help="Judge the `long-run`, or the `first-year` from a start with every node up."),
    ] = "long-run",
    without_spares: Annotated[
        str,
        typer.Option(
            help="Without a pool, a mended node `returns` to service, or `never-returns` (the study's rule)."
        ),
    ] = "returns",
    node_type: Annotated[
        list[str] | None,
        typer.Option(
            help="Kind of node: `native`, `ilr` or `tx`, or with its throughput: `ilr:0.87`. Repeatable."
        ),
    ] = None,
    appliance: Annotated[
        str | None,
        typer.Option(
            help="Adds the node type `appliance`: throughput=1.6,start=200ms,memory_mib=16 or "
            "from=STUDY,app=olio,page=olio-home or from=CAPACITY,against=CAPACITY; with detect=1s."
        ),
    ] = None,
    deployment: Annotated[
        list[str] | None,
        typer.Option(help="Consider only this deployment, such as `PF on-prem`. Repeatable."),
    ] = None,
    fault_rate: Annotated[
        str | None,
        typer.Option(help="Transient faults of one node, such as `27/month`. Adds the table of integrity."),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="With --from: use a run that shows nothing, and mark the record."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON instead of the table.")
    ] = False,
) -> None:
    """Parses, plans, reports; the help text is `EXAMPLES`."""
    if tiers:
        in_tiers(context, tiers, as_json=as_json)
        return
    year_s = parse_duration(year, place="--year")
    hazards = replace(
        _hazards(crash_rate, failover, repair, target, year_s),
        criterion=parse_criterion(criterion),
        without_spares=parse_without_spares(without_spares),
    )
    measured = _measured(folder, anyway=anyway)
    wanted = Load(users, load, users_per_node, throughput_per_node)
    kinds = _kinds(node_type or [], _appliance(appliance, measured), measured)
    asked = _Comparison(
        hazards,
        kinds,
        [name for name in parse_deployments(deployment) if hazards.repair or name != PF_ON_PREM_REPAIR],
        demands(wanted, measured, sla),
        parse_rate(fault_rate, year_s, place="--fault-rate") if fault_rate else None,
        {
            "sla": sla, "target": target, "crash_rate": crash_rate, "failover": failover, "repair": repair,
            "year": year, "criterion": hazards.criterion, "without_spares": hazards.without_spares,
            "fault_rate": fault_rate, "from": str(folder) if folder else None,
        },
    )  # fmt: skip
    told = [warning for kind in kinds for warning in warnings(kind)]
    with models_counted():
        record, found = _solve(asked, [*(measured.warnings if measured else []), *told])
    if measured:
        record = record.model_copy(update=measured.marks())
        write_beside(measured.file, record)
    show(record, as_json, lambda record: _table(asked, found, record))
    warn(record)
    if record.chosen is None:
        raise typer.Exit(1)


def _measured(folder: Path | None, *, anyway: bool) -> Measured | None:
    if folder is None:
        return None
    return read_measured(folder, anyway=anyway)


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


def _hazards(crash_rate: str, failover: str, repair: str, target: str, year_s: Fraction) -> Hazards:
    mending = None if repair.strip().lower() == "none" else parse_duration(repair, year_s, place="--repair")
    return Hazards(
        crash=parse_rate(crash_rate, year_s, place="--crash-rate"),
        failover=1 / parse_duration(failover, year_s, place="--failover"),
        repair=1 / mending if mending else None,
        target=parse_target(target, place="--target"),
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
    integrity = {}
    if asked.faults_per_s:
        integrity = {kind.name: shares(kind, float(asked.faults_per_s)) for kind in asked.node_types}
    inputs = asked.typed | first.record() | {
        "crash_per_s": float(asked.hazards.crash), "failover_per_s": float(asked.hazards.failover),
        "repair_per_s": float(asked.hazards.repair) if asked.hazards.repair else None,
        "target_share": float(asked.hazards.target), "year_s": float(asked.hazards.year_s),
        "throughput_factors": {kind.name: float(kind.throughput) for kind in asked.node_types},
        "images": {kind.name: _image(kind.image) for kind in asked.node_types if kind.image},
    }  # fmt: skip
    return nodes_record(inputs, first.sla, per_sla, integrity, warnings), per_sla[first.sla]


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
        [each.node_type, *(f"{100 * share:.4g} %" for share in (each.correct, each.corrupt, each.down))]
        for each in integrity
    ]
    head = ["node", "correct", "corrupt", "down"]
    return f"Under {asked.typed['fault_rate']} transient faults, mean over 30 days:\n" + columns(
        head, rows, set(head[1:])
    )
