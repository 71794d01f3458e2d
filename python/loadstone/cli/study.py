"""`loadstone study`: a paper's measurements made again, and more; one command for each study there is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.cli.conducted import Progress, conclude, going_on, say
from loadstone.cli.measuring import default_folder
from loadstone.cli.options import Commands
from loadstone.leave import INTERRUPTED
from loadstone.study.entry import Entry
from loadstone.study.registry import STUDIES
from loadstone.study.words import Block

study = Commands(no_args_is_help=True, help="Repeat the measurements of a paper, and make more.")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    for entry in STUDIES.values():
        study.command(entry.name)(_command(entry))
    study.command("recompute")(_recompute)
    app.add_typer(study, name="study")


def _recompute(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER…", help="Folders of studies.")],
) -> None:
    """Draw findings and page of a study anew from its rows. Measures nothing.

    Targets are judged by the definition that held when they were measured; what has changed since is told.

    Example: loadstone study recompute out/connectors
    """
    from loadstone.study.recompute import recompute
    from loadstone.study.told import told

    for folder in folders:
        content = recompute(folder)
        print("\n\n".join([*map(_block, told(content)), str(folder / "report.html")]))


def _command(entry: Entry) -> Callable[..., None]:
    """The command of a study: what it does is the same for all, its options are those that it has."""

    def command(**given: Any) -> None:
        _conducted(entry, given)

    command.__doc__ = entry.about
    command.__signature__ = Signature(_options(entry))  # type: ignore[attr-defined]
    return command


def _options(entry: Entry) -> list[Parameter]:
    """Typer reads them from the signature."""

    def option(name: str, kind: Any, default: Any, *flags: str, **told: Any) -> Parameter:
        annotation = Annotated[kind, typer.Option(*flags, **told)]
        return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)

    names, path = str | None, Path | None
    found = [option("out", path, None, help=f"Folder of the study. Default: runs/TIME-{entry.name}.")]
    if entry.quick:
        found.append(option("quick", bool, False, "--quick", help=entry.quick))
    only = f"Only these parts: {entry.parts}. With --resume: only these now."
    found.append(option("only", names, None, metavar="PART,…", help=only))
    if entry.variant:
        plural = f"{entry.variant}s"
        told = f"Only these {plural}: {entry.variants}"
        found.append(option("variants", names, None, f"--{plural}", metavar="NAME,…", help=told))
    if entry.topology:
        told = "Topology with hosts and services of your own. Default: the study's lab."
        found.append(option("topology", path, None, metavar="FILE", help=told))
    found.append(option("resume", path, None, metavar="DIR", help="Go on with an interrupted study."))
    printed = "Print study.json instead of the tables."
    found.append(option("as_json", bool, False, "--json", help=printed))
    return found


def _conducted(entry: Entry, given: dict[str, Any]) -> None:
    from loadstone import record
    from loadstone.measure import Interrupt
    from loadstone.study.order import Order, take_up
    from loadstone.study.page import study_page
    from loadstone.study.run import begin, go_on, run

    if given["resume"]:
        made = go_on(entry, take_up(given["resume"], entry.name, _names(given["only"])))
    else:
        order = Order(
            given["out"] or default_folder(entry.name),
            "quick" if given.get("quick") else "full",
            _names(given["only"]),
            variants=_names(given.get("variants")),
            topology=given.get("topology"),
        )
        made = begin(entry, order)
    folder = made.order.folder
    for part, why in made.skipped.items():
        say(f"{part} is left out: {why}")
    say(f"{len(made.tasks_now)} measurements, about {_time(made.expected_s)}, into {folder}")
    try:
        content = run(made, ["loadstone", *sys.argv[1:]], Interrupt(), Progress(made.told), say)
    except KeyboardInterrupt:
        say(f"aborted; {going_on(entry.name, folder)}")
        raise typer.Exit(INTERRUPTED) from None
    record.write_text(folder / "report.html", study_page(folder))
    if given["as_json"]:
        print(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        done, planned = content["tasks"]["done"], content["tasks"]["planned"]
        last = f"{done} of {planned} measured; {content['outcome']}; {folder / 'report.html'}"
        print("\n\n".join([*map(_block, made.answer(content)), last]))
    raise typer.Exit(conclude(content, folder))


def _names(words: str | None) -> tuple[str, ...] | None:
    return tuple(name.strip() for name in words.split(",")) if words else None


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _block(block: Block) -> str:
    if isinstance(block, str):
        return block
    table = columns(block.head, block.rows, block.right)
    return f"{block.title}\n{table}" if block.title else table
