"""Charts of the connectors' study: figures over the offered load, and all servers under the highest."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report.figures.figure import Figure, Trace, end_labels, label, layout, plain, rule
from loadstone.report.folder import Json
from loadstone.study.connectors.claims import at_most
from loadstone.study.words import interval

TALL = 330
ROW = 24
_COLOURS = ("@s2", "@faint", "@s3", "@s1", "@s4", "@s5", "@s6", "@muted")
"""Of charted servers, in the file's order."""

TITLES = {
    "replies_per_s": ("Replies a second", ""),
    "response_ms_mean": (
        "Mean response time, ms",
        "Of answered calls, from when they should have been sent.",
    ),
    "response_ms_p50": (
        "Median response time, ms",
        "Of answered calls, from when they should have been sent.",
    ),
    "closed_by_server": ("Connections closed by the server", "Of a whole measurement."),
    "sessions_per_s": ("Sessions completed a second", "From the first arrival to the last end."),
    "steady_sessions_per_s": ("Sessions completed a second", "From the tenth second to the last arrival."),
    "life_s_mean": ("Life of completed sessions, s", "From their arrival to their end."),
    "calls_completed_mean": ("Calls in completed sessions", "How long the sessions are that get through."),
    "timeouts": ("Client time-outs", "Calls without an answer in the client's time; of a whole measurement."),
}


def colours(study: Json) -> dict[str, str]:
    """The charted servers with their colours."""
    charted = [one["name"] for one in study["variants"] if one["charted"]]
    return {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(charted)}


def over_load(study: Json, experiment: str, figure: str, place: str) -> Figure | None:
    """A figure against the offered load, a line for each charted server; `place` is the paper's figure."""
    part = study["parts"][experiment]
    labels = {one["name"]: one["label"] for one in study["variants"]}
    cells = [
        cell
        for cell in part["cells"]
        if cell["client"] == "loadstone" and cell["server"] in colours(study) and cell["figures"][figure]
    ]
    if not cells:
        return None
    loads = sorted({cell["sessions_per_s_offered"] for cell in cells})
    most = max(cell["figures"][figure]["high"] or cell["figures"][figure]["value"] for cell in cells) * 1.05
    most = most or 1.0
    capacity = part["capacity_sessions_per_s"] if figure == "sessions_per_s" else None
    most = max(most, 1.08 * (capacity or 0))
    title, note = TITLES[figure]
    spread = (loads[-1] - loads[0]) or loads[0]
    frame = layout(
        TALL,
        right=225,
        xaxis={
            "range": [loads[0] - 0.05 * spread, loads[-1] + 0.03 * spread],
            "tickvals": loads,
            "title": {"text": "sessions that arrive a second", "standoff": 6, "font": {"size": 12}},
        },
        yaxis={"range": [0, most]},
        margin={"l": 62},
    )
    if capacity:
        frame["shapes"].append(rule("@muted", y=capacity))
        words = f"the bottleneck allows {capacity:.1f}"
        frame["annotations"] = [
            label(words, "@muted", x=0.01, y=capacity, size=11, yref="y", yanchor="bottom")
        ]
    traces: list[Trace] = []
    ends = []
    for name, colour in colours(study).items():
        own = [cell for cell in cells if cell["server"] == name]
        if own:
            traces.append(_line(own, figure, labels[name], colour))
            ends.append((labels[name], colour, own[-1]["figures"][figure]["value"] / most))
    frame["annotations"] = [*frame["annotations"], *end_labels(ends, TALL)]
    return Figure(f"{experiment}-{figure}", f"{place}: {title}", note, traces, frame)


def _line(cells: Sequence[Json], figure: str, name: str, colour: str) -> Trace:
    found = [cell["figures"][figure] for cell in cells]
    return {
        "type": "scatter", "mode": "lines+markers", "name": plain(name),
        "x": [cell["sessions_per_s_offered"] for cell in cells], "y": [one["value"] for one in found],
        "text": [interval(one, 1) for one in found], "hovertemplate": "%{text}",
        "line": {"color": colour, "width": 2}, "marker": {"color": colour, "size": 6},
        "error_y": {
            "type": "data", "symmetric": False, "color": colour, "thickness": 1.2, "width": 4,
            "array": [_gap(one, "high") for one in found],
            "arrayminus": [_gap(one, "low") for one in found],
        },
    }  # fmt: skip


def _gap(one: Json, side: str) -> float:
    return 0.0 if one[side] is None else abs(float(one[side]) - float(one["value"]))


def ranking(study: Json, experiment: str) -> Figure | None:
    """Sessions completed a second by all servers under the highest load, the most first."""
    part = study["parts"][experiment]
    cells = at_most(part)
    if not cells:
        return None
    steady = all(cell["figures"]["steady_sessions_per_s"] for cell in cells)
    figure = "steady_sessions_per_s" if steady else "sessions_per_s"
    kinds = {one["name"]: one["kind"] for one in study["variants"]}
    labels = {one["name"]: one["label"] for one in study["variants"]}
    cells = sorted(cells, key=lambda cell: float(cell["figures"][figure]["value"]))
    found = [cell["figures"][figure] for cell in cells]
    shades = ["@s1" if kinds[cell["server"]] == "own" else "@s4" for cell in cells]
    at = list(range(len(cells)))
    frame = layout(
        ROW * len(cells) + 60,
        right=110,
        hovermode="closest",
        xaxis={"rangemode": "tozero", "showgrid": True,
               "title": {"text": "sessions completed a second", "standoff": 6, "font": {"size": 12}}},
        yaxis={"tickvals": at, "ticktext": [plain(labels[cell["server"]]) for cell in cells],
               "showgrid": False, "range": [-0.6, len(cells) - 0.4]},
        margin={"l": 210},
        annotations=[
            label(interval(one, 1), "@muted", x=1.01, y=index, size=11, yref="y")
            for index, one in enumerate(found)
        ],
    )  # fmt: skip
    if part["capacity_sessions_per_s"]:
        frame["shapes"] = [rule("@muted", x=part["capacity_sessions_per_s"])]
    trace: Trace = {
        "type": "bar", "orientation": "h", "x": [one["value"] for one in found], "y": at,
        "marker": {"color": shades}, "hovertemplate": "%{x:.1f}<extra></extra>",
        "error_x": {
            "type": "data", "symmetric": False, "color": "@ink", "thickness": 1.2, "width": 4,
            "array": [_gap(one, "high") for one in found],
            "arrayminus": [_gap(one, "low") for one in found],
        },
    }  # fmt: skip
    load = cells[0]["sessions_per_s_offered"]
    note = "Blue: ours. Medians with intervals; the dashed line is what the bottleneck allows."
    return Figure(
        f"{experiment}-ranking", f"All servers when {load:g} sessions arrive a second", note, [trace], frame
    )
