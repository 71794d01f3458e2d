"""The load against the share within the limit, and against response time: where the knee is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from loadstone.report import format
from loadstone.report.figures.figure import (
    Figure,
    Layout,
    Trace,
    band,
    end_labels,
    label,
    layout,
    log_time_axis,
    rule,
)
from loadstone.report.folder import Chapter, Run
from loadstone.stages.capacity import Capacity, Held, SearchRun
from loadstone.stages.run_operations import OperationFigures
from loadstone.unit import Unit

HEIGHT = 340
SMALL = 190
MOST_NINES = 4.0
"""Shares of 99.99 % and more are drawn at the top: a few minutes' operations cannot tell them apart."""

SLAS = (("SLA-1", 0.90, "@s1", "@band-1"), ("SLA-2", 0.99, "@s3", "@band-2"))
_OWN = ("@s4", "@s5", "@s6")
"""Colours of goals of one's own, whose capacity is a dashed line."""
_LINE = 15
"""Pixels of a line of words above the plot."""
_LONGEST = 46
"""Letters of such a line, that a phone has room for."""


def shares(chapter: Chapter) -> Figure | None:
    """The share within its limit, each operation and the worst, of every run of the search."""
    capacity = chapter.capacity
    rows = sorted(chapter.searched, key=lambda row: (row.load, row.folder))
    points = [row for row in rows if row.judged and row.worst_share is not None]
    if not capacity or not points:
        return None
    unit = capacity.unit
    frame = _frame([row.load for row in rows], unit, HEIGHT)
    ticks = [0, 0.5, 0.9, 0.99, 0.999, 0.9999]
    frame["yaxis"] |= {
        "range": [-0.08, MOST_NINES + 0.25],
        "tickvals": [_nines(tick) for tick in ticks],
        "ticktext": ["0 %", "50 %", "90 %", "99 %", "99.9 %", "≥ 99.99 %"],
    }
    own = len(capacity.goals)
    frame["margin"] = frame["margin"] | {"l": 74, "r": 58, "t": 40 + _LINE * own}
    frame["height"] += _LINE * own
    frame["hovermode"] = "closest"
    traces = [_operation(name, points, unit) for name in _operations(points)] + _worst(points, unit)
    if invalid := [row for row in rows if not row.judged and row.worst_share is not None]:
        traces.append(_invalid(invalid, unit))
    _mark_slas(frame, capacity)
    last = _means(_worst_shares(points))[-1][1]
    top = MOST_NINES + 0.33
    ends = [("worst", "@ink", (_nines(last) + 0.08) / top)]
    ends += [(sla, tint, (_nines(percent) + 0.08) / top) for sla, percent, tint, _ in SLAS]
    frame["annotations"] += end_labels(ends, HEIGHT)
    note = (
        "Each point is a run's worst operation, the line their mean; grey lines are all operations. "
        "Where the worst falls below an SLA's line is the knee; the shaded band holds the capacity. "
        "The scale spreads the nines: each step up is ten times fewer late or failed."
    )
    return Figure("shares", f"Share within the limit, against {unit.words}", note, traces, frame)


def throughput(chapter: Chapter) -> Figure | None:
    """Throughput of every valid run against its load."""
    points = [
        (run.load, run.summary.throughput_ops_per_s)
        for run in _judged_runs(chapter)
        if run.summary.throughput_ops_per_s is not None
    ]
    if not chapter.capacity or not points:
        return None
    unit = chapter.capacity.unit
    frame = _frame([load for load, _ in points], unit, SMALL, right=14)
    frame["yaxis"] |= {"range": [0, max(rate for _, rate in points) * 1.12 or 1], "nticks": 5}
    frame["shapes"] = _bands(chapter.capacity)
    traces = _points(points, "operations/s", "@s1", f"%{{x:,}} {unit.words}: %{{y:.3~f}} operations/s")
    note = "Right answers per second in the steady state of each run that was judged."
    return Figure("throughput-users", "Throughput, operations/s", note, traces, frame, quiet=True)


