"""The tables of a capacity search: each goal, each load after all its runs, each run by itself."""

from __future__ import annotations

import re
from pathlib import Path

from loadstone.report import format
from loadstone.report.capacity_answer import ended
from loadstone.report.folder import Chapter, Run
from loadstone.report.table import Column, Row, Table, mark, words
from loadstone.stages.capacity import Capacity, Held, LimitedBy, SearchRun
from loadstone.unit import Unit


def capacity_at_goals(capacity: Capacity) -> Table:
    """What is known of the capacity at each goal, and why no more is."""
    unit = capacity.unit
    rows = [_capacity_row(goal, held, unit) for goal, held in capacity.named().items()]
    columns = [
        words("sla", "goal"),
        words("verdict", "verdict", mark),
        _load(unit),
        Column(f"low_{unit}", "holds at", format.known(unit.number)),
        Column(f"high_{unit}", "breaks at", format.known(unit.number)),
        words(f"uncertain_at_{unit}", "uncertain at"),
        Column("throughput_ops_per_s", "operations/s", format.figure),
        words("limited_by", "limited by"),
        words("resource", "resource used up"),
        Column("share_at_high", "its share as the goal asks, there", format.share),
        words("ended_by", "the search ended because"),
    ]
    seldom = ("resource", f"uncertain_at_{unit}", "ended_by")
    shown = [one for one in columns if one.key not in seldom or any(row[one.key] for row in rows)]
    return Table("verdicts", "Capacity at each goal", shown, rows)


def loads(chapter: Chapter) -> Table | None:
    """What all runs at one load say together; None without a search."""
    if not chapter.capacity:
        return None
    goals = list(chapter.capacity.named())
    rows: list[Row] = [
        {chapter.capacity.unit: load.load, "runs": load.runs}
        | {_key(goal): load.verdict.get(goal) for goal in goals}
        for load in chapter.capacity.loads
    ]
    columns = [
        _load(chapter.capacity.unit),
        Column("runs", "runs"),
        *(words(_key(goal), goal, mark) for goal in goals),
    ]
    note = (
        "Only runs that are evidence count. A goal that is met bounds the capacity from below, one that is "
        "missed from above."
    )
    return Table("loads", "Each load, after all its runs", columns, rows, note)


def searched(chapter: Chapter) -> Table | None:
    """Each run by itself: its verdicts are its own, not those of the search at that moment."""
    if not chapter.capacity:
        return None
    goals = list(chapter.capacity.named())
    unit = chapter.capacity.unit
    rows = [_run_row(row, chapter.runs.get(row.folder), goals, unit) for row in chapter.searched]
    columns = [
        words("folder", "run"),
        _load(unit),
        words("state", "the run is"),
        Column("throughput_ops_per_s", "operations/s", format.figure),
        Column("worst_share", "worst operation within its limit", format.share),
        *(words(_key(goal), goal, mark) for goal in goals),
        *(
            Column(f"{_key(goal)}_{end}", f"{goal} {word}", format.share)
            for goal in goals
            for end, word in (("low", "from"), ("high", "to"))
        ),
    ]
    shown = [
        one
        for one in columns
        if not one.key.endswith(("_low", "_high")) or any(row[one.key] is not None for row in rows)
    ]
    chosen = chapter.detail.folder.name if chapter.detail else None
    return Table(
        "runs",
        "Runs of the search, in their order",
        shown,
        rows,
        "Each run by itself. What all runs at its load say together stands above.",
        highlight=lambda row: "chosen" if Path(row["folder"]).name == chosen else "",
    )


def _run_row(row: SearchRun, run: Run | None, goals: list[str], unit: Unit) -> Row:
    """Of a run whose folder is gone, only what the search wrote down is known."""
    own = run.summary.goals if run else {}
    found = {
        "folder": row.folder,
        unit: row.load,
        "state": row.state_said,
        "throughput_ops_per_s": run.summary.throughput_ops_per_s if run else None,
        "worst_share": row.worst_share,
    }
    for goal in goals:
        found[_key(goal)] = _own_verdict(row, run, goal)
        found[f"{_key(goal)}_low"] = own[goal].low if goal in own else None
        found[f"{_key(goal)}_high"] = own[goal].high if goal in own else None
    return found


def _own_verdict(row: SearchRun, run: Run | None, goal: str) -> str | None:
    """None of a run that says nothing of the service, and where the run's own verdict was not kept."""
    if row.state == "invalid" or not row.judged:
        return None
    if run and goal in run.summary.goals:
        return run.summary.goals[goal].verdict
    return row.verdict.get(goal)


def _key(goal: str) -> str:
    return re.sub("[^a-z0-9]+", "_", goal.lower()).strip("_")


def _load(unit: Unit) -> Column:
    return Column(unit, unit.words, format.known(unit.number))


def _capacity_row(goal: str, held: Held, unit: Unit) -> Row:
    limited = held.limited_by or LimitedBy()
    return {
        "sla": goal,
        "verdict": held.verdict,
        unit: held.load,
        f"low_{unit}": held.low,
        f"high_{unit}": held.high,
        "throughput_ops_per_s": held.throughput_ops_per_s,
        f"uncertain_at_{unit}": ", ".join(map(unit.number, held.noisy)) or None,
        "limited_by": ", ".join(filter(None, [limited.operation, *limited.checks])) or None,
        "resource": limited.resource and limited.resource.said,
        "share_at_high": limited.share_at_high,
        "ended_by": ended(held) or None,
    }
