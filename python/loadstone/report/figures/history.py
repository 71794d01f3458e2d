"""A figure over a history of runs, with its levels and the places where they change."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report.differences import points, ratio
from loadstone.report.figures.figure import Figure, Trace, layout, rule
from loadstone.report.format import moment
from loadstone.stages.compare import Change, History, HistorySeries

HEIGHT = 200
_TINTS = {"faster": "@good", "better": "@good", "slower": "@bad", "worse": "@bad"}


def changed(found: History) -> list[Figure]:
    """The figures whose level changed, in the order of their changes."""
    named = {(one.operation, one.figure): one for one in found.figures}
    order = dict.fromkeys((one.operation, one.figure) for one in found.changes)
    return [_figure(found, named[key]) for key in order if key in named]


def unchanged(found: History) -> list[Figure]:
    """The throughput and each operation's mean, of those figures that show no change."""
    moved = {(one.operation, one.figure) for one in found.changes}
    shown = (one for one in found.figures if one.figure in ("mean", "throughput"))
    return [_figure(found, one) for one in shown if (one.operation, one.figure) not in moved]


def told(series: HistorySeries | Change) -> str:
    """Which figure of which operation: `Search: p90`."""
    return f"{'all operations' if series.operation == '*' else series.operation}: {series.figure}"


def said(change: Change) -> str:
    """What changed in a clause: `slower, 1.25 (1.2–1.3) of before`."""
    by = (
        f"{ratio(change.ratio)} of before"
        if change.ratio
        else points(change.difference)
        if change.difference
        else ""
    )
    return f"{change.said}, {by}"


def _figure(found: History, series: HistorySeries) -> Figure:
    changes = [
        one for one in found.changes if (one.operation, one.figure) == (series.operation, series.figure)
    ]
    runs = [one.run for one in found.runs]
    starts = [runs.index(one.since.run) for one in changes]
    count = len(series.values)
    frame = layout(
        HEIGHT,
        right=20,
        xaxis={
            "range": [0.5, count + 0.5],
            "title": {"text": "run, in the order of time", "standoff": 8, "font": {"size": 12}},
            "tickformat": "d",
            "nticks": 5,
        },
        yaxis={"rangemode": "tozero", "nticks": 5},
        hovermode="closest",
    )
    frame["shapes"] = [
        rule(_TINTS.get(one.said, "@muted"), x=at + 0.5) for at, one in zip(starts, changes, strict=True)
    ]
    traces = [_values(found, series), *_levels(changes, starts, count)]
    note = " ".join(
        f"Since run {at + 1} ({_when(one)}): {said(one)}." for at, one in zip(starts, changes, strict=True)
    )
    unit = series.unit.replace("operations/s", "operations per second")
    return Figure(
        "history", f"{told(series)}, {unit}", note or "No change shown.", traces, frame, quiet=not note
    )


def _when(change: Change) -> str:
    return moment(change.since.started_at or change.since.run)


def _values(found: History, series: HistorySeries) -> Trace:
    return {
        "type": "scatter", "mode": "lines+markers", "name": series.figure,
        "x": list(range(1, len(series.values) + 1)), "y": [round(value, 6) for value in series.values],
        "text": [f"{one.run}, {moment(one.started_at)}" for one in found.runs],
        "line": {"color": "@faint", "width": 1}, "marker": {"color": "@s1", "size": 6},
        "hovertemplate": "%{text}: %{y:.4~g}<extra></extra>",
    }  # fmt: skip


def _levels(changes: Sequence[Change], starts: Sequence[int], count: int) -> list[Trace]:
    """A line for each level, from its first run to its last one."""
    if not changes:
        return []
    ends = [0, *starts, count]
    values = [changes[0].old.value, *(one.new.value for one in changes)]
    return [
        {
            "type": "scatter", "mode": "lines", "name": "level", "x": [begin + 0.5, end + 0.5],
            "y": [value, value], "line": {"color": "@s2", "width": 2.4}, "hoverinfo": "skip",
        }
        for begin, end, value in zip(ends, ends[1:], values, strict=False)
    ]  # fmt: skip
