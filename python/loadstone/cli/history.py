"""`loadstone history`: runs of one scenario over time, and where figures changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.columns import columns, pipes
from loadstone.cli.compare import Anyway, AsMarkdown, Confidence, PageOut, write_page
from loadstone.cli.history_tables import runs_table, trends_table
from loadstone.cli.run_options import AsJson
from loadstone.cli.verdicts import show
from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.stages.compare import Change, History


FIGURES = {
    "mean": "mean", "p50": "p50", "p90": "p90", "p99": "p99", "within": "within limit", "failed": "failed",
    "throughput": "throughput",
}  # fmt: skip
"""By the word of the command line, the figure's name in the record."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(history)


def history(
    place: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder whose folders are runs of one scenario.")
    ],
    confidence: Confidence = 0.95,
    anyway: Anyway = False,
    figure: Annotated[
        str, typer.Option(help="Figure of the trends: mean, p50, p90, p99, within, failed or throughput.")
    ] = "mean",
    last: Annotated[int, typer.Option(min=1, help="List so many of the latest runs.")] = 12,
    out: PageOut = None,
    parquet: Annotated[
        Path | None,
        typer.Option("--parquet", metavar="FILE", help="Also write every figure of every run as Parquet."),
    ] = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Show runs of one scenario as a list and as trends, and since which run a figure has another level.

    Exit code: 0, or 2 for bad input.

    Example: loadstone history runs/nightly --out history.html
    """
    from loadstone import compare

    if figure not in FIGURES:
        hint = f"there are {', '.join(FIGURES)}"
        raise LoadstoneError("bad-option", f"there is no figure `{figure}`", place="--figure", hint=hint)
    found = compare.history(place, confidence=confidence, anyway=anyway)
    if as_json:
        print(json.dumps(found.content(), indent=2, ensure_ascii=False))
    else:
        show(_told(found, figure, last, as_markdown))
    if out:
        from loadstone.report.compared import history_page

        write_page(out, history_page(found))
    if parquet:
        from loadstone.report.exported import write_history

        write_history(found, parquet)
        print(f"wrote {parquet}", file=sys.stderr)
    for one in found.left_out:
        print(f"left out: {one.run}: {one.why}", file=sys.stderr)
    for difference in found.unlike:
        print(f"warning: not made alike: {difference}", file=sys.stderr)
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _told(found: History, figure: str, last: int, as_markdown: bool) -> str:
    from loadstone.report.differences import HEAD, NUMBERS

    looked_at = (
        f"{found.name}: {len(found.runs)} runs from {found.runs[0].started_at} to "
        f"{found.runs[-1].started_at}, {found.series} figures"
    )
    formed = pipes if as_markdown else columns
    parts = [looked_at, runs_table(found, last, formed), trends_table(found, FIGURES[figure], formed)]
    if not found.changes:
        return "\n\n".join([*parts, "no change shown"])
    head = ["since", *HEAD]
    rows = [_row(change) for change in found.changes]
    return "\n\n".join([*parts, formed(head, rows, NUMBERS)])


def _row(change: Change) -> list[str]:
    from loadstone.report.differences import row

    return [f"{change.since.started_at or ''} {Path(change.since.run).name}".strip(), *row(change)]
