"""`loadstone nodes --tiers`: a service in tiers, and the tables that `loadstone cost --tiers` shares."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

from loadstone.availability.criterion import SENTENCES, parse_criterion
from loadstone.availability.deployments import parse_without_spares
from loadstone.cli.columns import columns
from loadstone.cli.count import models_counted
from loadstone.cli.written import warn, write_beside
from loadstone.errors import LoadstoneError
from loadstone.nodes.load import above_zero
from loadstone.nodes.quantities import parse_target, spell_availability, spell_duration
from loadstone.plan.asked import Asked
from loadstone.plan.inputs import Inputs
from loadstone.plan.tiers_outlook import outlook
from loadstone.plan.tiers_read import counted, read_tiers

Json = dict[str, Any]
_PER_MONTH = "$ a month"
"""Over 12 months: what the cheapest plan is chosen by."""

SHARED = ("scenario", "tiers", "users", "sla", "target", "criterion", "without_spares", "as_json")
"""Options that mean the same with and without tiers."""


def in_tiers(context: typer.Context, file: Path, *, as_json: bool) -> None:
    """Plans, reports, writes nodes.json beside the file; exit code 1 when nothing meets the target."""
    # Imported here: the other commands need not wait for the record's model.
    from loadstone.plan.tiers_record import tiers_record
    from loadstone.stages.nodes import Nodes

    refuse_others(context, SHARED, "nodes-input")
    inputs = read_service(context, file)
    typed = {"tiers": str(file), "sla": inputs.sla, "target": target_of(context, inputs)}
    with models_counted():
        record = tiers_record(outlook(counted(inputs)), typed).content()
    write_beside(file, Nodes.FILE, record)
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False) if as_json else plan_text(record))
    warn(record)
    if record["service"]["total"] is None:
        raise typer.Exit(1)


def read_service(context: typer.Context, file: Path) -> Inputs:
    """The checked file, with what was typed instead of what it says.

    Raises what `read_tiers` raises, `nodes-input`, `target`.
    """
    given = context.params
    users = above_zero(given["users"], "--users")
    if users is not None and users < 1:
        raise LoadstoneError("nodes-input", "less than one user is nobody", place="--users")
    asked = Asked(
        users,
        given["sla"] if is_typed(context, "sla") else None,
        parse_target(given["target"], place="--target") if is_typed(context, "target") else None,
        parse_criterion(given["criterion"]),
        parse_without_spares(given.get("without_spares", "returns")),
    )
    return read_tiers(file, asked)


def target_of(context: typer.Context, inputs: Inputs) -> str:
    """As it was typed, else as a number."""
    return context.params["target"] if is_typed(context, "target") else f"{float(inputs.availability):.10g}"


def is_typed(context: typer.Context, name: str) -> bool:
    """Whether an option was given, on the command line or in the scenario's table."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def refuse_others(
    context: typer.Context, allowed: tuple[str, ...], slug: str, beside: str = "--tiers",
    hint: str = "limits, rates and deployments stand in the tiers file",
) -> None:  # fmt: skip
    """Refuses options that `beside` has no use for. Raises `slug`."""
    for parameter in context.command.params:
        if str(parameter.name) not in allowed and is_typed(context, str(parameter.name)):
            raise LoadstoneError(
                slug, f"`{parameter.opts[0]}` cannot stand beside {beside}", place=parameter.opts[0],
                hint=hint,
            )  # fmt: skip


def plan_text(record: Json) -> str:
    """The plan, what it rests on, one more of each node, and the growth."""
    inputs, service, year_s = record["inputs"], record["service"], record["inputs"]["year_s"]
    allowed = spell_duration((1 - Fraction(repr(inputs["target_share"]))) * year_s)
    parts = [
        f"{inputs['load_users']:,.6g} users through {len(record['tiers'])} tiers, up {inputs['target']} of a "
        f"{inputs['year']} year (at most {allowed} down).",
        SENTENCES[inputs["criterion"]],
        "",
        _tiers_table(record),
        "",
    ]
    bottleneck = " and ".join(service["bottleneck"])
    if service["total"] is None:
        parts += [
            f"No number of nodes meets the target. {why[0].upper()}{why[1:]}." for why in service["why"]
        ]
    else:
        down, total, bounds = (
            service[name] for name in ("downtime_s_per_year", "total", "downtime_s_per_year_bounds")
        )
        ends = " to ".join(map(spell_duration, bounds or []))
        common = f" ({ends} if the tiers' failures are not independent)" if bounds else ""
        parts += [
            f"The service: {total:,} nodes{_range(service['interval']['total'], total)}, up "
            f"{spell_availability(down, year_s)}, {spell_duration(down)} down a year{common}.",
            f"Bottleneck: {bottleneck}. These nodes carry {service['users_carried']:,} users at the target.",
            "",
            "One more node of one tier carries more users, or as a spare lets those planned for wait less:",
            _one_more_table(record),
        ]
    if record["growth"]:
        parts += ["", _growth_heading(record), _growth_table(record)]
    return "\n".join(parts)


