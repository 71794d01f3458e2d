"""The table of several scenarios that ran at once."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.run_operations import ScenarioFigures


def scenarios(run: Run) -> Table | None:
    """What each of them did; None where the run had one."""
    found = run.summary.scenarios
    if not found:
        return None
    rows = [_row(one) for one in found]
    counted = any(one.sessions for one in found)
    things = run.summary.load.unit.things
    columns = [
        words("scenario", "scenario"),
        Column("share", f"share of the {things}", format.share),
        Column("count", "operations"),
        Column("count_share", "share of the operations", format.share),
        Column("throughput_ops_per_s", "right answers/s", format.figure),
        Column("failed", "failed"),
        Column("late", "late"),
        Column("dropped", "dropped"),
        *([Column("begun", "sessions begun"), Column("completed", "completed")] if counted else []),
        *([Column("lost", "lost")] if counted else []),
    ]
    note = f"The share of the {things} is what was asked for."
    if not run.summary.load.unit.is_rate:
        note += " What share of the operations follows depends on how long the users of each pause and wait."
    return Table("scenarios", "Scenarios", columns, rows, note)


def _row(one: ScenarioFigures) -> Row:
    row: Row = {
        "scenario": one.name,
        "share": one.share,
        "count": one.count,
        "count_share": one.count_share,
        "throughput_ops_per_s": one.throughput_ops_per_s,
        "failed": one.failed,
        "late": one.late,
        "dropped": one.dropped,
    }
    if one.sessions:
        row |= {name: getattr(one.sessions, name) for name in ("begun", "completed", "lost")}
    return row
