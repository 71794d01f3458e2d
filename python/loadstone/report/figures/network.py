"""The charts of a probe: boxes and violins of round trips by group, steps of jitter, bars of bandwidth."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report import format
from loadstone.report.figures.figure import Figure, Layout, Trace, label, layout, log_time_axis, plain
from loadstone.stages.probe import Axis, Drawn, Estimate, Flows, Group, Picture, Steps

NAMES = {
    "icmp": "ICMP",
    "tcp": "TCP connect",
    "idle": "idle",
    "to": "while TCP runs to the target",
    "back": "while TCP runs back",
}
_COLOURS = {"icmp": "@s1", "tcp": "@s2", "idle": "@s1", "to": "@s2", "back": "@s3"}
_ROW = 30
"""Pixels of one box."""


def boxes(picture: Picture, title: str) -> Figure | None:
    """A box for each group and way of measuring: median, quartiles, whiskers, and what lies beyond."""
    axis = picture.axis
    if not axis:
        return None
    rows = [
        (place, way, found)
        for place, ways in enumerate(picture.groups.values())
        for way, found in ways.items()
    ]
    names = list(dict.fromkeys(way for _, way, _ in rows))
    most = max(len(ways) for ways in picture.groups.values())
    frame = _frame(picture, axis, max(150, 70 + _ROW * most * len(picture.groups)), legend=len(names) > 1)
    traces: list[Trace] = []
    for place, way, found in rows:
        at = place + (names.index(way) - (len(names) - 1) / 2) * 0.8 / len(names)
        first = not any(trace.get("legendgroup") == way for trace in traces)
        traces.append(_box(at, way, found, 0.62 / len(names), first))
        if found.points_ms:
            traces.append(_outside(at, way, found))
        if found.beyond_axis:
            frame["annotations"].append(
                label(f"+{found.beyond_axis} beyond", "@muted", x=1.005, y=at, yref="y", size=11)
            )
    return Figure("boxes", title, _note(picture), traces, frame)


def violins(picture: Picture, way: str, title: str) -> Figure | None:
    """The density of each group, mirrored: the fattest place is the most frequent value."""
    axis = picture.axis
    known = {group: ways[way] for group, ways in picture.groups.items() if way in ways and ways[way].density}
    if not axis or not known:
        return None
    frame = _frame(picture, axis, max(170, 60 + 62 * len(picture.groups)), legend=False)
    traces: list[Trace] = []
    for place, group in enumerate(picture.groups):
        if group not in known:
            continue
        found = known[group]
        at, height = _seconds(found.at_ms), found.density
        half = [0.44 * one / max(height) for one in height]
        hover = f"{plain(group)}<br>median {format.figure(found.box_ms.median)} ms"
        traces.append(
            {
                "type": "scatter", "mode": "lines", "fill": "toself", "fillcolor": "@band-1",
                "x": at + at[::-1],
                "y": [round(place - one, 4) for one in half] + [round(place + one, 4) for one in half[::-1]],
                "line": {"color": "@s1", "width": 1.2}, "hoverinfo": "skip",
            }
        )  # fmt: skip
        traces.append(_mark(found.box_ms.median, place, hover))
    note = "The width is the frequency of a value among all of its group; the line in it is the median. "
    return Figure("violins", title, note + _note(picture, way), traces, frame)


def steps(name: str, found: Steps) -> Figure:
    """The density of the differences of consecutive round trips of one group, on its own axis."""
    at, most = _seconds(found.at_ms), found.high_ms / 1000
    frame = layout(
        170,
        right=14,
        xaxis={"range": [-most, most], "tickformat": "~s", "ticksuffix": "s", "nticks": 5},
        yaxis={"showticklabels": False, "range": [0, 1.08 * max(found.density)]},
        hovermode=False,
    )
    frame["margin"]["l"] = 14
    trace = {
        "type": "scatter", "mode": "lines", "fill": "tozeroy", "fillcolor": "@band-1",
        "x": at, "y": found.density, "line": {"color": "@s1", "width": 1.4},
    }  # fmt: skip
    beyond = f", {format.whole(found.beyond)} of them beyond the axis" if found.beyond else ""
    return Figure("steps", name, f"{format.whole(found.values)} differences{beyond}.", [trace], frame)


def bandwidth(groups: Sequence[Group]) -> Figure | None:
    """Bars of what TCP and UDP carried in both directions, with intervals."""
    kinds: list[tuple[str, str, list[Flows | None]]] = [
        ("TCP to the target", "@s1", [group.bandwidth.to for group in groups]),
        ("TCP back", "@s4", [group.bandwidth.back for group in groups]),
        ("UDP to the target", "@s2", [group.udp.to for group in groups]),
        ("UDP back", "@s5", [group.udp.back for group in groups]),
    ]
    present = [one for one in kinds if any(one[2])]
    if not present:
        return None
    traces: list[Trace] = []
    words = []
    for index, (name, colour, flows) in enumerate(present):
        places, found = [], []
        for place, flow in enumerate(flows):
            if flow:
                places.append(round(place + (index - (len(present) - 1) / 2) * 0.8 / len(present), 4))
                found.append(flow.mbit_per_s)
                value = f"{format.figure(flow.mbit_per_s.value)} Mbit/s"
                words.append(label(value, "@muted", x=1.005, y=places[-1], yref="y", size=11))
        traces.append(_bars(name, colour, places, found, 0.76 / len(present)))
    high = max(
        one + up for trace in traces for one, up in zip(trace["x"], trace["error_x"]["array"], strict=True)
    )
    names = [group.name for group in groups]
    frame = layout(
        90 + 20 * len(present) * len(groups),
        right=92,
        xaxis={"range": [0, 1.02 * high], "ticksuffix": " Mbit/s", "nticks": 6, "showgrid": True},
        yaxis=_rows(names),
        hovermode="closest",
        showlegend=True,
        legend=_LEGEND,
        annotations=words,
    )
    frame["margin"] |= {"l": _left(names), "t": 34}
    return Figure(
        "bandwidth",
        "Bandwidth by group, Mbit/s of payload",
        "Means with 95 % intervals over rounds; UDP is offered more than fits, and the bar is what arrived.",
        traces,
        frame,
    )


_LEGEND: Layout = {
    "orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "xanchor": "left",
    "font": {"size": 12, "color": "@muted"}, "itemclick": False, "itemdoubleclick": False,
    "traceorder": "normal",
}  # fmt: skip


def _frame(picture: Picture, axis: Axis, height: int, *, legend: bool) -> Layout:
    groups = list(picture.groups)
    low, high = axis.low_ms / 1000, axis.high_ms / 1000
    linear = {"range": [low, high], "tickformat": "~s", "ticksuffix": "s", "nticks": 7}
    frame = layout(
        height,
        right=84,
        xaxis=(log_time_axis(low, high, most=7) if axis.log else linear) | {"showgrid": True},
        yaxis=_rows(groups),
        hovermode="closest",
        showlegend=legend,
        legend=_LEGEND,
    )
    frame["margin"] |= {"l": _left(groups), "t": 34 if legend else 14}
    return frame


def _rows(names: Sequence[str]) -> Layout:
    """An axis with a row for each name, the first at the top."""
    return {
        "range": [len(names) - 0.5, -0.5],
        "tickvals": list(range(len(names))),
        "ticktext": [plain(name) for name in names],
        "showgrid": False,
    }


def _bars(name: str, colour: str, places: list[float], found: list[Estimate], width: float) -> Trace:
    return {
        "type": "bar", "orientation": "h", "name": name, "y": places, "width": width,
        "x": [one.value for one in found],
        "error_x": {
            "type": "data", "symmetric": False, "color": "@ink", "thickness": 1.2, "width": 3,
            "array": [0 if one.high is None else one.high - one.value for one in found],
            "arrayminus": [0 if one.low is None else one.value - one.low for one in found],
        },
        "marker": {"color": colour}, "hovertemplate": f"{name}: %{{x:,.4~g}} Mbit/s<extra></extra>",
    }  # fmt: skip


def _left(names: Sequence[str]) -> int:
    """Pixels for the longest name."""
    return min(260, 24 + 7 * max(map(len, names), default=0))


def _box(at: float, way: str, found: Drawn, width: float, first: bool) -> Trace:
    box = found.box_ms
    return {
        "type": "box", "orientation": "h", "y": [round(at, 4)], "width": width, "name": NAMES[way],
        "legendgroup": way, "showlegend": first,
        "q1": [box.q1 / 1000], "median": [box.median / 1000], "q3": [box.q3 / 1000],
        "lowerfence": [box.low / 1000], "upperfence": [box.high / 1000],
        "line": {"color": _COLOURS[way], "width": 1.4}, "fillcolor": "rgba(0,0,0,0)",
        "hoverinfo": "x",
    }  # fmt: skip


def _outside(at: float, way: str, found: Drawn) -> Trace:
    points = _seconds(found.points_ms)
    return {
        "type": "scatter", "mode": "markers", "x": points, "y": [round(at, 4)] * len(points),
        "marker": {"color": _COLOURS[way], "size": 4, "opacity": 0.45}, "showlegend": False,
        "hoverinfo": "skip",
    }  # fmt: skip


def _mark(median_ms: float, place: int, hover: str) -> Trace:
    return {
        "type": "scatter", "mode": "markers", "x": [median_ms / 1000], "y": [place],
        "marker": {"symbol": "line-ns", "size": 16, "line": {"color": "@ink", "width": 2}},
        "hovertemplate": f"{hover}<extra></extra>",
    }  # fmt: skip


def _seconds(values_ms: Sequence[float]) -> list[float]:
    return [float(f"{value / 1000:.5g}") for value in values_ms]


def _note(picture: Picture, only: str = "") -> str:
    """The number of values, and of those that the chart does not show."""
    shown = [
        found for ways in picture.groups.values() for way, found in ways.items() if not only or way == only
    ]
    values, beyond = sum(one.values for one in shown), sum(one.beyond_axis for one in shown)
    scale = " The axis is logarithmic." if picture.axis and picture.axis.log else ""
    if only:
        return f"{format.whole(values)} round trips, {format.whole(beyond)} of them beyond the axis.{scale}"
    outside = sum(one.outside for one in shown)
    return (
        "Median, quartiles, whiskers to 1.5 interquartile ranges. "
        f"{format.whole(outside)} of {format.whole(values)} "
        "round trips lie beyond the whiskers, up to 40 a box are drawn; "
        f"{format.whole(beyond)} lie beyond the axis.{scale}"
    )
