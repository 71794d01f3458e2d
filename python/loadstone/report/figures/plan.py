"""Charts of a plan: cost against availability, the tornado, users served."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadstone.report.figures.figure import Figure, Layout, Trace, label, layout, rule
from loadstone.stages.plan import Candidate, Level, Plan, Served

TALL = 380
ROW = 34
_LETTER = 6.6
"""Mean width of a letter of an axis."""
_COLOURS = ("@s1", "@s2", "@s4", "@s3", "@s5", "@s6")
_LEAST = 1e-15


def nodes(one: Candidate) -> str:
    """`12 nodes + 3 spares`; with several tiers `web 12 + 3, database 2`."""
    parts = one.parts
    if len(parts) == 1:
        spares = f" + {parts[0].pool} spares" if parts[0].pool else ""
        return f"{parts[0].active} nodes{spares}"
    return ", ".join(
        f"{part.tier} {part.active}" + (f" + {part.pool}" if part.pool else "") for part in parts
    )


def ways(one: Candidate) -> str:
    """The option of each tier: `rented`; with several tiers `rented / own / own`."""
    return " / ".join(part.option for part in one.parts)


def front_figure(found: Plan) -> Figure:
    """Dollars a month against unavailability, each option a colour, the front a line."""
    year_s = found.inputs.year_s
    names = list(dict.fromkeys(ways(one) for one in found.seen))
    traces: list[Trace] = [_line(found.front, year_s)]
    for index, name in enumerate(names):
        own = [one for one in found.seen if ways(one) == name]
        downs = [_down(one, year_s) for one in own]
        traces.append(_points(name, own, downs, _COLOURS[index % len(_COLOURS)]))
    if chosen := found.chosen:
        traces.append(_ring(chosen, _down(chosen, year_s)))
    lows = [_down(one, year_s) for one in found.seen]
    low, high = math.floor(math.log10(min(lows))), math.ceil(math.log10(max(lows)))
    frame = layout(
        TALL,
        right=20,
        xaxis={
            "type": "log",
            "range": [high, low],
            "tickvals": [10.0**power for power in range(low, high + 1)],
            "ticktext": [_nines(power) for power in range(low, high + 1)],
            "title": {"text": "availability", "standoff": 6, "font": {"size": 12}},
        },
        yaxis={"rangemode": "tozero", "tickprefix": "$", "tickformat": ",d"},
        margin={"l": 70},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.12, "font": {"size": 12}},
        hovermode="closest",
    )
    frame["shapes"].append(rule("@bad", x=1 - found.inputs.availability))
    frame["annotations"].append(
        label("asked for", "@bad", x=math.log10(1 - found.inputs.availability), y=0.02, xref="x", size=11)
    )
    note = "Right is better, down is cheaper. Red: the availability asked for. Ring: the plan chosen."
    return Figure("front", "Dollars a month against availability", note, traces, frame)


def _down(one: Candidate, year_s: float) -> float:
    return max(float(one.down_s_per_year) / year_s, _LEAST)


def _nines(power: int) -> str:
    return "0" if power == 0 else f"{100 * (1 - 10.0**power):.{max(0, -power - 2)}f} %"


def _line(front: Sequence[Candidate], year_s: float) -> Trace:
    return {
        "type": "scatter", "mode": "lines", "name": "front", "x": [_down(one, year_s) for one in front],
        "y": [one.usd_per_month for one in front], "line": {"color": "@muted", "width": 1.5},
        "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip


def nodes_figure(found: Plan) -> Figure:
    """Dollars a month against nodes, of the plans that are available enough and of the others."""
    names = list(dict.fromkeys(ways(one) for one in found.seen))
    traces: list[Trace] = []
    for index, name in enumerate(names):
        own = [one for one in found.seen if ways(one) == name]
        trace = _points(name, own, [one.nodes for one in own], _COLOURS[index % len(_COLOURS)])
        enough = [one.availability >= found.inputs.availability for one in own]
        trace["marker"]["symbol"] = ["circle" if one else "circle-open" for one in enough]
        traces.append(trace)
    if chosen := found.chosen:
        traces.append(_ring(chosen, chosen.nodes))
    frame = layout(
        TALL,
        right=20,
        xaxis={
            "range": [0, 1.05 * max(one.nodes for one in found.seen)],
            "title": {"text": "nodes, spares included", "standoff": 6, "font": {"size": 12}},
            "tickformat": ",d",
        },
        yaxis={"rangemode": "tozero", "tickprefix": "$", "tickformat": ",d"},
        margin={"l": 70},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.12, "font": {"size": 12}},
        hovermode="closest",
    )
    note = "Filled: available enough. Hollow: not. Ring: the plan chosen."
    return Figure("nodes", "Dollars a month against nodes", note, traces, frame)


def _points(name: str, own: Sequence[Candidate], x: Sequence[float], colour: str) -> Trace:
    texts = [f"{ways(one)}: {nodes(one)}" for one in own]
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": x,
        "y": [one.usd_per_month for one in own], "text": texts,
        "marker": {"color": colour, "size": 6}, "hovertemplate": "%{text}, $%{y:,.0f}<extra></extra>",
    }  # fmt: skip


def _ring(chosen: Candidate, x: float) -> Trace:
    marker = {"symbol": "circle-open", "size": 14, "color": "@ink", "line": {"width": 2}}
    return _points("chosen", [chosen], [x], "@ink") | {"marker": marker}


def tornado_figure(found: Plan) -> Figure | None:
    """Dollars a month at both ends of every input."""
    chosen = found.chosen
    bars = [(bar, bar.at_low, bar.at_high) for bar in found.sensitivity[::-1] if bar.at_low and bar.at_high]
    if not (chosen and bars):
        return None
    middle = chosen.usd_per_month
    height = ROW * len(bars) + 70
    names = [f"{bar.input}: {bar.low} … {bar.high}" for bar, _, _ in bars]
    traces = [
        _side("at_low", [low for _, low, _ in bars], middle, "@s2"),
        _side("at_high", [high for _, _, high in bars], middle, "@s1"),
    ]
    frame = layout(
        height,
        right=30,
        xaxis={"tickprefix": "$", "tickformat": ",d"},
        yaxis={
            "tickvals": list(range(len(bars))),
            "ticktext": names,
            "showgrid": False,
        },
        margin={"l": max(310, 30 + _LETTER * max(len(name) for name in names))},
        barmode="overlay",
        hovermode="closest",
    )
    frame["shapes"].append(rule("@ink", x=middle, dash="solid"))
    note = "The line is the plan as stated. Orange: the input at its lower end, blue: at its upper end."
    return Figure("tornado", "Dollars a month when one input changes", note, traces, frame)


def _side(end: str, plans: Sequence[Candidate], middle: float, colour: str) -> Trace:
    return {
        "type": "bar", "orientation": "h", "name": end, "y": list(range(len(plans))), "base": middle,
        "x": [one.usd_per_month - middle for one in plans], "width": 0.55,
        "marker": {"color": colour}, "opacity": 0.85,
        "text": [nodes(one) for one in plans],
        "textposition": "none", "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip


def served_figure(served: Served) -> Figure:
    """Share of the year with at most so many users served, on a log axis: where the losses are."""
    levels = [level for level in served.levels if level.share > _LEAST]
    users = [level.users for level in levels]
    frame: Layout = layout(
        300,
        right=30,
        xaxis={
            "title": {"text": "users held at the SLA", "standoff": 6, "font": {"size": 12}},
            "range": [-0.05 * max(users), 1.05 * max(users)],
            "tickformat": ",d",
        },
        yaxis={"type": "log", "tickformat": ".0e"},
        margin={"l": 62},
        hovermode="closest",
    )
    bars: Trace = {
        "type": "scatter", "mode": "markers+text", "x": users, "y": [level.share for level in levels],
        "text": [up(level) for level in levels], "textposition": "top center",
        "textfont": {"size": 11, "color": "@muted"}, "marker": {"color": "@s1", "size": 9},
        "hovertemplate": "%{text}: %{x:,.0f} users for %{y:.3g} of the year<extra></extra>",
    }  # fmt: skip
    note = "Logarithmic: the rightmost point is nearly all of the year."
    return Figure("served", "Share of the year by users served", note, [bars], frame)


def up(level: Level) -> str:
    """`11 up`; with several tiers `web 11 up`; `enough up` when all users are held."""
    if level.nodes is None:
        return "enough up"
    return f"{level.tier} {level.nodes} up" if level.tier else f"{level.nodes} up"
