"""A run over time: throughput, response time, users, CPU; the steady state in the clear, ramps shaded."""

from __future__ import annotations

import math
from typing import Any

from loadstone.report import series
from loadstone.report.figures.figure import (
    Figure,
    Layout,
    band,
    end_labels,
    label,
    layout,
    line,
    log_time_axis,
)
from loadstone.report.figures.theme import colour
from loadstone.report.folder import Run
from loadstone.report.series import Series
from loadstone.stages.run import Steady

HEIGHT = 230

ROLE_NAMES = {"sut": "SUT", "generator": "generator", "database": "database", "host": "whole host"}
ROLE_COLOURS = {"sut": "@s1", "generator": "@s2", "database": "@s4", "host": "@muted"}


def over_time(run: Run) -> list[Figure]:
    """Throughput, response time and users, second by second; those whose table is there."""
    width = series.bin_width_s(length_s(run))
    figures = []
    if windows := run.table("windows"):
        figures.append(_throughput(run, series.throughput(windows, width), width))
    if histograms := run.table("histograms"):
        figures.append(_response(run, series.response_percentiles(histograms, width), width))
    if engine := run.table("engine"):
        figures.append(_users(run, series.users(engine, width), width))
    return [figure for figure in figures if figure.traces]


def hosts(run: Run) -> list[Figure]:
    """CPU and memory by process, disk and network of the host."""
    table = run.table("hosts")
    if not table:
        return []
    width = series.bin_width_s(length_s(run))
    cpu = series.host_metric(table, "cpu_cores", width)
    memory = _scaled(series.host_metric(table, "rss_bytes", width), 1 / 2**20)
    figures = [
        _by_role(
            run,
            "cpu",
            f"CPU, cores busy of {run.summary.machine.cores or 'all'}",
            "cores",
            cpu,
            width,
        ),
        _by_role(run, "memory", "Memory, resident MiB", "MiB", memory, width),
        _host_traffic(
            run, "network", "Network of the host, MiB/s", ("rx", "tx"), ("received", "sent"), width
        ),
        _host_traffic(run, "disk", "Disk of the SUT, MiB/s", ("read", "write"), ("read", "written"), width),
    ]
    return [figure for figure in figures if figure.traces]


def _throughput(run: Run, lines: list[Series], width: int) -> Figure:
    answered, failed = lines
    lines = [answered, failed] if any(failed.values) else [answered]
    colours = ["@s1", "@bad"]
    top = max((value for value in answered.values if value), default=1.0) * 1.08
    frame = axes(run, top, named_phases=True)
    frame["annotations"] += named_ends(lines, colours, top)
    traces = [line(one, tint, hover="%{y:.3~f} /s") for one, tint in zip(lines, colours, strict=False)]
    note = "Right answers per second of all operations" + (
        ", and failed ones in red." if len(lines) > 1 else "."
    )
    return Figure("throughput", f"Throughput, operations per second{per(width)}", note, traces, frame)


def _response(run: Run, lines: list[Series], width: int) -> Figure:
    values = [value for one in lines for value in one.values if value]
    if not values:
        return Figure("response", "", "", [], {})
    low, high = min(values) * 0.8, max(values) * 1.25
    axis = log_time_axis(low, high)
    frame = axes(run, 1.0)
    frame["yaxis"] = frame["yaxis"] | axis
    tints = ("@s1", "@s3", "@s2")
    bottom, top = axis["range"]
    ends = []
    for one, tint in zip(lines, tints, strict=True):
        if tail := _tail(one):
            ends.append((one.name, tint, (math.log10(tail) - bottom) / (top - bottom)))
    frame["annotations"] += end_labels(ends, HEIGHT)
    traces = [line(one, tint, hover="%{y:.3~s}s", width=1.3) for one, tint in zip(lines, tints, strict=True)]
    note = "Half, 90 % and 99 % of a second's answers came within these times; log scale. Gaps: no answers."
    return Figure("response", f"Response time, all operations{per(width)}", note, traces, frame)


def _users(run: Run, lines: list[Series], width: int) -> Figure:
    top = max((value for one in lines for value in one.values if value), default=1.0) * 1.12
    frame = axes(run, top)
    colours = ["@ink", "@s1"]
    frame["annotations"] += named_ends(lines, colours, top)
    traces = [line(one, tint, hover="%{y:,.0f}") for one, tint in zip(lines, colours, strict=True)]
    if run.summary.load.sessions_per_s is not None:
        note = "Sessions that live, and those of them waiting for an answer."
        return Figure("users", f"Sessions{per(width)}", note, traces, frame)
    note = "Users who have started, and those of them waiting for an answer."
    return Figure("users", f"Users{per(width)}", note, traces, frame)


