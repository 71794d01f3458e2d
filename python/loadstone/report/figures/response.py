"""Response time over time: of all operations together, and of each beside its limit."""

from __future__ import annotations

import math
from pathlib import Path

from loadstone.report import format, series
from loadstone.report.figures.axes import HEIGHT, axes, length_s, per, tail
from loadstone.report.figures.figure import Figure, Layout, end_labels, label, line, log_time_axis, rule
from loadstone.report.folder import Run
from loadstone.report.series import Series

SMALL = 190
_SMALL_BINS = 150
"""Points that a small chart has at most."""

_TINTS = ("@s1", "@s3", "@s2")


def response(run: Run, histograms: Path, width: int) -> Figure:
    """p50, p90 and p99 of all operations in bins of `width` seconds."""
    lines = series.response_percentiles(histograms, width)
    frame = axes(run, 1.0)
    _draw_on(frame, lines, _axis([lines], []), HEIGHT)
    note = (
        "Half, 90 % and 99 % of the answers came within these times; log scale. "
        "Gaps: too few answers to tell."
    )
    title = f"Response time, all operations{per(width)}"
    return Figure("response", title, note, _traces(lines), frame)


def responses(run: Run) -> list[Figure]:
    """The same of each operation with answers enough, on one axis of times."""
    table = run.table("histograms")
    if not table:
        return []
    length, counts = length_s(run), series.answered(table)
    least = math.ceil(length / _SMALL_BINS)
    widths = {
        name: width
        for name in run.summary.operations
        if (width := series.sampled_width_s(counts.get(name, 0), length, least))
    }
    found = {name: series.response_percentiles(table, width, name) for name, width in widths.items()}
    limits = [run.summary.operations[name].limit_s for name in found]
    axis = _axis(list(found.values()), limits) if found else {}
    return [_response(run, name, lines, axis, widths[name]) for name, lines in found.items()]


def _response(run: Run, name: str, lines: list[Series], axis: Layout, width: int) -> Figure:
    limit = run.summary.operations[name].limit_s
    frame = axes(run, 1.0, height=SMALL)
    frame["margin"] = frame["margin"] | {"r": 34}
    frame["xaxis"] |= {"nticks": 5}
    _draw_on(frame, lines, axis, SMALL)
    frame["shapes"].append(rule("@muted", y=limit))
    words = f"limit {format.seconds(limit)}"
    frame["annotations"].append(
        label(words, "@muted", x=0.01, y=math.log10(limit), size=11, yref="y", yanchor="bottom")
    )
    note = f"Its limit is {format.seconds(limit)}{per(width) or ' (each point is 1 s)'}."
    return Figure(f"response-{name}", name, note, _traces(lines), frame)


def _axis(charts: list[list[Series]], limits: list[float]) -> Layout:
    values = [value for lines in charts for one in lines for value in one.values if value] + limits
    return log_time_axis(min(values) * 0.8, max(values) * 1.4)


def _draw_on(frame: Layout, lines: list[Series], axis: Layout, height: int) -> None:
    """Gives the frame the axis of times, and the lines' names at their ends."""
    frame["yaxis"] = frame["yaxis"] | axis
    low, high = axis["range"]
    ends = [
        (one.name, tint, (math.log10(last) - low) / (high - low))
        for one, tint in zip(lines, _TINTS, strict=True)
        if (last := tail(one))
    ]
    frame["annotations"] += end_labels(ends, height)


def _traces(lines: list[Series]) -> list[dict[str, object]]:
    return [
        line(one, tint, hover="%{y:.3~s}s", width=1.3)
        for one, tint in zip(lines, _TINTS, strict=True)
        if any(one.values)
    ]