def responses(chapter: Chapter) -> list[Figure]:
    """p90 and p99 of each operation against the load, with its limit, on one common axis."""
    runs = _judged_runs(chapter)
    names = list(dict.fromkeys(name for run in runs for name in run.summary.operations))
    values = [
        value / 1000
        for run in runs
        for operation in run.summary.operations.values()
        for value in (_response_ms(operation, p) for p in ("p90", "p99"))
        if value
    ]
    if not chapter.capacity or not values:
        return []
    limits = [one.limit_s for run in runs for one in run.summary.operations.values() if one.limit_s]
    axis = log_time_axis(min(values) * 0.7, max(values + limits) * 1.5, most=5)
    return [_response(chapter, chapter.capacity, name, axis) for name in names]


def _response(chapter: Chapter, capacity: Capacity, name: str, axis: Layout) -> Figure:
    runs = [run for run in _judged_runs(chapter) if name in run.summary.operations]
    operations = [(run.load, run.summary.operations[name]) for run in runs]
    unit = capacity.unit
    frame = _frame([run.load for run in _judged_runs(chapter)], unit, SMALL, right=34)
    frame["yaxis"] |= axis
    frame["shapes"] = _bands(capacity)
    low, high = axis["range"]
    traces, ends = [], []
    for percentile, tint in (("p90", "@s1"), ("p99", "@s3")):
        points = [
            (load, ms / 1000) for load, operation in operations if (ms := _response_ms(operation, percentile))
        ]
        if points:
            traces += _points(points, percentile, tint, f"%{{x:,}} {unit.words}: %{{y:.3~s}}s")
            last = _means(points)[-1][1]
            ends.append((percentile, tint, (math.log10(last) - low) / (high - low)))
    frame["annotations"] = end_labels(ends, SMALL)
    limit = operations[0][1].limit_s if operations else None
    note = "p90 and p99 of each run that was judged."
    if limit:
        frame["shapes"].append(rule("@s2", y=limit))
        at = math.log10(limit)
        words = f"limit {format.seconds(limit)}"
        frame["annotations"].append(label(words, "@s2", x=0.01, y=at, size=11, yref="y", yanchor="bottom"))
        note = f"p90 and p99 of each run that was judged; the limit is {format.seconds(limit)}."
    return Figure("response-users", name, note, traces, frame, quiet=True)


def _response_ms(operation: OperationFigures, percentile: str) -> float | None:
    times = operation.response_ms
    return {"p90": times.p90, "p99": times.p99}[percentile] if times else None


def _judged_runs(chapter: Chapter) -> list[Run]:
    valid = {row.folder for row in chapter.searched if row.judged}
    found = [(run.load, folder, run) for folder, run in chapter.runs.items() if folder in valid]
    return [run for _, _, run in sorted(found, key=lambda entry: entry[:2])]


def _frame(loads: Iterable[float], unit: Unit, height: int, right: int = 76) -> Layout:
    most = max(loads, default=1)
    return layout(
        height,
        right=right,
        xaxis={
            "range": [0, most * 1.05],
            "title": {"text": unit.words, "standoff": 6, "font": {"size": 12}},
        },
    )


def _operations(rows: list[SearchRun]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.shares))


def _operation(name: str, rows: list[SearchRun], unit: Unit) -> Trace:
    points = _means([(row.load, share) for row in rows if (share := row.shares.get(name)) is not None])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [load for load, _ in points],
        "y": [_nines(value) for _, value in points],
        "text": [format.share(value) for _, value in points],
        "line": {"color": "@faint", "width": 1},
        "hovertemplate": f"%{{x:,}} {unit.words}: %{{text}}",
    }


def _worst(rows: list[SearchRun], unit: Unit) -> list[Trace]:
    found = _worst_shares(rows)
    means = _means(found)
    line = _line([(load, _nines(share)) for load, share in means], "@ink", 1.8)
    points = {
        "type": "scatter",
        "mode": "markers",
        "name": "worst operation",
        "x": [load for load, _ in found],
        "y": [_nines(share) for _, share in found],
        "text": [format.share(share) for _, share in found],
        "marker": {"color": "@ink", "size": 7},
        "hovertemplate": f"%{{x:,}} {unit.words}: %{{text}}",
    }
    return [line, points]


