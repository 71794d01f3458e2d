"""`loadstone history`: runs of one scenario over time, and where figures changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.columns import columns, pipes
from loadstone.cli.compare import Anyway, AsMarkdown, Confidence, PageOut, write_page
from loadstone.cli.run import AsJson

if TYPE_CHECKING:
    from loadstone.stages.compare import Change, History


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(history)


def history(
    place: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder whose folders are runs of one scenario.")
    ],
    confidence: Confidence = 0.95,
    anyway: Anyway = False,
    out: PageOut = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Show since which run response times, shares, failures or throughput are at another level.

    Exit code: 0, or 2 for bad input.

    Example: loadstone history runs/nightly --out history.html
    """
    from loadstone import compare

    found = compare.history(place, confidence=confidence, anyway=anyway)
    if as_json:
        print(json.dumps(found.content(), indent=2, ensure_ascii=False))
    else:
        print(_told(found, as_markdown))
    if out:
        from loadstone.report.compared import history_page

        write_page(out, history_page(found))
    for one in found.left_out:
        print(f"left out: {one.run}: {one.why}", file=sys.stderr)
    for difference in found.unlike:
        print(f"warning: not made alike: {difference}", file=sys.stderr)
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _told(found: History, as_markdown: bool) -> str:
    from loadstone.report.differences import HEAD, NUMBERS

    looked_at = (
        f"{found.name}: {len(found.runs)} runs from {found.runs[0].started_at} to "
        f"{found.runs[-1].started_at}, {found.series} figures"
    )
    if not found.changes:
        return f"{looked_at}\nno change shown"
    head = ["since", *HEAD]
    rows = [_row(change) for change in found.changes]
    table = (pipes if as_markdown else columns)(head, rows, NUMBERS)
    return f"{looked_at}\n\n{table}"


def _row(change: Change) -> list[str]:
    from loadstone.report.differences import row

    return [f"{change.since.started_at or ''} {Path(change.since.run).name}".strip(), *row(change)]
