"""`loadstone plan`: the cheapest nodes that carry the load, stay up and answer right."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.errors import SLA_NOT_MET

EXAMPLES = """
The cheapest nodes, spares, node type and price that carry a load, stay up and answer right; what better
availability would cost; which input matters most; what the uncertainty of the inputs means for both.

Examples:

  loadstone plan examples/plan/shop.toml

  loadstone plan shop.toml --out runs/plan --draws 2000

Exit code 1 when nothing meets the targets.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("plan", help=EXAMPLES, no_args_is_help=True)(plan_command)


def plan_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Plan file.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="New folder for plan.json, report.html and the chain.")
    ] = None,
    draws: Annotated[
        int, typer.Option(min=0, max=100_000, help="Draws of the uncertain inputs; 0 leaves them out.")
    ] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws.")] = 1,
    ray: Annotated[bool, typer.Option("--ray", help="Share the draws over a Ray cluster.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record instead of the tables.")] = False,
) -> None:
    """Reads, plans, reports; the help text is `EXAMPLES`."""
    from loadstone import record
    from loadstone.plan.conduct import plan
    from loadstone.plan.read import read_plan
    from loadstone.plan.record import FILE, plan_record
    from loadstone.plan.spread import over_ray, over_threads

    inputs = read_plan(file)
    if out:
        record.require_unused(out)
    found = plan(inputs, draws, seed, over_ray if ray else over_threads)
    content = plan_record(found, {"draws": draws, "seed": seed, "command": ["loadstone", *sys.argv[1:]]})
    if out:
        _keep(found, content, out, FILE)
    for warning in content["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    print(json.dumps(content, indent=2, ensure_ascii=False) if as_json else _text(content))
    raise typer.Exit(0 if content["chosen"] else SLA_NOT_MET)


def _keep(found: Any, content: dict[str, Any], out: Path, name: str) -> None:
    """The folder: the record, the page, and the chosen plan's chain for other solvers."""
    from loadstone import record
    from loadstone.nodes.cluster.text import prism
    from loadstone.plan.candidate import cluster_of
    from loadstone.report.plan import plan_page

    record.make_folder(out)
    record.write_json(out / name, content)
    if chosen := found.outcome.chosen:
        shape = (chosen.needed, chosen.active, chosen.pool)
        record.write_text(
            out / "chosen.prism", prism(cluster_of(found.inputs, chosen.way, found.values, *shape))
        )
    record.write_text(out / "report.html", plan_page(out))
    print(str(out / "report.html"), file=sys.stderr)


def _text(content: dict[str, Any]) -> str:
    """The answer, then a table for each question."""
    blocks = [_answer(content), _options(content)]
    if content["front"]:
        blocks.append("What better availability costs\n" + _candidates(content["front"]))
    if content["sensitivity"]:
        blocks.append("What each input alone would change\n" + _sensitivity(content["sensitivity"]))
    if content["uncertainty"]:
        blocks.append(_uncertainty(content["uncertainty"]))
    if content["served"]:
        blocks.append(_served(content["served"], content["inputs"]["users"]["value"]))
    return "\n\n".join(blocks)


def _answer(content: dict[str, Any]) -> str:
    inputs, chosen = content["inputs"], content["chosen"]
    asked = f"{inputs['users']['value']:,.0f} users, up {inputs['availability']:.10g} of the year"
    if not chosen:
        return f"{asked}: nothing in the file meets the targets."
    return (
        f"{asked}: {_nodes(chosen)} of {chosen['instance']} ({chosen['option']}), "
        f"${chosen['usd_per_month']:,.2f} a month, down {_time(chosen['down_s_per_year'])} a year."
    )


def _nodes(one: dict[str, Any]) -> str:
    pool = f" + {one['pool']} spares" if one["pool"] else ""
    return f"{one['active']} nodes{pool}"


def _options(content: dict[str, Any]) -> str:
    rows = [
        [one["option"], "–", "–", "–", "–", one["why"]] if "why" in one else [*_row(one), ""]
        for one in content["options"]
    ]
    return columns([*_HEAD, ""], rows, set(_HEAD[1:]))


_HEAD = ["option", "nodes", "needed", "down a year", "$ a month"]


def _row(one: dict[str, Any]) -> list[str]:
    return [
        one["option"],
        _nodes(one),
        str(one["needed"]),
        _time(one["down_s_per_year"]),
        f"{one['usd_per_month']:,.2f}",
    ]


def _candidates(rows: list[dict[str, Any]]) -> str:
    return columns(_HEAD, [_row(one) for one in rows], set(_HEAD[1:]))


def _sensitivity(bars: list[dict[str, Any]]) -> str:
    head = ["input", "from", "to", "plan at from", "plan at to", ""]
    rows = [
        [
            bar["input"],
            bar["low"],
            bar["high"],
            *(_end(bar[end]) for end in ("at_low", "at_high")),
            "assumed" if bar["assumed"] else "95 %",
        ]
        for bar in bars
    ]
    return columns(head, rows, {"from", "to"})


def _end(one: dict[str, Any] | None) -> str:
    return f"{_nodes(one)}, ${one['usd_per_month']:,.0f}" if one else "none meets the targets"


def _uncertainty(one: dict[str, Any]) -> str:
    lines = [f"Over {one['draws']:,} draws of the uncertain inputs (95 % of them):"]
    if one["nodes"]:
        lines.append(
            f"- the cheapest plan has {_range(one['nodes'])} nodes at ${_range(one['usd_per_month'])} a month"
        )
    if one["unmet"]:
        lines.append(f"- in {100 * one['unmet']:.1f} % nothing meets the targets")
    lines.append(f"- the plan above meets the target in {100 * one['chosen_holds']:.1f} %")
    if sure := one["sure"]:
        lines.append(
            f"- {_nodes(sure)} at ${sure['usd_per_month']:,.2f} a month would in "
            f"{100 * one['sure_holds']:.1f} %"
        )
    return "\n".join(lines)


def _range(one: dict[str, float]) -> str:
    return f"{one['median']:,.0f} ({one['low']:,.0f}–{one['high']:,.0f})"


def _served(one: dict[str, Any], users: float) -> str:
    head = ["nodes up", "users at the SLA", "share of the year"]
    rows = [
        [str(level["nodes"]), f"{level['users']:,.0f}", f"{level['share']:.3g}"]
        for level in one["levels"]
        if level["share"] > 1e-15
    ]
    lost = f"{one['user_hours_lost']:,.3g} of {users * 8766:,.0f} user hours a year are not served at the SLA"
    return columns(head, rows, set(head)) + f"\n{lost}."


def _time(seconds: float) -> str:
    from loadstone.nodes.quantities import spell_duration

    return spell_duration(seconds) if math.isfinite(seconds) else "always"
