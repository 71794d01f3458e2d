"""`loadstone study connectors`: the hybrid architecture's sessions under overload, measured again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.cli.conducted import Progress, conclude, going_on, say
from loadstone.cli.run import INTERRUPTED, default_folder


def register(study: typer.Typer) -> None:
    """Adds the command."""
    study.command("connectors")(connectors_command)


def connectors_command(
    out: Annotated[
        Path | None, typer.Option(help="Folder of the study. Default: runs/TIME-connectors.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure three servers once, to see that everything works.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(metavar="PART,…", help="Only these experiments: dynamic, static, …")
    ] = None,
    servers: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Only these servers: hybrid-session, threaded, …")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with an interrupted study.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print study.json instead of the tables.")] = False,
) -> None:
    """Measure how many user sessions threaded, event-driven and hybrid servers complete under overload.

    Apache, Tomcat and nginx stand in the same plots. Servers run on this machine, one is measured at a time.
    Ctrl-C ends it after the measurement under way and keeps what was measured.

    Example: loadstone study connectors --quick --out out/connectors
    """
    from loadstone import record
    from loadstone.drive import Interrupt, RustEngine
    from loadstone.report.study import study_page
    from loadstone.study.connectors import study as conducting
    from loadstone.study.order import take_up

    if resume:
        order = take_up(resume, "connectors")
    else:
        folder = out or default_folder("connectors")
        order = conducting.begin(folder, quick=quick, only=_names(only), servers=_names(servers))
    plan = conducting.lay_out(order)
    say(f"{len(plan.tasks)} measurements, about {plan.expected_s / 60:.0f} minutes, into {order.folder}")
    try:
        content = conducting.run(
            plan, ["loadstone", *sys.argv[1:]], RustEngine(), Interrupt(), Progress(_told)
        )
    except KeyboardInterrupt:
        say(f"aborted; {going_on('connectors', order.folder)}")
        raise typer.Exit(INTERRUPTED) from None
    record.write_text(order.folder / "report.html", study_page(order.folder))
    print(json.dumps(content, indent=2, ensure_ascii=False) if as_json else _summary(content, order.folder))
    raise typer.Exit(conclude(content, order.folder))


def _names(words: str | None) -> list[str] | None:
    return [name.strip() for name in words.split(",")] if words else None


def _summary(content: dict[str, Any], folder: Path) -> str:
    """Every cell under the highest load of each experiment, then the targets."""
    labels = {one["name"]: one["label"] for one in content["variants"]}
    blocks = []
    for part in content["parts"].values():
        own = [cell for cell in part["cells"] if cell["client"] == "loadstone"]
        most = max((cell["sessions_per_s_offered"] for cell in own), default=None)
        head = [
            f"{part['title']}, {most:g} sessions/s",
            "completed",
            "sessions/s",
            "p50 ms",
            "closed by server",
        ]
        rows = [
            [labels[cell["server"]]]
            + [
                _value(cell["figures"][name], digits)
                for name, digits in (
                    ("completed", 0),
                    ("sessions_per_s", 1),
                    ("response_ms_p50", 0),
                    ("closed_by_server", 0),
                )
            ]
            for cell in sorted(own, key=lambda one: -one["figures"]["sessions_per_s"]["value"])
            if cell["sessions_per_s_offered"] == most
        ]
        blocks.append(columns(head, rows, set(head[1:])))
    marks = {True: "met", False: "NOT met"}
    blocks.append(
        "\n".join(
            f"{marks[one['met']]}: {one['what']}: {_value(one['measured'], 2)}"
            for one in content["targets"]
            if one["met"] is not None
        )
    )
    done, planned = content["tasks"]["done"], content["tasks"]["planned"]
    blocks.append(f"{done} of {planned} measured; {content['outcome']}; {folder / 'report.html'}")
    return "\n\n".join(block for block in blocks if block)


def _value(one: dict[str, Any] | None, digits: int) -> str:
    return "–" if one is None else f"{one['value']:,.{digits}f}"


def _told(measured: dict[str, Any]) -> str:
    return f"{measured['completed']} completed, {measured['sessions_per_s']:.1f}/s"