def _worst_shares(rows: list[SearchRun]) -> list[tuple[float, float]]:
    return [(row.load, row.worst_share) for row in rows if row.worst_share is not None]


def _invalid(rows: list[SearchRun], unit: Unit) -> Trace:
    found = _worst_shares(rows)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "not judged",
        "x": [load for load, _ in found],
        "y": [_nines(share) for _, share in found],
        "marker": {"color": "@bad", "size": 9, "symbol": "x-thin", "line": {"color": "@bad", "width": 2}},
        "hovertemplate": f"%{{x:,}} {unit.words}: not judged",
    }


def _points(points: list[tuple[float, float]], name: str, tint: str, hover: str) -> list[Trace]:
    """Every run is a point. The line goes through the means of the runs at each load."""
    markers = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "marker": {"color": tint, "size": 5},
        "hovertemplate": hover,
    }
    return [_line(_means(points), tint, 1.6), markers]


def _line(points: list[tuple[float, float]], tint: str, width: float) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "line": {"color": tint, "width": width},
        "hoverinfo": "skip",
    }


def _means(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The mean of the runs at each load.

    >>> _means([(10, 1.0), (20, 0.5), (20, 0.25)])
    [(10, 1.0), (20, 0.375)]
    """
    values: dict[float, list[float]] = {}
    for load, value in points:
        values.setdefault(load, []).append(value)
    return [(load, sum(each) / len(each)) for load, each in sorted(values.items())]


def _mark_slas(frame: Layout, capacity: Capacity) -> None:
    """The SLAs' lines across, and above the plot the capacity of each with its band below."""
    frame["shapes"] = _bands(capacity)
    for index, (sla, percent, tint, _) in enumerate(SLAS):
        frame["shapes"].append(rule(tint, y=_nines(percent)))
        found = capacity.named().get(sla)
        if found and found.load:
            where = {"x": found.load, "xref": "x", "xanchor": "center"}
            frame["annotations"].append(_above(sla, found, capacity.unit, tint, index, **where))
    for index, (name, found, tint) in enumerate(_own(capacity), len(SLAS)):
        frame["annotations"].append(_above(name, found, capacity.unit, tint, index, x=0))


def _above(goal: str, found: Held, unit: Unit, tint: str, line: int, **where: Any) -> dict[str, Any]:
    """The capacity at a goal in words, in a line above the plot."""
    load = f": {unit.amount(found.load or 0)}"
    if found.low and found.high:
        load += f" ({unit.number(found.low)}–{unit.number(found.high)})"
    room = _LONGEST - len(load)
    name = goal if len(goal) <= room else f"{goal[: room - 1]}…"
    return label(name + load, tint, y=1.0, yanchor="bottom", yshift=2 + _LINE * line, **where)


def _own(capacity: Capacity) -> list[tuple[str, Held, str]]:
    """Goals of one's own that some load holds, each with its colour."""
    goals = enumerate(capacity.goals.items())
    return [(name, found, _OWN[at % len(_OWN)]) for at, (name, found) in goals if found.load]


def _bands(capacity: Capacity) -> list[dict[str, Any]]:
    """The span from the most load that holds each goal to the least that breaks it."""
    spans = []
    for sla, _, tint, fill in SLAS:
        found = capacity.named().get(sla)
        if found and found.load:
            spans.append(rule(tint, x=found.load, dash="1px,0px"))
            if found.high:
                spans.append(band(found.low or 0, found.high, fill))
    for _, found, tint in _own(capacity):
        spans.append(rule(tint, x=found.load))
        if found.high:
            spans.append(band(found.low or 0, found.high, "@shade"))
    return spans


def _nines(share: float) -> float:
    """A share as its number of nines, at most `MOST_NINES`.

    >>> [round(_nines(share), 3) for share in (0, 0.5, 0.9, 0.99, 1)]
    [0.0, 0.301, 1.0, 2.0, 4.0]
    """
    return MOST_NINES if share >= 1 - 10**-MOST_NINES else math.log10(1 / (1 - share))
