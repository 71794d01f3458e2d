"""`loadstone study`: a paper's measurements made again, and more."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli import study_appliance, study_connectors, study_nodes
from loadstone.cli.columns import columns
from loadstone.cli.conducted import Progress, conclude, going_on, say
from loadstone.cli.options import Commands
from loadstone.cli.run import INTERRUPTED, default_folder

study = Commands(no_args_is_help=True, help="Make a paper's measurements again, and more.")

Only = Annotated[
    str | None, typer.Option(metavar="PART,…", help="Only these parts: throughput, peer, segments, …")
]
Resume = Annotated[Path | None, typer.Option(metavar="DIR", help="Go on with an interrupted study.")]
TopologyFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Topology with hosts and services of your own. Default: the study's lab."
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    study_appliance.register(study)
    study_connectors.register(study)
    study_nodes.register(study)
    app.add_typer(study, name="study")


@study.command()
def balancers(
    out: Annotated[
        Path | None, typer.Option(help="Folder of the study. Default: runs/TIME-balancers.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Take a few minutes only, to see that everything works.")
    ] = False,
    only: Only = None,
    topology: TopologyFile = None,
    resume: Resume = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print study.json instead of the tables.")] = False,
) -> None:
    """Measure load balancers beside each other: throughput, cost, where time goes, what happens in trouble.

    Brings up a lab of its own, and takes it down whatever happens. Ctrl-C ends it after the measurement
    under way and keeps what was measured.

    Example: loadstone study balancers --quick --out out/balancers
    """
    from loadstone import record
    from loadstone.drive import Interrupt
    from loadstone.report.study import study_page
    from loadstone.study.balancers import study as conducting

    if resume:
        order = conducting.take_up(resume)
    else:
        parts = [name.strip() for name in only.split(",")] if only else None
        folder = out or default_folder("balancers")
        order = conducting.begin(folder, quick=quick, only=parts, topology=topology)
    plan = conducting.lay_out(order)
    for part, why in plan.skipped.items():
        say(f"{part} is left out: {why}")
    say(f"{len(plan.tasks)} measurements, about {plan.expected_s / 60:.0f} minutes, into {order.folder}")
    try:
        command = ["loadstone", *sys.argv[1:]]
        content = conducting.run(plan, command, Interrupt(), Progress(_told), say)
    except KeyboardInterrupt:
        say(f"aborted; {going_on('balancers', order.folder)}")
        raise typer.Exit(INTERRUPTED) from None
    record.write_text(order.folder / "report.html", study_page(order.folder))
    print(json.dumps(content, indent=2) if as_json else _summary(content, order.folder))
    raise typer.Exit(conclude(content, order.folder))


def _summary(content: dict[str, Any], folder: Path) -> str:
    """The study in a few lines."""
    labels = {one["name"]: one["label"] for one in content["variants"]}
    lines = []
    if throughput := content["parts"].get("throughput"):
        head = ["variant", "generators", "requests/s (95 %)", "highest (95 %)", "at"]
        rows = [
            [
                labels[one["balancer"]],
                str(one["generators"]),
                _interval(one["pooled"]),
                _interval(one["highest"]),
                str(one["highest_at"]),
            ]
            for one in throughput["pooled"]
        ]
        lines.append(columns(head, rows, set(head[1:])))
    lines += [f"warning: {warning}" for warning in content["warnings"]]
    done, planned = content["tasks"]["done"], content["tasks"]["planned"]
    lines.append(f"{done} of {planned} measured; {content['outcome']}; {folder / 'report.html'}")
    return "\n".join(lines)


def _interval(one: dict[str, Any]) -> str:
    if one["low"] is None:
        return f"{one['value']:,.0f}"
    return f"{one['value']:,.0f} ({one['low']:,.0f}–{one['high']:,.0f})"


def _told(measured: dict[str, Any]) -> str:
    lost = sum(measured["failed"].values())
    return f"{measured['requests_per_s']:,.0f}/s" + (f"  {lost} failed" if lost else "")
