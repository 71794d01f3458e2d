"""What a log says: replay beside what was held out, sessions against the cut-off, arrivals by hour."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.figures.figure import Figure, layout, plain, rule
from loadstone.stages.learn import Learned

_HEIGHT = 220


def rates(record: Learned) -> Figure:
    """Visits per session of each operation: held out with its interval, and in a replay."""
    shown = record.held_out.rates[:20]
    names = [plain(one.operation) for one in shown]
    seen = [one.per_session for one in shown]
    frame = layout(max(_HEIGHT, 60 + 22 * len(shown)), right=20, hovermode="closest", margin={"l": 150})
    frame["yaxis"] |= {"autorange": "reversed", "type": "category"}
    frame["xaxis"] |= {"rangemode": "tozero", "title": {"text": "visits per session", "standoff": 8}}
    held = {
        "type": "scatter", "mode": "markers", "name": "held out", "y": names,
        "x": [one.value for one in seen], "marker": {"color": "@s1", "size": 8},
        "error_x": {
            "type": "data", "symmetric": False, "color": "@s1",
            "array": [(one.high or one.value) - one.value for one in seen],
            "arrayminus": [one.value - (one.low or 0.0) for one in seen],
        },
        "hovertemplate": "%{y}: %{x:.3f} held out<extra></extra>",
    }  # fmt: skip
    replay = {
        "type": "scatter", "mode": "markers", "name": "replay", "y": names,
        "x": [one.per_session_replayed for one in shown],
        "marker": {
            "color": "@s2", "size": 10, "symbol": "line-ns-open", "line": {"width": 2, "color": "@s2"},
        },
        "hovertemplate": "%{y}: %{x:.3f} in a replay<extra></extra>",
    }  # fmt: skip
    note = "Dots: clients held out, with 95 % intervals. Strokes: a replay of the scenario."
    return Figure("rates", "Visits of each operation per session", note, [held, replay], frame)


def sensitivity(record: Learned) -> Figure:
    """Sessions against the cut-off."""
    tried = record.cutoff.sensitivity
    frame = layout(_HEIGHT, right=20, hovermode="closest")
    frame["xaxis"] |= {
        "type": "log", "tickvals": [one.cutoff_s for one in tried],
        "ticktext": [format.seconds(one.cutoff_s) for one in tried],
        "title": {"text": "cut-off", "standoff": 8},
    }  # fmt: skip
    frame["yaxis"] |= {"rangemode": "tozero", "nticks": 5, "tickformat": ","}
    # A vertical line stands at the logarithm on such an axis.
    frame["shapes"] = [rule("@muted", x=record.cutoff.seconds)]
    trace = {
        "type": "scatter", "mode": "lines+markers", "name": "sessions",
        "line": {"color": "@s1", "width": 1.8},
        "x": [one.cutoff_s for one in tried], "y": [one.sessions for one in tried],
        "hovertemplate": "%{y:,} sessions<extra></extra>",
    }  # fmt: skip
    note = f"Dashed: the cut-off in use, {format.seconds(record.cutoff.seconds)}."
    return Figure("cutoff", "Sessions against the cut-off of idle time", note, [trace], frame)


def arrivals(record: Learned) -> Figure:
    """Sessions that begin in each hour of the day."""
    hours = record.arrivals.by_hour
    frame = layout(_HEIGHT, right=20, hovermode="closest")
    frame["xaxis"] |= {
        "title": {"text": "hour of the day, UTC", "standoff": 8},
        "nticks": 12,
        "range": [-0.6, 23.6],
    }
    frame["yaxis"] |= {"rangemode": "tozero", "nticks": 5, "tickformat": ","}
    trace = {
        "type": "bar", "name": "sessions", "x": list(range(24)), "y": [round(one, 3) for one in hours],
        "marker": {"color": "@s1"}, "hovertemplate": "%{x}:00: %{y:,.1f} sessions<extra></extra>",
    }  # fmt: skip
    note = f"Between {format.figure(min(hours))} and {format.figure(max(hours))} sessions an hour."
    return Figure("arrivals", "Sessions that begin in each hour of the day, mean", note, [trace], frame)
