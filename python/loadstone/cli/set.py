"""`loadstone set`: changes the load of a run that is under way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from loadstone.errors import LoadstoneError
from loadstone.unit import Unit

_NAMES = {unit.value.replace("_", "-"): unit for unit in Unit}
_RUNS = Path("runs")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("set")(set_load)


def set_load(
    what: Annotated[
        str, typer.Argument(metavar="UNIT", help="`users`, `sessions-per-s` or `requests-per-s`.")
    ],
    load: Annotated[float, typer.Argument(metavar="LOAD", help="The load from now on.")],
    run: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of the run. By default the only one going on in `runs`."),
    ] = None,
) -> None:
    """Change the load of a run that is under way: its users, or the rate of what arrives.

    The new load stands in place of what the scenario says of later times. The record, the page and the
    verdict say that it was changed by hand. Exit code: 0, or 2 for bad input.

    Example: loadstone set users 800 --run runs/today
    """
    from loadstone.measure.control import ask, under_way

    unit = _NAMES.get(what)
    if unit is None:
        hint = f"one of {', '.join(_NAMES)}"
        raise LoadstoneError("run-control", f"`{what}` is no unit of a load", hint=hint)
    folders = under_way(run or _RUNS)
    if run is None and len(folders) != 1:
        found = ", ".join(map(str, folders)) or "none"
        hint = "name one with --run"
        raise LoadstoneError("run-control", f"runs going on in `{_RUNS}`: {found}", hint=hint)
    folder = folders[0] if folders else run
    assert folder is not None
    at_s = ask(folder, unit, load)
    print(f"{unit.amount(load)} from {at_s:.1f} s on, in {folder}", file=sys.stderr)
