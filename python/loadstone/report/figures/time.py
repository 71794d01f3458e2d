"""A run over time: throughput, failures by cause, response time, users."""

from __future__ import annotations

from loadstone.report import series
from loadstone.report.failures import spoken
from loadstone.report.figures.axes import axes, length_s, named_ends, per
from loadstone.report.figures.figure import Figure, line
from loadstone.report.figures.response import response
from loadstone.report.figures.theme import SERIES
from loadstone.report.figures.tiers import marked, tiers
from loadstone.report.folder import Run
from loadstone.report.series import Series
from loadstone.unit import Unit


def over_time(run: Run) -> list[Figure]:
    """Throughput, response time, users and the CPU of tiers, second by second; those whose table is there."""
    width = series.bin_width_s(length_s(run))
    figures = []
    if windows := run.table("windows"):
        figures.append(_throughput(run, series.throughput(windows, width), width))
        figures += _failures(run, series.failures(windows, width), width)
    if histograms := run.table("histograms"):
        sampled = series.sampled_width_s(sum(series.answered(histograms).values()), length_s(run), width)
        if sampled:
            figures.append(response(run, histograms, sampled))
    if engine := run.table("engine"):
        figures.append(_users(run, series.users(engine, width), width))
    for figure in figures:
        marked(run, figure.layout)
    return [figure for figure in [*figures, *tiers(run)] if figure.traces]


def _throughput(run: Run, lines: list[Series], width: int) -> Figure:
    answered, failed = lines
    lines = [answered, failed] if any(failed.values) else [answered]
    colours = ["@s1", "@bad"][: len(lines)]
    engine = run.table("engine") if run.summary.load.unit is Unit.REQUESTS else None
    offered = series.arrived(engine, width) if engine else None
    if offered:
        lines, colours = [offered, *lines], ["@muted", *colours]
    top = max((value for one in lines for value in one.values if value), default=1.0) * 1.08
    frame = axes(run, top, named_phases=True)
    frame["annotations"] += named_ends(lines, colours, top)
    traces = [line(one, tint, hover="%{y:.3~f} /s") for one, tint in zip(lines, colours, strict=False)]
    note = "Right answers per second of all operations" + (
        ", and failed ones in red." if any(failed.values) else "."
    )
    note += " Grey: those that arrived." if offered else ""
    return Figure("throughput", f"Throughput, operations per second{per(width)}", note, traces, frame)


def _failures(run: Run, causes: list[Series], width: int) -> list[Figure]:
    """Failed and dropped operations by cause; none where nothing failed."""
    if not causes:
        return []
    top = max(map(sum, zip(*(one.values for one in causes), strict=True))) * 1.12
    frame = axes(run, top) | {
        "barmode": "stack",
        "bargap": 0,
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
    }
    frame["margin"] = frame["margin"] | {"t": 34}
    tints = ("@bad", *SERIES)
    traces = [
        {
            "type": "bar",
            "name": spoken(one.name),
            # A bar stands on its middle.
            "x": [at + width / 2 for at in one.at_s],
            "y": [round(value or 0.0, 6) for value in one.values],
            "width": width,
            "marker": {"color": tints[index % len(tints)], "line": {"width": 0}},
            "hovertemplate": "%{y:.3~f} /s",
        }
        for index, one in enumerate(causes)
    ]
    note = f"Failed: {', '.join(spoken(one.name) for one in causes)}. Nothing else failed."
    title = f"Failed operations per second, by cause{per(width)}"
    return [Figure("failures", title, note, traces, frame)]


def _users(run: Run, lines: list[Series], width: int) -> Figure:
    top = max((value for one in lines for value in one.values if value), default=1.0) * 1.12
    frame = axes(run, top)
    colours = ["@ink", "@s1"]
    frame["annotations"] += named_ends(lines, colours, top)
    traces = [line(one, tint, hover="%{y:,.0f}") for one, tint in zip(lines, colours, strict=True)]
    if run.summary.load.unit is Unit.REQUESTS:
        note = (
            "Requests that have arrived and not ended, and those of them that are under way on a connection."
        )
        return Figure("users", f"Requests at once{per(width)}", note, traces, frame)
    if run.summary.load.unit is Unit.SESSIONS:
        note = "Sessions that live, and those of them waiting for an answer."
        return Figure("users", f"Sessions{per(width)}", note, traces, frame)
    note = "Users who have started, and those of them waiting for an answer."
    return Figure("users", f"Users{per(width)}", note, traces, frame)
