"""`loadstone follow`: a run under way in the terminal, with the figures of the page."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from rich.live import Live as Shown

    from loadstone.live import Follower, Live, SoFar
    from loadstone.stages.run import Run

_RUNS = Path("runs")
_LOOK_S = 0.25
_SILENT_S = 5.0
_PLAIN_EVERY_S = 10


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(follow)


def follow(
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]", help="Folder of the run. By default the only one going on in `runs`."
        ),
    ] = None,
) -> None:
    """Show a run that is under way in the terminal, as the page shows it.

    Until it ends, or Ctrl-C. It only reads. The run goes on when this ends. Exit code: 0, or 2 for bad input.

    Example: loadstone follow runs/today
    """
    from rich.console import Console
    from rich.live import Live as Shown

    from loadstone.live import Follower, SoFar, live_of

    folder = _folder(run)
    console = Console(highlight=False)
    parts = live_of(folder), Follower(folder), SoFar(folder)
    if not console.is_terminal:
        _until_over(folder, parts, None)
        return
    with Shown(console=console, refresh_per_second=2) as shown:
        _until_over(folder, parts, shown)


def _folder(run: Path | None) -> Path:
    from loadstone.measure.control import under_way

    found = under_way(run or _RUNS)
    if len(found) == 1:
        return found[0]
    said = ", ".join(map(str, found)) or "none"
    hint = "name one: loadstone follow FOLDER"
    raise LoadstoneError("run-control", f"runs going on in `{run or _RUNS}`: {said}", hint=hint)


def _until_over(folder: Path, parts: tuple[Live, Follower, SoFar], shown: Shown | None) -> None:
    """Shows second after second until the run has ended, or nobody writes it any more."""
    from rich.text import Text

    from loadstone.cli.live_text import lines, one_line
    from loadstone.cli.terminal import plain
    from loadstone.measure.control import answers

    live, follower, so_far = parts
    record: Run | None = None
    grown_at = time.monotonic()
    while live.outcome is None:
        new = follower.read()
        for line in new:
            live.take(line)
        if new:
            grown_at = time.monotonic()
        elif time.monotonic() - grown_at > _SILENT_S:
            if not answers(folder):
                print(f"nobody writes {folder} any more", file=sys.stderr)
                return
            grown_at = time.monotonic()
        if shown and live.seconds and so_far.is_due:
            record = so_far.record() or record
        if shown and new:
            shown.update(Text(plain("\n".join(lines(live, record)))))
        ends_ten = live.seconds and (live.seconds[-1].second + 1) % _PLAIN_EVERY_S == 0
        if not shown and ends_ten and any("window" in line for line in new):
            print(one_line(live), flush=True)
        time.sleep(_LOOK_S)
    print(f"the run has ended ({live.outcome}): {folder}", file=sys.stderr)
