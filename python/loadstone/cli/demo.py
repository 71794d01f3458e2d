"""`loadstone demo`: the main job end to end at small scale, as the commands a person would type."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from loadstone import leave
from loadstone.cli.measuring import default_folder
from loadstone.errors import RUN_OPEN, SLA_NOT_MET
from loadstone.remaining import in_words

_SEARCH = [
    "--from", "1000", "--probe", "4", "--window", "10", "--tolerance", "0.1", "--repeats", "2",
    "--max-runs", "9",
    "--set", "load.ramp_up_s=8", "--set", "load.ramp_down_s=0", "--set", "target.options.cores=1",
    "--set", "data.media_scale=0.1",
]  # fmt: skip
"""Few and short runs: a demonstration has minutes, not hours. The service gets one core, so that the
generator beside it on the same machine is not what limits the answer; uploads are small, so that the disk is
not either."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(demo)


def demo(
    users: Annotated[int, typer.Option(min=1, help="Users that the planned service must carry.")] = 20_000,
    target: Annotated[str, typer.Option(help="Availability it must keep.")] = "0.99999",
    instance: Annotated[str, typer.Option(help="Machine of the price book aws-2026.")] = "c7i.large",
    out: Annotated[Path | None, typer.Option(help="Folder. Default: runs/TIME-demo.")] = None,
) -> None:
    """Show everything in three minutes, small: capacity, nodes, cost and report of the built-in site.

    Each stage is a command of its own, shown before it runs. Ctrl-C ends only the search early.

    Example: loadstone demo --users 50000
    """
    folder = out or default_folder("demo")
    started = time.monotonic()
    heading = _heading(1, "How many users does one machine hold?", started)
    _stage(heading, ["capacity", "olio", *_SEARCH, "--out", str(folder)])
    _label(folder)
    plan = ["--users", str(users), "--target", target]
    keep_up = ["nodes", "--from", str(folder), *plan]
    heading = _heading(2, "How many machines keep it up?", started)
    ended = _stage(heading, keep_up, accept=(0, SLA_NOT_MET, RUN_OPEN))
    priced = ["--book", "aws-2026", "--instance", instance]
    if ended != RUN_OPEN:
        heading = _heading(3, "What does each user cost?", started)
        _stage(heading, ["cost", "--from", str(folder), *priced])
    heading = _heading(4, "Put it on a page.", started)
    _stage(heading, ["report", str(folder), "--out", str(folder / "report.html")])
    print(f"\n{_answer(folder)}")
    took = time.monotonic() - started
    print(f"A demonstration, done in {took:.0f} s: windows of 10 s, where the rule says 300 s.")
    print(f"Open {folder / 'report.html'}")


def _heading(number: int, question: str, started: float) -> str:
    """The question of a stage, and how far the demonstration is: the search, the first, takes nearly all."""
    took = in_words(time.monotonic() - started)
    far = f"{took} so far" if number > 1 else "about three minutes in all"
    return f"{question} ({number} of 4, {far})"


def _stage(heading: str, arguments: list[str], accept: tuple[int, ...] = (0,)) -> int:
    """Runs one command of ours where the user can see it; how it ended."""
    print(f"\n{heading}\n$ {shlex.join(['loadstone', *arguments])}", flush=True)
    with subprocess.Popen([sys.executable, "-m", "loadstone", *arguments]) as stage:

        def pass_on(number: int, _frame: FrameType | None) -> None:
            # A terminal's Ctrl-C has reached the stage already.
            if number != signal.SIGINT:
                stage.send_signal(number)

        # They are for the stage: it ends early, keeps what it measured, and the next stage goes on with that.
        with leave.handling((signal.SIGINT, signal.SIGTERM), pass_on):
            code = stage.wait()
    if code not in accept:
        # It has said why on stderr.
        raise typer.Exit(code)
    return code


def _label(folder: Path) -> None:
    """Marks the folder, so that no report of it passes for a measurement by the rules."""
    from loadstone import record
    from loadstone.intake import Kind
    from loadstone.stages.capacity import Capacity

    found = Capacity.read(folder / Capacity.FILE, Kind("run-folder", "a record of a search", 64 << 20))
    record.write_stage(folder, found.model_copy(update={"demonstration": True}))


def _answer(folder: Path) -> str:
    """The sentence at the top of the report."""
    from loadstone import report

    return report.sentence(report.read_chapter(folder))
