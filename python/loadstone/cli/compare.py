"""`loadstone compare`: runs beside each other."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.columns import columns, pipes
from loadstone.cli.run_options import AsJson
from loadstone.cli.verdicts import show
from loadstone.errors import SLA_NOT_MET, LoadstoneError

if TYPE_CHECKING:
    from loadstone.stages.compare import Comparison


class FailOn(StrEnum):
    """What makes exit code 1."""

    WORSE = "worse"
    SLOWER = "slower"
    NOTHING = "nothing"


FailOnOption = Annotated[
    FailOn,
    typer.Option(
        "--fail-on",
        help="Exit with 1 if anything is worse, if a response time is slower, or never.",
    ),
]
Confidence = Annotated[
    float,
    typer.Option(
        min=0.5,
        max=0.9999,
        help="Of each interval; and that no word is wrong where nothing differs.",
    ),
]
Anyway = Annotated[
    bool,
    typer.Option(
        "--anyway", help="Compare runs that differ in more than the service, were cut short or are invalid."
    ),
]
PageOut = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Also draw it, as a page: a file.")
]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(compare)


def compare(
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="OLD NEW...", help="Run folders, or folders whose folders are runs of one release."
        ),
    ],
    paired: Annotated[
        bool,
        typer.Option("--paired", help="Runs of the same name are pairs, as `loadstone ab` makes them."),
    ] = False,
    confidence: Confidence = 0.95,
    fail_on: FailOnOption = FailOn.WORSE,
    anyway: Anyway = False,
    out: PageOut = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Compare runs of releases: response times, shares within the limit, failures, throughput.

    Exit code: 0 nothing is worse beyond chance, 1 something is, 2 bad input.

    Example: loadstone compare runs/old runs/new --fail-on slower
    """
    from loadstone.compare import compared, in_pairs, read_sides

    if len(places) < 2:
        message = "a comparison takes two folders or more"
        raise LoadstoneError("compare-folder", message, hint="loadstone compare OLD NEW")
    if paired and len(places) > 2:
        raise LoadstoneError("compare-folder", "pairs are of two sides", hint="leave out --paired")
    sides = read_sides(places, anyway)
    if paired:
        in_pairs(*sides)
    result = compared(sides, paired=paired, confidence=confidence, anyway=anyway)
    tell(result, as_json=as_json, as_markdown=as_markdown)
    if out:
        from loadstone.report.compared import comparison_page

        write_page(out, comparison_page(result))
    raise typer.Exit(conclude(result, fail_on))


def write_page(file: Path, page: str) -> None:
    """Writes a page, and says so on stderr. Errors: `disk-full`, `cannot-write`."""
    from loadstone import record

    record.make_folder(file.parent)
    record.write_text(file, page)
    print(f"wrote {file}", file=sys.stderr)


def tell(result: Comparison, *, as_json: bool, as_markdown: bool) -> None:
    """Prints the comparison; what it warns of goes to stderr."""
    if as_json:
        print(json.dumps(result.content(), indent=2, ensure_ascii=False))
    else:
        show(markdown(result) if as_markdown else table(result))
    for side in result.sides:
        for one in side.left_out:
            print(f"left out: {one.run}: {one.why}", file=sys.stderr)
    for difference in result.unlike:
        print(f"warning: not made alike: {difference}", file=sys.stderr)
    for warning in result.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def conclude(result: Comparison, fail_on: FailOn) -> int:
    """The exit code."""
    worse = fail_on is not FailOn.NOTHING and result.worse(slower_only=fail_on is FailOn.SLOWER)
    return SLA_NOT_MET if worse else 0


def table(result: Comparison) -> str:
    """The sides, a table for each newer one, and the sentence that sums up."""
    from loadstone.report.differences import sentence

    parts = [_sides(result), *_tables(result, columns), _notes(result), sentence(result)]
    return "\n\n".join(part for part in parts if part)


def markdown(result: Comparison) -> str:
    """The same as Markdown."""
    from loadstone.report.differences import sentence

    parts = [f"**{sentence(result)}**", _sides(result), *_tables(result, pipes), _notes(result)]
    return "\n\n".join(part for part in parts if part)


def _sides(result: Comparison) -> str:
    labels = ["old", *(["new"] if len(result.sides) == 2 else [f"new {i}" for i in range(1, 99)])]
    lines = [
        f"{label}: {side.name} ({len(side.runs)} run{'' if len(side.runs) == 1 else 's'})"
        for label, side in zip(labels, result.sides, strict=False)
    ]
    what = {
        "pairs": f"{result.pairs} pairs are compared",
        "runs": "runs are compared",
        "seconds": "seconds of single runs are compared",
    }[result.by]
    return "\n".join([*lines, f"{what}; intervals at {100 * result.confidence:g} %"])


def _tables(result: Comparison, formed: Callable[..., str]) -> list[str]:
    from loadstone.report.differences import HEAD, NUMBERS, row

    made = []
    for side in result.sides[1:]:
        rows = [row(one) for one in result.rows if one.side == side.name]
        title = f"{side.name}:\n" if len(result.sides) > 2 else ""
        made.append(title + formed(HEAD, rows, NUMBERS))
    return made


def _notes(result: Comparison) -> str:
    """What was not judged, by its reason."""
    from loadstone.report.differences import operation_of

    reasons: dict[str, list[str]] = {}
    for one in result.unjudged:
        reasons.setdefault(one.why, []).append(f"{operation_of(one)} {one.figure}")
    return "\n".join(f"not judged: {', '.join(dict.fromkeys(what))}: {why}" for why, what in reasons.items())
