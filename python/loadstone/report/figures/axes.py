"""The frame of every chart over time: ramps shaded, the steady state in the clear, names at the ends."""

from __future__ import annotations

from typing import Any

from loadstone.report.figures.figure import Layout, band, end_labels, label, layout
from loadstone.report.folder import Run
from loadstone.report.series import Series
from loadstone.stages.run import Steady
from loadstone.unit import Unit

HEIGHT = 230


def axes(run: Run, top: float, *, named_phases: bool = False, height: int = HEIGHT) -> Layout:
    """Axes from 0 to `top` over the whole run, ramps shaded."""
    end = length_s(run)
    steady = run.summary.steady or Steady(start_s=run.summary.load.ramp_up_s, end_s=end)
    steady_start, steady_end = min(steady.start_s, end), min(steady.end_s, end)
    frame = layout(
        height,
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
    found = [(one.name, tint, tail(one)) for one, tint in zip(lines, tints, strict=False)]
    return end_labels([(name, tint, value / top) for name, tint, value in found if value is not None], HEIGHT)


def tail(one: Series) -> float | None:
    """The mean of a line's last known values, for its label: one jagged second must not place it."""
    known = [value for value in one.values if value is not None][-8:]
    return sum(known) / len(known) if known else None


def length_s(run: Run) -> float:
    """The length of the run; of one that ended early, up to where it got."""
    load, steady, sessions = run.summary.load, run.summary.steady, run.summary.sessions
    planned = load.ramp_up_s + load.steady_s + load.ramp_down_s
    if load.unit is Unit.SESSIONS and sessions and sessions.whole_run.seconds is not None:
        # Such a run ends with its last session.
        return float(sessions.whole_run.seconds)
    if run.summary.outcome == "complete" or steady is None:
        return float(planned)
    return float(min(planned, steady.end_s + load.ramp_down_s))


def per(width: int) -> str:
    """What the title says of bins wider than a second."""
    return f" (each point is {width} s)" if width > 1 else ""