def _by_role(run: Run, slug: str, title: str, unit: str, lines: list[Series], width: int) -> Figure:
    top = max((value for one in lines for value in one.values if value), default=0.0) * 1.12
    if not top:
        return Figure(slug, title, "", [], {})
    tints = [ROLE_COLOURS.get(one.name, colour(4)) for one in lines]
    named = [Series(ROLE_NAMES.get(one.name, one.name), one.at_s, one.values) for one in lines]
    frame = axes(run, top)
    frame["annotations"] += named_ends(named, tints, top)
    traces = [line(one, tint, hover=f"%{{y:.3~f}} {unit}") for one, tint in zip(named, tints, strict=True)]
    return Figure(slug, f"{title}{per(width)}", f"Of {', '.join(one.name for one in named)}.", traces, frame)


def _host_traffic(
    run: Run, slug: str, title: str, metrics: tuple[str, str], names: tuple[str, str], width: int
) -> Figure:
    role = "host" if slug == "network" else "sut"
    table = run.table("hosts")
    assert table is not None
    lines = []
    for metric, name in zip(metrics, names, strict=True):
        found = [one for one in series.host_metric(table, f"{metric}_bytes_per_s", width) if one.name == role]
        lines += [Series(name, one.at_s, one.values) for one in _scaled(found, 1 / 2**20)]
    top = max((value for one in lines for value in one.values if value), default=0.0) * 1.12
    if not top:
        return Figure(slug, title, "", [], {})
    frame = axes(run, top)
    frame["annotations"] += named_ends(lines, ["@s1", "@s2"], top)
    traces = [line(one, colour(index), hover="%{y:.3~f} MiB/s") for index, one in enumerate(lines)]
    return Figure(slug, f"{title}{per(width)}", f"Bytes {' and '.join(names)}.", traces, frame)


def axes(run: Run, top: float, *, named_phases: bool = False) -> Layout:
    """Axes from 0 to `top` over the whole run, ramps shaded."""
    end = length_s(run)
    steady = run.summary.steady or Steady(start_s=run.summary.load.ramp_up_s, end_s=end)
    steady_start, steady_end = min(steady.start_s, end), min(steady.end_s, end)
    frame = layout(
        HEIGHT,
        xaxis={
            "range": [0, end],
            "title": {"text": "seconds since the run began", "standoff": 8, "font": {"size": 12}},
        },
        yaxis={"range": [0, top], "nticks": 5},
    )
    frame["shapes"] = [band(0, steady_start, "@shade"), band(steady_end, end, "@shade")]
    spans = [
        ("ramp-up", 0, steady_start),
        ("steady state", steady_start, steady_end),
        ("ramp-down", steady_end, end),
    ]
    if named_phases:
        frame["annotations"] = [
            label(
                name,
                "@muted",
                x=(start + stop) / 2,
                y=0.03,
                size=11,
                xref="x",
                xanchor="center",
                yanchor="bottom",
            )
            for name, start, stop in spans
            if stop - start > 0.12 * end
        ]
    return frame


def named_ends(lines: list[Series], tints: list[str], top: float) -> list[dict[str, Any]]:
    """The lines' names at their right ends, on a scale up to `top`."""
    found = [(one.name, tint, _tail(one)) for one, tint in zip(lines, tints, strict=False)]
    return end_labels([(name, tint, value / top) for name, tint, value in found if value is not None], HEIGHT)


def _tail(one: Series) -> float | None:
    """The mean of a line's last known values, for its label: one jagged second must not place it."""
    known = [value for value in one.values if value is not None][-8:]
    return sum(known) / len(known) if known else None


def length_s(run: Run) -> float:
    """The length of the run; of one that ended early, up to where it got."""
    load, steady, sessions = run.summary.load, run.summary.steady, run.summary.sessions
    planned = load.ramp_up_s + load.steady_s + load.ramp_down_s
    if load.sessions_per_s is not None and sessions and sessions.whole_run.seconds is not None:
        # Such a run ends with its last session.
        return float(sessions.whole_run.seconds)
    if run.summary.outcome == "complete" or steady is None:
        return float(planned)
    return float(min(planned, steady.end_s + load.ramp_down_s))


def _scaled(lines: list[Series], factor: float) -> list[Series]:
    return [Series(one.name, one.at_s, [v if v is None else v * factor for v in one.values]) for one in lines]


def per(width: int) -> str:
    """What the title says of bins wider than a second."""
    return f" (each point is {width} s)" if width > 1 else ""
