"""`loadstone sweep`: the same questions of thousands of models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.asking import Ats, Cycle, First, LongRun, Precision, Unit
from loadstone.cli.columns import columns
from loadstone.cli.count import Count
from loadstone.cli.solve import ASKED, constants_of, printed_bounds, questions_of, time_of

EXAMPLES = """
Ask many models the same questions.

The models are one text in the PRISM language, whose open constants take every combination of the values
given. Each answer is two bounds, as `loadstone solve` gives them.

Examples:

  loadstone sweep pool.prism --over spares=0..20 --over crash=1/365,1/183,2/365 --long-run --of down

  loadstone sweep pool.prism --over spares=0..20..5 --until 365d --json > sweep.json

The models are shared out over this machine's processors, or with --ray over a Ray cluster. The numbers and
their order are the same.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("sweep", help=EXAMPLES, no_args_is_help=True)(sweep_command)


def sweep_command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file in the PRISM language.")],
    over: Annotated[
        list[str],
        typer.Option(help="Constant and its values: NAME=0..20, NAME=0..20..5 or NAME=1/365,1/183."),
    ],
    const: Annotated[
        list[str] | None, typer.Option(help="Value of another open constant, `NAME=VALUE`. Repeatable.")
    ] = None,
    of: Annotated[
        list[str] | None, typer.Option(help="Reward, label or condition to compute. Repeatable.")
    ] = None,
    at: Ats = None,
    until: Annotated[
        list[str] | None,
        typer.Option(
            help="Compute the expected sum until this time; with --first, the probability. Repeatable."
        ),
    ] = None,
    long_run: LongRun = False,
    first: First = False,
    cycle: Cycle = False,
    unit: Unit = "s",
    precision: Precision = 1e-8,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Number of threads. Default: one for each processor.")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Share the models out over a Ray cluster.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record instead of the table.")] = False,
) -> None:
    """Reads, solves, prints; the help text is `EXAMPLES`."""
    from loadstone.ctmc.sweep import parse_axis, points, sweep
    from loadstone.parallel import OverRay, Threads

    axes = [parse_axis(text) for text in over]
    wanted = points(axes, constants_of(const or []))
    times = [
        [time_of(text, unit, name) for text in given or []]
        for given, name in ((at, "--at"), (until, "--until"))
    ]
    asked = questions_of(times[0], times[1], long_run=long_run, first=first, cycle=cycle)
    if not asked:
        raise typer.BadParameter("nothing is asked: give --until, --at, --long-run, --first or --cycle")
    subjects: list[str | None] = list(of) if of else [None]
    questions = [question | {"of": subject} for subject in subjects for question in asked]
    with Count("models", len(wanted)) as count:
        parallel = OverRay(count.add) if ray else Threads(count.add, jobs)
        count.add(1)
        replies = sweep(model, wanted, questions, precision, parallel)
    record = {
        "model": str(model),
        "over": {axis.name: list(axis.values) for axis in axes},
        "precision": precision,
        "unit": unit,
        "points": [
            {"constants": point, "states": reply["states"], "answers": reply["answers"]}
            for point, reply in zip(wanted, replies, strict=True)
        ],
    }
    typer.echo(json.dumps(record, indent=2) if as_json else _table(record))


def _table(record: dict[str, Any]) -> str:
    names = list(record["over"])
    rows = [
        [
            *(point["constants"][name] for name in names),
            ASKED[figure["ask"]].format(**figure),
            figure["of"] or "-",
            *printed_bounds(figure["low"], figure["high"]),
        ]
        for point in record["points"]
        for figure in point["answers"]
    ]
    head = [*names, "question", "of", "low", "high"]
    return columns(head, rows, {*names, "low", "high"})
