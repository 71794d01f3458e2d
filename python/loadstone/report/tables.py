"""Every table of a chapter, in the order of the pipeline."""

from __future__ import annotations

from pathlib import Path

from loadstone.record import make_folder, write_text
from loadstone.report import format
from loadstone.report.cost import cost_tables
from loadstone.report.folder import Chapter, Run
from loadstone.report.plan_tables import nodes_tables
from loadstone.report.run_tables import run_tables
from loadstone.report.table import Column, Row, Table, mark, words
from loadstone.stages.capacity import Held, LimitedBy
from loadstone.stages.run import GoalFigures


def all_tables(chapter: Chapter) -> dict[str, Table]:
    """The tables whose input exists, by slug."""
    found = [verdicts(chapter), searched(chapter), *nodes_tables(chapter.nodes), *cost_tables(chapter.cost)]
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
    """What each SLA came to: users of a capacity search, or whether one run held it."""
    if chapter.capacity:
        rows = [_capacity_row(sla, held) for sla, held in chapter.capacity.named().items()]
        columns = [
            words("sla", "SLA"),
            Column("users", "users"),
            Column("low_users", "holds at"),
            Column("high_users", "breaks at"),
            words("uncertain_at_users", "uncertain at"),
            Column("throughput_ops_per_s", "operations/s", format.figure),
            words("limited_by", "limited by"),
            Column("share_at_high", "its share within the limit there", format.share),
        ]
        shown = [
            one for one in columns if one.key != "uncertain_at_users" or any(row[one.key] for row in rows)
        ]
        return Table("verdicts", "Capacity at each SLA", shown, rows)
    if not chapter.detail:
        return None
    summary = chapter.detail.summary
    valid = summary.validity.state == "valid"
    rows = [_verdict_row(goal, valid) for goal in summary.goals.values()]
    columns = [
        words("sla", "SLA"),
        words("percent", "asks", lambda percent: f"{percent:g} % of each operation"),
        words("verdict", "verdict", mark),
        words("worst_operation", "worst operation"),
        Column("worst_share", "within its limit", format.share),
        Column("worst_window_start_s", "in the window from s", format.brief),
    ]
    return Table("verdicts", "Verdict at each SLA", columns, rows, highlight=_met)


def searched(chapter: Chapter) -> Table | None:
    """The runs of a capacity search."""
    if not chapter.capacity:
        return None
    rows = [
        {
            "folder": row.folder,
            "users": row.users,
            "valid": row.valid,
            "worst_share": row.worst_share,
            "sla_1": row.verdict.get("SLA-1"),
            "sla_2": row.verdict.get("SLA-2"),
            "throughput_ops_per_s": _rate(chapter.runs.get(row.folder)),
        }
        for row in chapter.searched
    ]
    columns = [
        words("folder", "run"),
        Column("users", "users"),
        Column("throughput_ops_per_s", "operations/s", format.figure),
        Column("worst_share", "worst operation within its limit", format.share),
        words("sla_1", "SLA-1", mark),
        words("sla_2", "SLA-2", mark),
        words("valid", "valid", format.yes),
    ]
    chosen = chapter.detail.folder.name if chapter.detail else None
    return Table(
        "runs",
        "Runs of the search, in their order",
        columns,
        rows,
        highlight=lambda row: "chosen" if Path(row["folder"]).name == chosen else "",
    )


def _rate(run: Run | None) -> float | None:
    """None of a run whose folder is not there any more."""
    return run.summary.throughput_ops_per_s if run else None


def _capacity_row(sla: str, found: Held) -> Row:
    limited = found.limited_by or LimitedBy()
    return {
        "sla": sla,
        "users": found.users,
        "low_users": found.low,
        "high_users": found.high,
        "throughput_ops_per_s": found.throughput_ops_per_s,
        "uncertain_at_users": ", ".join(format.whole(users) for users in found.noisy) or None,
        "limited_by": ", ".join(filter(None, [limited.operation, *limited.checks])) or None,
        "share_at_high": limited.share_at_high,
    }


def _verdict_row(goal: GoalFigures, valid: bool) -> Row:
    return {
        "sla": goal.name,
        "percent": 100 * goal.limit,
        "verdict": goal.verdict if valid else None,
        "worst_operation": goal.operation,
        "worst_share": goal.measured,
        "worst_window_start_s": goal.window_start_s,
    }


def _met(row: Row) -> str:
    return {"met": "good", "missed": "bad", "open": "warn"}.get(row["verdict"], "")
