"""`loadstone solve`: what a Markov model does, each number as bounds that hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.asking import Ats, Cycle, First, LongRun, Precision, Unit
from loadstone.cli.columns import columns
from loadstone.cli.count import Elapsed
from loadstone.ctmc.solve import Question, read_model, solve
from loadstone.errors import LoadstoneError
from loadstone.nodes.quantities import parse_duration

EXAMPLES = """
Answer questions about a Markov model. Each answer is two bounds, and the truth lies between them.

MODEL is a text in the PRISM language (a subset), a .tra file with its .lab and .NAME.srew files, or a chain
in .json.

Examples:

  loadstone solve pool.prism --const spares=2 --until 365d

  loadstone solve pool.prism --const spares=2 --first --cycle --of "up < 10"

  loadstone solve chain.tra --long-run --states 5 --json
"""

ASKED = {
    "at": "value at {time:g}",
    "until": "sum until {time:g}",
    "share": "mean until {time:g}",
    "long-run": "long-run mean",
    "first-mean": "mean time to first",
    "first-by": "P[reached by {time:g}]",
    "cycle-share": "share of time in",
    "cycle-frequency": "entries per unit of time",
    "cycle-mean": "mean length in",
    "cycle-mean-between": "mean length between",
    "state": "probability",
}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("solve", help=EXAMPLES, no_args_is_help=True)(solve_command)


def solve_command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.")],
    const: Annotated[
        list[str] | None, typer.Option(help="Value of an open constant, `NAME=VALUE`. Repeatable.")
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(help="Reward, label or condition to compute. Default: all of the model's. Repeatable."),
    ] = None,
    at: Ats = None,
    until: Annotated[
        list[str] | None,
        typer.Option(
            help="Compute the expected sum and mean over this time; with --first, the probability."
            " Repeatable."
        ),
    ] = None,
    long_run: LongRun = False,
    first: First = False,
    cycle: Cycle = False,
    states: Annotated[
        int, typer.Option(min=0, help="Print the likeliest states: at the times of --at, or in the long run.")
    ] = 0,
    unit: Unit = "s",
    precision: Precision = 1e-8,
    method: Annotated[
        str | None,
        typer.Option(
            help="Method for finite times: `doubling`, `implicit` or `uniformization`. Default: the cheapest."
        ),
    ] = None,
    lump: Annotated[
        bool | None,
        typer.Option(
            "--lump/--no-lump",
            help="Merge states that cannot be told apart. Default: only if the model renames modules.",
        ),
    ] = None,
    most_states: Annotated[
        int, typer.Option(min=1, help="Give up after exploring this many states.")
    ] = 5_000_000,
    within: Annotated[
        float, typer.Option(min=0.01, help="Give up after this many seconds, with the reason.")
    ] = 300.0,
    memory: Annotated[
        float | None, typer.Option(min=0.001, help="GiB of memory to use at most. Default: what is free.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the explicit model to this folder: .prism, .tra, .lab, .NAME.srew."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON instead of the table.")
    ] = False,
) -> None:
    """Parses, solves, reports; the help text is `EXAMPLES`."""
    ats = [time_of(text, unit, "--at") for text in at or []]
    untils = [time_of(text, unit, "--until") for text in until or []]
    subjects: list[str | None] = list(of) if of else [None]
    questions: list[Question] = [
        question | {"of": subject}
        for subject in subjects
        for question in questions_of(ats, untils, long_run=long_run, first=first, cycle=cycle)
    ]
    if states:
        questions += [{"ask": "states", "time": time, "most": states} for time in ats]
        questions += [{"ask": "states", "time": None, "most": states}] * (long_run or not ats)
    source = read_model(model, constants_of(const or []), most_states)
    with Elapsed("solving", within):
        reply = solve(
            source,
            questions,
            str(model),
            precision=precision,
            method=method,
            lump=lump,
            within=within,
            memory=None if memory is None else int(memory * 2**30),
            export=export is not None,
        )
    texts = reply.pop("export", {})
    if export:
        _write(export, model.stem, texts)
    record: dict[str, Any] = {
        "model": str(model),
        "constants": const or [],
        "precision": precision,
        "unit": unit,
    } | reply
    record["answers"] = [each for figure in reply["answers"] for each in _with_share(figure)]
    typer.echo(json.dumps(record, indent=2) if as_json else _table(record))
    for figure in record["answers"]:
        if figure["relative_width"] > precision:
            what = f"{figure['ask']} {figure['of']}"
            print(f"warning: the bounds of {what} are wider than the precision asked for", file=sys.stderr)


def questions_of(
    ats: list[float], untils: list[float], *, long_run: bool, first: bool, cycle: bool
) -> list[Question]:
    """What is asked of each subject."""
    found: list[Question] = [{"ask": "at", "time": time} for time in ats]
    found += [{"ask": "first-by" if first else "until", "time": time} for time in untils]
    asked = {"first-mean": first, "long-run": long_run, "cycle": cycle}
    return found + [{"ask": ask} for ask, wanted in asked.items() if wanted]


def time_of(text: str, unit: str, place: str) -> float:
    """A plain number is in the model's unit."""
    try:
        return float(text)
    except ValueError:
        return float(parse_duration(text, place=place) / parse_duration(unit, place="--unit"))


def constants_of(texts: list[str]) -> dict[str, str]:
    """Of `--const`. LoadstoneError `model-input`."""
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise LoadstoneError("model-input", f"`{text}` is not `NAME=VALUE`", place="--const")
        found[name.strip()] = value
    return found


def _with_share(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """A sum over a time, and the mean that it is."""
    if figure["ask"] != "until" or not figure["time"]:
        return [figure]
    # One more rounding: widened by one unit in the last place.
    low, high = (None if end is None else end / figure["time"] for end in (figure["low"], figure["high"]))
    wider = {"low": low and low * (1 - 2**-52), "high": high and high * (1 + 2**-52)}
    return [figure, figure | {"ask": "share"} | wider]


def _table(record: dict[str, Any]) -> str:
    size = f"{record['states']:,} states, {record['transitions']:,} transitions"
    if not record["whole"]:
        size += " met, of more that the questions did not need"
    rows = [
        [
            ASKED[figure["ask"]].format(**figure),
            figure["of"] or "-",
            *printed_bounds(figure["low"], figure["high"]),
            figure["method"],
            f"{figure['states_used']:,}",
        ]
        for figure in record["answers"]
    ]
    head = ["question", "of", "low", "high", "method", "states"]
    return "\n\n".join([size, columns(head, rows, {"low", "high", "states"})] if rows else [size])


def printed_bounds(low: float, high: float | None) -> tuple[str, str]:
    """Both ends to 12 digits, rounded outwards so that the printed bounds hold, too."""
    if high is None:
        return ("infinite", "infinite") if low > 1e308 else (_outward(low, -1), "infinite")
    return _outward(low, -1), _outward(high, 1)


def _outward(value: float, direction: int) -> str:
    text = f"{value:.12g}"
    step = abs(value) * 1e-12
    while (float(text) - value) * direction < 0:
        text = f"{value + direction * step:.12g}"
        step *= 2
    return text


def _write(folder: Path, stem: str, texts: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for ending, text in texts.items():
            (folder / f"{stem}.{ending}").write_text(text, "utf-8")
    except OSError as error:
        raise LoadstoneError("cannot-write", str(error), place=str(folder)) from error
    print(f"wrote {len(texts)} files to {folder}", file=sys.stderr)
