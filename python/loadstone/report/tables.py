"""Every table of a chapter, in the order of the pipeline."""

from __future__ import annotations

from pathlib import Path

from loadstone.record import make_folder, write_text
from loadstone.report.capacity_tables import capacity_at_goals, loads, searched
from loadstone.report.cost import cost_tables
from loadstone.report.folder import Chapter
from loadstone.report.plan_tables import nodes_tables
from loadstone.report.run_tables import goals_of, run_tables
from loadstone.report.scaling import scaling_tables
from loadstone.report.table import Table


def all_tables(chapter: Chapter) -> dict[str, Table]:
    """The tables whose input exists, by slug."""
    found = [
        verdicts(chapter),
        loads(chapter),
        searched(chapter),
        *scaling_tables(chapter.capacity.scaling if chapter.capacity else None),
        *nodes_tables(chapter.nodes),
        *cost_tables(chapter.cost),
    ]
    if chapter.detail:
        found += run_tables(chapter.detail)
    return {table.slug: table for table in found if table and table.rows}


def write_csv(chapter: Chapter, folder: Path) -> list[Path]:
    """Writes each table as `<slug>.csv` into `folder`, made if need be; gives the files.

    Errors: `cannot-write`, `disk-full`.
    """
    make_folder(folder)
    written = []
    for table in all_tables(chapter).values():
        written.append(folder / f"{table.slug}.csv")
        write_text(written[-1], table.csv())
    return written


def verdicts(chapter: Chapter) -> Table | None:
    """What each goal came to: users of a capacity search, or what one run says."""
    if chapter.capacity:
        return capacity_at_goals(chapter.capacity)
    return goals_of(chapter.detail.summary) if chapter.detail else None
