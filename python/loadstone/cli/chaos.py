"""`loadstone chaos`: a cluster that really crashes, beside its model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.cli.conducted import say
from loadstone.cli.measuring import default_folder
from loadstone.leave import INTERRUPTED


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("chaos")(chaos)


def chaos(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Chaos file. Default: three clusters that come with Loadstone."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="New folder. Default: runs/TIME-chaos.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Let the clusters live only shortly, to see that everything works."),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of crashes, failovers and repairs.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print chaos.json instead of the tables.")] = False,
) -> None:
    """Kill and mend nodes of a real cluster as the model says, under load, and compare.

    Brings up a lab of its own, with load, HAProxy, and nodes that serve the built-in site. Each cluster's
    model decides when nodes crash, are replaced and are mended. A year passes in a minute, and spares are
    really started. The result compares what was up, seen from outside, with the model's answer. The lab is
    taken down whatever happens.

    Example: loadstone chaos --quick --out out/chaos
    """
    from loadstone import record
    from loadstone.chaos import conduct
    from loadstone.chaos.description import FILE, read_order
    from loadstone.chaos.page import chaos_page

    order = read_order(file or FILE, quick)
    folder = out or default_folder("chaos")
    minutes = order.lives * len(order.clusters) * (order.life_s + 6) / 60
    say(f"{order.lives} lives of {len(order.clusters)} clusters, about {minutes:.0f} minutes, into {folder}")
    content = conduct.run(order, folder, seed, ["loadstone", *sys.argv[1:]], say)
    record.write_text(folder / "report.html", chaos_page(folder))
    print(json.dumps(content, indent=2) if as_json else _summary(content))
    say(str(folder / "report.html"))
    raise typer.Exit(INTERRUPTED if content["outcome"] == "interrupted" else 0)


def _summary(content: dict[str, Any]) -> str:
    head = ["cluster", "", "measured (95 %)", "model", "inside", "95 % of such runs"]
    rows = []
    for one in content["clusters"]:
        name = one["name"]
        for what, label in (
            ("availability", "enough up"),
            ("nodes_up", "nodes up"),
            ("crashes", "crashes a life"),
        ):
            inside = one["inside"][what]
            rows.append(
                [name, label, _interval(one["measured"][what]), f"{one['model'][what]:.4g}",
                 "–" if inside is None else "yes" if inside else "no", _expected(one["expected"].get(what))]
            )  # fmt: skip
            name = ""
    lost = [
        f"{one['name']}: {one['requests_lost']:,} of {one['requests_ok'] + one['requests_lost']:,} requests "
        f"lost, {one['wrong_bodies']} wrong bodies"
        for one in content["clusters"]
    ]
    return columns(head, rows, {"measured (95 %)", "model"}) + "\n\n" + "\n".join(lost)


def _expected(one: list[float] | None) -> str:
    return "–" if one is None else f"{one[0]:.4g}–{one[1]:.4g}"


def _interval(one: dict[str, Any]) -> str:
    if one["low"] is None:
        return f"{one['value']:.4g}"
    return f"{one['value']:.4g} ({one['low']:.4g}–{one['high']:.4g})"
