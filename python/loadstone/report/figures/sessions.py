"""What became of sessions: completed and lost over time, and how long the completed ones lived."""

from __future__ import annotations

import math

from loadstone.report import series
from loadstone.report.figures.axes import axes, length_s, named_ends, per
from loadstone.report.figures.figure import Figure, layout, line
from loadstone.report.figures.theme import colour
from loadstone.report.folder import Run

HEIGHT = 190
BARS = 24
"""Bars that a histogram of lives has at most."""


def ended(run: Run) -> list[Figure]:
    """Sessions completed a second, and lost by cause; none where the run has no table of them."""
    table = run.table("sessions")
    if not table:
        return []
    width = series.bin_width_s(length_s(run))
    lines = series.sessions(table, width)
    top = max((value for one in lines for value in one.values if value), default=0.0) * 1.12
    if not top:
        return []
    frame = axes(run, top, named_phases=True)
    tints = ["@s1", *(colour(index) for index in range(1, len(lines)))]
    frame["annotations"] += named_ends(lines, tints, top)
    traces = [line(one, tint, hover="%{y:.1f} a second") for one, tint in zip(lines, tints, strict=True)]
    note = "Completed, or lost by the failure of an operation; each in the second in which it ended."
    return [Figure("sessions-ended", f"Sessions ended a second{per(width)}", note, traces, frame)]


def lives(run: Run) -> list[Figure]:
    """How long the completed sessions that began in the steady state lived."""
    table = run.table("histograms")
    found = series.lives(table) if table else []
    if sum(count for _, count in found) < series.LEAST:
        return []
    high = found[-1][0]
    # Bars of equal width, of milliseconds that a person would choose.
    rough = max(high / BARS, 0.001)
    power = 10 ** math.floor(math.log10(rough))
    width = next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
    counts = [0] * (math.floor(high / width) + 1)
    for life, count in found:
        counts[min(math.floor(life / width), len(counts) - 1)] += count
    frame = layout(
        HEIGHT,
        right=14,
        xaxis={
            "range": [0, len(counts) * width],
            "title": {"text": "life, seconds", "standoff": 6, "font": {"size": 12}},
        },
        yaxis={"range": [0, max(counts) * 1.1], "nticks": 4},
        hovermode="closest",
    )
    trace = {
        "type": "bar",
        "name": "completed",
        "x": [(number + 0.5) * width for number in range(len(counts))],
        "y": counts,
        "width": width * 0.92,
        "marker": {"color": "@s1"},
        "hovertemplate": "%{y:,.0f} sessions<extra></extra>",
    }
    note = f"Each bar is {width:g} s wide."
    return [Figure("sessions-life", "Life of the completed sessions", note, [trace], frame)]
