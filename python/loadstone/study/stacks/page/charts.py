"""Charts of the study of stacks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle

from loadstone.report.figures.figure import Figure, Layout, Trace, label, layout
from loadstone.report.folder import Json
from loadstone.study.stacks.words import limit, per_month, users
from loadstone.study.words import interval

_ROW = 34
_LEFT = 300
_TINTS = {"SLA-1": "@s1", "SLA-2": "@s2"}
_STACKS = ("@s1", "@s2", "@s3", "@s4")
_ABOVE: Layout = {"xref": "x", "yref": "y", "xanchor": "center", "yanchor": "bottom", "yshift": 4}
_TIERS = {"app": ("application", "@s1"), "database": ("database", "@s4")}


def dollars(found: Sequence[Json]) -> Figure | None:
    """Dollars a user and month by configuration, the cheapest first; None where no end is known."""
    drawn = [one for one in found if any(_ends(one.get(sla)) for sla in _TINTS)]
    if not drawn:
        return None
    drawn = sorted(drawn, key=lambda one: -max(max(_ends(one.get(sla)) or [0]) for sla in _TINTS))
    values = [end for one in drawn for sla in _TINTS for end in _ends(one.get(sla))]
    low, high = math.log10(min(values)) - 0.15, math.log10(max(values)) + 0.15
    frame = _frame(
        drawn,
        {
            "type": "log",
            "range": [low, high],
            **_ticks(low, high),
            "title": _title("dollars a user and month"),
        },
    )
    for index, (sla, tint) in enumerate(_TINTS.items()):
        frame["annotations"].append(label(sla, tint, x=0.0 + 0.14 * index, y=1.02, yanchor="bottom"))
    traces = [
        trace
        for at, one in enumerate(drawn)
        for index, sla in enumerate(_TINTS)
        if (trace := _interval(one, sla, at + (0.14 if index == 0 else -0.14)))
    ]
    told = "; ".join(f"{one['label']} {per_month(one.get('SLA-1'), 'now')}" for one in drawn[::-1])
    return Figure(
        "dollars",
        "What a user costs a month, whole machines at today’s prices, without egress",
        "A dot is a number that a search found, with its interval; a line without one is a bracket only. At "
        f"SLA-1: {told}.",
        traces,
        frame,
    )


def cpu(found: Sequence[Json]) -> Figure | None:
    """Processor time of an operation by tier."""
    drawn = [one for one in found if set(_TIERS) <= one["cpu_ms_per_op"].keys()]
    if not drawn:
        return None
    drawn = sorted(drawn, key=lambda one: -sum(one["cpu_ms_per_op"][tier]["value"] for tier in _TIERS))
    frame = _frame(drawn, {"rangemode": "tozero", "title": _title("ms of processor time an operation")})
    frame |= {"barmode": "stack"}
    traces: list[Trace] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": list(range(len(drawn))),
            "x": [round(one["cpu_ms_per_op"][tier]["value"], 3) for one in drawn],
            "width": 0.5,
            "marker": {"color": tint},
            "hovertemplate": f"{name} %{{x:.2f}} ms",
        }
        for tier, (name, tint) in _TIERS.items()
    ]
    for index, (name, tint) in enumerate(_TIERS.values()):
        frame["annotations"].append(label(name, tint, x=0.0 + 0.2 * index, y=1.02, yanchor="bottom"))
    told = "; ".join(f"{one['label']} {interval(one['cpu_ms_per_op']['app'], 1)}" for one in drawn[::-1])
    return Figure("cpu", "Processor time of an operation", f"Of the application: {told}.", traces, frame)


def growth(families: Sequence[Sequence[Json]]) -> Figure | None:
    """Users at SLA-1 by the number of servers, a line for each stack; None where nothing was seen to hold."""
    held = [[one for one in family if (one.get("SLA-1") or {}).get("low")] for family in families]
    drawn = [family for family in held if family]
    if not drawn:
        return None
    most = max(one["servers"] for family in drawn for one in family)
    frame = layout(
        380,
        right=24,
        xaxis={"range": [0.7, most + 0.5], "dtick": 1, "title": _title("application servers")},
        yaxis={"rangemode": "tozero", "title": _title("users at SLA-1")},
        hovermode="closest",
        margin={"l": 64, "t": 30},
    )
    for at, (family, tint) in enumerate(zip(drawn, cycle(_STACKS), strict=False)):
        frame["annotations"].append(label(family[0]["label"], tint, x=0.34 * at, y=1.02, yanchor="bottom"))
        frame["annotations"] += [
            label(limit(one), tint, x=one["servers"], y=_top(one), **_ABOVE, size=11) for one in family
        ]
    # A line joins numbers only: the lower end of a bracket may be far from what is carried.
    traces = [
        _grown(some, tint, joined=decided)
        for family, tint in zip(drawn, cycle(_STACKS), strict=False)
        for decided in (True, False)
        if (some := [one for one in family if one["SLA-1"]["decided"] == decided])
    ]
    told = "; ".join(f"{family[0]['label']}: {_by_servers(family)}" for family in drawn)
    return Figure(
        "growth",
        "Users at SLA-1 by the number of application servers",
        "A dot held the SLA, the end of its line broke it; a hollow one is a bracket only. The words are the "
        f"limit that the record names where it broke. {told}.",
        traces,
        frame,
    )


def _by_servers(family: Sequence[Json]) -> str:
    return ", ".join(f"{one['servers']} {users(one['SLA-1'])}" for one in family)


def _top(one: Json) -> float:
    held = one["SLA-1"]
    return float(held["high"] or held["low"])


def _grown(some: Sequence[Json], tint: str, *, joined: bool) -> Trace:
    """Those of a stack that are numbers, or those that are brackets."""
    return {
        "type": "scatter",
        "mode": "lines+markers" if joined else "markers",
        "name": some[0]["label"],
        "x": [one["servers"] for one in some],
        "y": [one["SLA-1"]["low"] for one in some],
        "line": {"color": tint, "width": 1.6},
        "marker": {"color": tint, "size": 8, "symbol": "circle" if joined else "circle-open"},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_top(one) - one["SLA-1"]["low"] for one in some],
            "arrayminus": [0] * len(some),
            "color": tint,
            "thickness": 1.6,
            "width": 4,
        },
        "text": [f"{one['label']}: {users(one['SLA-1'])}" for one in some],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _ends(held: Json | None) -> list[float]:
    """Dollars a user that are known: the value and the ends of its interval."""
    if not held:
        return []
    known = (held["usd"]["now"][end] for end in ("cheap", "value", "dear"))
    return [one["without_egress"]["12"] for one in known if one]


def _interval(one: Json, sla: str, at: float) -> Trace | None:
    held = one.get(sla)
    ends = _ends(held)
    if not held or not ends:
        return None
    value = held["usd"]["now"]["value"]
    trace: Trace = {
        "type": "scatter",
        "mode": "lines",
        "name": sla,
        "x": [min(ends), max(ends)],
        "y": [at, at],
        "line": {"color": _TINTS[sla], "width": 3, "dash": "solid" if value else "dot"},
        "hovertemplate": f"{one['label']}, {sla}: {per_month(held, 'now')}",
    }
    if not value or len(set(ends)) == 1:
        # An end alone is a point: the other one is not known.
        trace |= {
            "mode": "lines+markers",
            "marker": {"symbol": "line-ns-open", "size": 9, "color": _TINTS[sla]},
        }
    else:
        middle = value["without_egress"]["12"]
        trace |= {
            "mode": "lines+markers",
            "x": [min(ends), middle, max(ends)],
            "y": [at, at, at],
            "marker": {"size": [0, 9, 0], "color": _TINTS[sla]},
        }
    return trace


def _frame(drawn: Sequence[Json], xaxis: Layout) -> Layout:
    frame = layout(
        _ROW * len(drawn) + 90,
        right=24,
        xaxis=xaxis,
        yaxis={
            "range": [-0.6, len(drawn) - 0.4],
            "tickvals": list(range(len(drawn))),
            "ticktext": [one["label"] for one in drawn],
            "showgrid": False,
        },
        hovermode="closest",
        margin={"l": _LEFT, "t": 30},
    )
    return frame


def _ticks(low: float, high: float) -> Layout:
    ticks = [m * 10.0**e for e in range(math.floor(low), math.ceil(high) + 1) for m in (1, 2, 5)]
    known = [tick for tick in ticks if low <= math.log10(tick) <= high]
    return {"tickvals": known, "ticktext": [f"${tick:g}" for tick in known]}


def _title(text: str) -> Layout:
    return {"text": text, "standoff": 6, "font": {"size": 12}}
