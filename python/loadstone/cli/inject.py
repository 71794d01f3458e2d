"""`loadstone inject`: one flipped bit at a time, and what becomes of it."""

from __future__ import annotations

import os
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.cli.conducted import say
from loadstone.cli.measuring import default_folder
from loadstone.errors import LoadstoneError
from loadstone.leave import INTERRUPTED

if TYPE_CHECKING:
    from loadstone.inject.asked import Asked, Limits
    from loadstone.stages.inject import Inject

EXAMPLES = """Flip one random bit in what an instruction of a program has just written; many times, and count.

Each injection runs the program once. A random instruction of its run executes, one bit of a register or of
the flags that it wrote turns, and the program goes on: the fault is masked, the output is corrupt, the
program crashes, hangs, finds the fault and stops (exit code 86) or puts it right.

Examples:

  loadstone inject --runs 500 --out out/qsort ./qsort 2000

  loadstone inject --runs 500 --only sort --seed 7 --out out/sort ./qsort 2000

  loadstone inject --server memcached --runs 500 --out out/cache memcached -p {port} -U 0 -u nobody

The same command again goes on where it was ended. `loadstone nodes --node-type from=out/qsort` plans with it.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        "inject", help=EXAMPLES, no_args_is_help=True,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    )(inject)  # fmt: skip


def inject(
    program: Annotated[
        list[str],
        typer.Argument(metavar="PROGRAM [ARGS]...", help="Program in machine code, and its arguments."),
    ],
    runs: Annotated[int, typer.Option(help="Injections.")] = 500,
    seed: Annotated[
        int, typer.Option(min=0, max=2**63, help="Seed: all that is chosen follows from it.")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder. Default: runs/TIME-inject.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Injections at once. Default: a processor each.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Which code is hit: `own`, the program's own file; `all`, libraries too; or a function. "
            "Repeatable. Default: own."
        ),
    ] = None,
    stdin: Annotated[Path | None, typer.Option(metavar="FILE", help="What the program reads.")] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="PROTOCOL",
            help="The program is a server: `memcached`, `redis` or `http`. It listens on {port}.",
        ),
    ] = None,
    requests: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With `--server http`: paths to GET, one a line.")
    ] = None,
    request_count: Annotated[
        int,
        typer.Option(
            min=10, max=1_000_000, help="With `--server memcached` and `redis`: commands of one pass."
        ),
    ] = 300,
    throughput: Annotated[
        float | None, typer.Option(help="What this build carries, against native: for node types.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name on the page. Default: the program's.")] = "",
    golden_runs: Annotated[int, typer.Option(help="Unharmed runs that must agree.")] = 3,
    golden_limit: Annotated[float, typer.Option(help="Seconds that an unharmed run may take.")] = 60.0,
    hang_factor: Annotated[float, typer.Option(help="A run of so many times the unharmed one hangs.")] = 20.0,
    hang_least: Annotated[float, typer.Option(help="Seconds that are no hang yet.")] = 3.0,
    patience: Annotated[float, typer.Option(help="With --server: seconds that an answer may take.")] = 5.0,
    most_steps: Annotated[int, typer.Option(help="Instructions that the trace may have.")] = 20_000_000,
    trace_limit: Annotated[float, typer.Option(help="Seconds that the trace may take.")] = 900.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print inject.json instead of the table.")] = False,
) -> None:
    """Hands over to what injects; the help text is `EXAMPLES`."""
    from loadstone import record
    from loadstone.inject.asked import Asked, Limits, found
    from loadstone.inject.page import inject_page

    limits = Limits(golden_runs, golden_limit, hang_factor, hang_least, most_steps, trace_limit)
    _require_positive(limits, patience, throughput)
    wanted = Asked(
        found(program[0]), tuple(program[1:]), runs, seed, tuple(only or ("own",)),
        stdin.resolve() if stdin else None, limits, Fraction(repr(throughput)) if throughput else None,
    )  # fmt: skip
    folder = out or default_folder("inject")
    count = jobs or len(os.sched_getaffinity(0))
    say(f"{runs} injections into {wanted.program.name}, {count} at once, into {folder}")
    made = _made(wanted, folder, count, name, server, requests, request_count, patience)
    record.write_text(folder / "report.html", inject_page(folder))
    if as_json:
        import json

        print(json.dumps(made.content(), indent=2))
    else:
        print(_table(made))
    for warning in made.warnings:
        say(f"warning: {warning}")
    say(str(folder / "report.html"))
    raise typer.Exit(INTERRUPTED if made.status == "interrupted" else 0)


def _made(
    wanted: Asked, folder: Path, jobs: int, name: str, server: str | None, requests: Path | None, count: int,
    patience_s: float,
) -> Inject:  # fmt: skip
    from loadstone.inject.conduct import campaign
    from loadstone.inject.serving import Serving, serving
    from loadstone.inject.traffic import ASKED, KINDS, Traffic, read_paths

    if server is None:
        if requests:
            raise LoadstoneError(
                "inject-input", "requests are for servers", place="--requests", hint="--server http"
            )
        return campaign(wanted, folder, jobs, _Told(), name)
    if server not in KINDS:
        hint = f"one of {', '.join(KINDS)}"
        raise LoadstoneError("inject-input", f"no protocol `{server}`", place="--server", hint=hint)
    if (server == "http") != (requests is not None):
        message = "paths are for `--server http`, which needs them"
        raise LoadstoneError("inject-input", message, place="--requests", hint="a file with one path a line")
    asked = read_paths(requests) if requests else ASKED[server](count, wanted.seed)
    return serving(Serving(wanted, Traffic(server, asked), patience_s), folder, jobs, _Told(), name)


def _require_positive(limits: Limits, patience_s: float, throughput: float | None) -> None:
    given = {
        "--golden-limit": limits.golden_limit_s, "--hang-factor": limits.hang_factor,
        "--patience": patience_s,
        "--hang-least": limits.hang_least_s, "--most-steps": limits.most_steps,
        "--trace-limit": limits.trace_limit_s, "--throughput": 1.0 if throughput is None else throughput,
    }  # fmt: skip
    for flag, value in given.items():
        if not 0 < value <= 1e9:
            raise LoadstoneError("inject-input", f"`{value:g}` is not a number above zero", place=flag)


class _Told:
    """A line for each stage on stderr, and one a tenth of the injections; on a terminal, a live one."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._tenth, self._said_s = 0, 0.0
        self._counts: dict[str, int] = {}

    def unharmed(self, golden: dict[str, Any]) -> None:
        """The unharmed runs agree."""
        say(f"unharmed: {golden['took_s']:.2f} s at the longest, always the same answer")

    def tracing(self, steps: int) -> None:
        """A line in a while."""
        if self._live:
            print(f"\rtracing: {steps:,} instructions", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self._said_s > 10:
            self._said_s = time.monotonic()
            say(f"tracing: {steps:,} instructions")

    def traced(self, traced: dict[str, Any]) -> None:
        """What the trace showed."""
        print("\r" if self._live else "", end="", file=sys.stderr)
        say(
            f"traced: {traced['instructions']:,} instructions in {traced['took_s']:.1f} s, of which "
            f"{traced['can_be_hit']:,} at {traced['addresses']:,} addresses can be hit"
        )

    def injected(self, line: dict[str, Any], done: int, of: int, left_s: float) -> None:
        """How far it is."""
        outcome = line["outcome"]
        self._counts[outcome] = self._counts.get(outcome, 0) + 1
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self._counts.items()))
        text = f"{done} of {of}, about {left_s:.0f} s left: {counts}"
        if self._live:
            print(f"\r{text}  ", end="\n" if done == of else "", file=sys.stderr, flush=True)
        elif 10 * done // of > self._tenth:
            self._tenth = 10 * done // of
            say(text)


def _table(made: Inject) -> str:
    rows = [
        [
            each.outcome,
            str(each.count),
            f"{100 * each.share:.2f} %",
            f"{100 * each.low:.2f}–{100 * each.high:.2f} %",
        ]
        for each in made.shares
    ]
    lines = [
        f"{made.name}, {made.variant}: {made.injected:,} faults, one bit each; code: {', '.join(made.only)}.",
        columns(["outcome", "count", "share", "95 %"], rows, {"count", "share", "95 %"}),
    ]
    if made.missed:
        lines.append(f"{made.missed} more hit nothing.")
    if made.status != "complete":
        lines.append(
            f"Interrupted: {made.runs - made.injected - made.missed} are left; the same command goes on."
        )
    return "\n".join(lines)
