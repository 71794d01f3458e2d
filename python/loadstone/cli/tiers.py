"""`loadstone nodes --tiers`: a service in tiers, and the tables that `loadstone cost --tiers` shares."""

from __future__ import annotations

import json
from dataclasses import dataclass
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
from loadstone.plan.tiers_outlook import outlook
from loadstone.plan.tiers_read import Service, read_tiers

Json = dict[str, Any]
_PER_MONTH = "$ a month"
"""Over 12 months: what the cheapest plan is chosen by."""

SHARED = ("scenario", "tiers", "users", "sla", "target", "criterion", "without_spares", "as_json")
"""Options that mean the same with and without tiers."""


@dataclass(frozen=True)
class Asked:
    """Options as they were typed."""

    sla: str
    target: str
    criterion: str
    without_spares: str = "returns"


def in_tiers(context: typer.Context, file: Path, users: float | None, asked: Asked, *, as_json: bool) -> None:
    """Plans, reports, writes nodes.json beside the file; exit code 1 when nothing meets the target."""
    # Imported here: the other commands need not wait for the record's model.
    from loadstone.plan.tiers_record import tiers_record
    from loadstone.stages.nodes import Nodes

    refuse_others(context, SHARED, "nodes-input")
    service = read_service(file, users, asked)
    inputs = {"tiers": str(file), "sla": asked.sla, "target": asked.target}
    with models_counted():
        record = tiers_record(outlook(service), inputs).content()
    write_beside(file, Nodes.FILE, record)
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False) if as_json else plan_text(record))
    warn(record)
    if record["service"]["total"] is None:
        raise typer.Exit(1)


def read_service(file: Path, users: float | None, asked: Asked) -> Service:
    """The checked file, for so many users. Raises what `read_tiers` raises, `nodes-input`, `target`."""
    wanted = above_zero(users, "--users")
    if wanted is None:
        raise LoadstoneError(
            "nodes-input", "how many users is not known", hint="give --users, such as `--users 5000`"
        )
    if wanted < 1:
        raise LoadstoneError("nodes-input", "less than one user is nobody", place="--users")
    return read_tiers(
        file, wanted, asked.sla, parse_target(asked.target, place="--target"),
        parse_criterion(asked.criterion), parse_without_spares(asked.without_spares),
    )  # fmt: skip


def refuse_others(context: typer.Context, allowed: tuple[str, ...], slug: str) -> None:
    """Refuses options that `--tiers` has no use for. Raises `slug`."""
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if name not in allowed and source is not None and source.name != "DEFAULT":
            raise LoadstoneError(
                slug, f"`{parameter.opts[0]}` cannot stand beside --tiers", place=parameter.opts[0],
                hint="limits, rates and deployments stand in the tiers file",
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
        least, most = (spell_duration(bound) for bound in service["downtime_s_per_year_bounds"])
        down, total = service["downtime_s_per_year"], service["total"]
        parts += [
            f"The service: {total:,} nodes{_range(service['interval']['total'], total)}, up "
            f"{spell_availability(down, year_s)}, {spell_duration(down)} down a year "
            f"({least} to {most} if the tiers' failures are not independent).",
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
