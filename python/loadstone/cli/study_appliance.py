"""`loadstone study appliance`: images beside the same programs in a Linux guest, measured again."""

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
    study.command("appliance")(appliance_command)


def appliance_command(
    out: Annotated[
        Path | None, typer.Option(help="Folder of the study. Default: runs/TIME-appliance.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Make a few measurements only, to see that everything works.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(metavar="PART,…", help="Only these parts: size, boot, sql, http, …")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with an interrupted study.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print study.json instead of the tables.")] = False,
) -> None:
    """Measure images beside the same programs in a Linux guest: size, boot, memory, storage, allocation,
    HTTP.

    Both run under QEMU on the same machine, one after the other. Needs scripts/setup-appliance. Ctrl-C ends
    it after the measurement under way and keeps what was measured.

    Example: loadstone study appliance --quick --out out/appliance
    """
    from loadstone import record
    from loadstone.drive import Interrupt, RustEngine
    from loadstone.report.study import study_page
    from loadstone.study.appliance import study as conducting
    from loadstone.study.order import take_up

    if resume:
        order = take_up(resume, "appliance")
    else:
        names = [name.strip() for name in only.split(",")] if only else None
        order = conducting.begin(out or default_folder("appliance"), quick=quick, only=names)
    plan = conducting.lay_out(order)
    say(f"{len(plan.tasks)} measurements, about {plan.expected_s / 60:.0f} minutes, into {order.folder}")
    try:
        content = conducting.run(
            plan, ["loadstone", *sys.argv[1:]], RustEngine(), Interrupt(), Progress(_told)
        )
    except KeyboardInterrupt:
        say(f"aborted; {going_on('appliance', order.folder)}")
        raise typer.Exit(INTERRUPTED) from None
    record.write_text(order.folder / "report.html", study_page(order.folder))
    print(json.dumps(content, indent=2, ensure_ascii=False) if as_json else _summary(content, order.folder))
    raise typer.Exit(conclude(content, order.folder))


def _summary(content: dict[str, Any], folder: Path) -> str:
    """What was to be shown, and whether it was."""
    marks = {True: "met", False: "NOT met", None: "not measured"}
    rows = [
        [marks[one["met"]], _bound(one), _value(one["measured"]), one["what"]] for one in content["targets"]
    ]
    done, planned = content["tasks"]["done"], content["tasks"]["planned"]
    return "\n\n".join(
        [
            columns(["", "bound", "worst (range)", "what"], rows, {"bound", "worst (range)"}),
            f"{done} of {planned} measured; {content['outcome']}; {folder / 'report.html'}",
        ]
    )


def _bound(target: dict[str, Any]) -> str:
    return f"≤ {target['most']:g}" if target["least"] is None else f"≥ {target['least']:g}"


def _value(one: dict[str, Any] | None) -> str:
    if one is None:
        return "–"
    if one["low"] is None or one["low"] == one["high"]:
        return f"{one['value']:,.2f}"
    return f"{one['value']:,.2f} ({one['low']:,.2f}–{one['high']:,.2f})"


def _told(measured: dict[str, Any]) -> str:
    return "  ".join(f"{name} {value:,.5g}" for name, value in list(measured.items())[:3])