def _tiers_table(record: Json) -> str:
    head = ["tier", "deployment", "users per node", "loaded", "Num", "extra", "total", "availability",
            "down a year", "of the downtime"]  # fmt: skip
    priced = any("usd_per_month" in tier for tier in record["tiers"])
    rows = []
    for tier in record["tiers"]:
        down, limit = tier["downtime_s_per_year"], tier["limit"]
        bound = "≤ " if limit["upper_bound"] else ""
        known = down is not None
        rows.append([
            tier["name"], tier["deployment"], f"{bound}{limit['users_per_node']:,.6g}",
            f"{100 * tier['load_share']:.3g} %", _count(tier["num"]), _count(tier["extra"]),
            _count(tier["total"]) + _range(tier["interval"]["total"], tier["total"]),
            spell_availability(down, record["inputs"]["year_s"]) if known else "-",
            spell_duration(down) if known else "-",
            f"{100 * tier['downtime_part']:.3g} %" if known else "-",
            *([_dollars(tier)] if priced else []),
        ])  # fmt: skip
    shown = [*head, *([_PER_MONTH] if priced else [])]
    return columns(shown, rows, set(shown[2:]))


def _dollars(each: Json) -> str:
    return f"{each['usd_per_month']['12']:,.2f}" if each["usd_per_month"] else "-"


def _one_more_table(record: Json) -> str:
    """What one more node of each tier buys; with its dollars where they are known."""
    service = record["service"]
    priced = any("usd_per_month" in each for each in record["one_more"])
    head = ["tier", "users carried", "down a year", "downtime saved", *([_PER_MONTH] if priced else [])]
    rows = []
    for each in record["one_more"]:
        gained = each["users_carried"] - service["users_carried"]
        down = each["downtime_s_per_year"]
        saved = 1 - down / (service["downtime_s_per_year"] or 1)
        rows.append([
            each["tier"], f"{each['users_carried']:,} (+{gained:,})", spell_duration(down),
            f"{100 * saved:.3g} %",
            *([_dollars(each)] if priced else []),
        ])  # fmt: skip
    return columns(head, rows, set(head[1:]))


def _growth_heading(record: Json) -> str:
    """What the growth table shows, and where it ends."""
    stride = record["growth_stride"]
    every = f" (about one step in {stride} is shown)" if stride > 1 else ""
    wall = record["users_wall"]
    end = "" if wall is None else f"; beyond {wall:,} users a tier that does not scale is exceeded"
    return f"Growth, nodes of each tier at the target{every}{end}:"


def _growth_table(record: Json) -> str:
    """Users, nodes of each tier, and the tier that is the next to need one."""
    names = [tier["name"] for tier in record["tiers"]]
    priced = any("usd_per_month" in step for step in record["growth"])
    numbers = ["users", *names, "total", *([_PER_MONTH] if priced else [])]
    rows = []
    for step in record["growth"]:
        nodes = step["nodes"] or {}
        rows.append([
            f"{step['users_from']:,}–{step['users_to']:,}", *(_count(nodes.get(name)) for name in names),
            _count(step["total"]),
            *([_dollars(step)] if priced else []),
            " and ".join(step["limited_by"]),
        ])  # fmt: skip
    return columns([*numbers, "then limited by"], rows, set(numbers))


def _range(ends: list[int | None], value: int | None) -> str:
    """` (42–45)`; nothing when the interval is the value itself."""
    if ends == [value, value]:
        return ""
    fewest, most = (_count(end, "?") for end in ends)
    return f" ({fewest}–{most})"


def _count(number: int | None, otherwise: str = "-") -> str:
    return otherwise if number is None else f"{number:,}"
