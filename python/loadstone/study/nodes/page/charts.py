"""Charts of the study of nodes: figures 5 to 7, on logarithmic axes where the nines are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadstone.report.figures.figure import Figure, Layout, Trace, end_labels, layout
from loadstone.report.folder import Json

TALL = 360
_COLOURS = ("@s1", "@s2", "@s4", "@s3", "@s5")
_NODE_COLOURS = {"native": "@s1", "ilr": "@s2", "tx": "@s4"}


def one_node(found: Json) -> Figure:
    """Figure 5: unavailability of one node against its crashes a year."""
    drawn = [
        (_failover(one["failover"]), one["crashes_a_year"], one["down"])
        for one in found["curves"]["one_node"]
    ]
    frame = _log_frame(drawn, {"title": _title("crashes of one node a year"), "range": [1, 12]})
    return Figure(
        "one-node",
        "Unavailability of one node, share of the year",
        "Logarithmic: each line down is one nine more. Five nines are at 0.00001.",
        _lines(drawn),
        frame,
    )


def clusters(found: Json) -> Figure:
    """Figure 6: unavailability against the number of nodes."""
    drawn = [
        (f"{_failover(one['failover'])}, {one['crash']}", one["nodes"], one["down"])
        for one in found["curves"]["clusters"]
    ]
    frame = _log_frame(
        drawn,
        {"title": _title("nodes, all of them needed"), "range": [1, 100]},
        right=150,
    )
    return Figure(
        "clusters",
        "Unavailability of a cluster without extra nodes, share of the year",
        "On-premises nobody mends a crash: ten nodes are all up for a tenth of the year.",
        _lines(drawn),
        frame,
    )


def corrupt(found: Json) -> Figure:
    """Figure 7: percent of the month corrupt against faults a month, with the paper's points."""
    curves = found["curves"]["integrity"]
    drawn = [
        (one["node"], one["faults_a_month"], [100 * share for share in one["corrupt"]]) for one in curves
    ]
    traces = _lines(drawn, _NODE_COLOURS)
    for node, colour in _NODE_COLOURS.items():
        own = [
            one
            for one in found["corrupt"]
            if one["node"] == node and one["paper"] and not one["fitted"] and one["checker"] is None
        ]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"{node}, paper",
                "x": [_a_month(one["faults"]) for one in own],
                "y": [one["paper"] for one in own],
                "marker": {"symbol": "x", "size": 9, "color": colour, "line": {"width": 1}},
                "hovertemplate": "%{y:.3g} %",
            }
        )
    frame = _log_frame(drawn, _faults_axis())
    return Figure(
        "corrupt",
        "Percent of a month spent corrupt",
        "Lines: the chain of Table I, solved with bounds. Crosses: the paper’s. TX lies above ILR; the "
        "paper’s crosses for TX lie below.",
        traces,
        frame,
    )


def down(found: Json) -> Figure:
    """Time down beside it."""
    curves = found["curves"]["integrity"]
    drawn = [(one["node"], one["faults_a_month"], [100 * share for share in one["down"]]) for one in curves]
    return Figure(
        "down",
        "Percent of a month down",
        "ILR stops at most faults and is restarted; TX retries.",
        _lines(drawn, _NODE_COLOURS),
        _log_frame(drawn, _faults_axis()),
    )


def outcomes(rows: list[Json]) -> Figure:
    """Table I as it was measured: a bar for each class and build, with its interval."""
    traces: list[Trace] = [
        {
            "type": "bar",
            "name": row["build"],
            "x": [one["outcome"] for one in row["shares"]],
            "y": [100 * one["share"] for one in row["shares"]],
            "marker": {"color": _COLOURS[index % len(_COLOURS)]},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "color": "@ink",
                "array": [100 * (one["high"] - one["share"]) for one in row["shares"]],
                "arrayminus": [100 * (one["share"] - one["low"]) for one in row["shares"]],
            },
            "hovertemplate": f"%{{x}}: %{{y:.2f}} %<extra>{row['build']}</extra>",
        }
        for index, row in enumerate(rows)
    ]
    frame = layout(TALL, right=16, barmode="group", showlegend=True, hovermode="closest")
    note = "Bars are shares of all faults that hit something; lines are intervals of 95 %."
    return Figure("outcomes", "Share of faults, %", note, traces, frame)


def served(server: str, rows: list[Json]) -> Figure:
    """Figures 3 and 4: throughput against response time; a line joins the loads of one kind."""
    kinds = list(dict.fromkeys(_kind(row["load"]) for row in rows))
    traces: list[Trace] = []
    for index, variant in enumerate(dict.fromkeys(row["variant"] for row in rows)):
        for kind in kinds:
            own = [row for row in rows if row["variant"] == variant and _kind(row["load"]) == kind]
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": variant,
                    "legendgroup": variant,
                    "showlegend": kind == kinds[0],
                    "x": [row["requests_per_s"] for row in own],
                    "y": [row["response_ms"] for row in own],
                    "text": [row["load"] for row in own],
                    "line": {"color": _COLOURS[index % len(_COLOURS)], "width": 1.5},
                    "marker": {"size": 7},
                    "hovertemplate": "%{text}: %{x:,.0f}/s, %{y:.3g} ms<extra>" + variant + "</extra>",
                }
            )
    frame = layout(
        TALL,
        right=16,
        showlegend=True,
        hovermode="closest",
        xaxis={"type": "log", "title": _title("requests per second")},
        yaxis={"type": "log"},
        margin={"l": 62},
    )
    note = f"A line is a kind of load, with more clients at each point: {'; '.join(kinds)}."
    return Figure(
        f"served-{server}", f"{server}: response time, ms, by requests per second", note, traces, frame
    )


def _kind(load: str) -> str:
    """`YCSB A` of `YCSB A × 4`: what is asked, however many ask; many requests at once are a kind apart."""
    kind, _, how = load.partition(" × ")
    _, comma, at_once = how.partition(", ")
    return f"{kind}{comma}{at_once}"


def measured(lines: list[Json]) -> Figure:
    """Figure 7 from measured shares: percent of the month corrupt. Crosses: the paper's type.

    What never corrupted has no place on a logarithmic axis; at least one line must have.
    """
    lines = [one for one in lines if one["corrupt"][-1]]
    drawn = [
        (one["build"], one["faults_a_month"], [100 * share for share in one["corrupt"]]) for one in lines
    ]
    traces = _lines(drawn)
    for index, one in enumerate(lines):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"{one['beside']} by Table I",
                "x": [_a_month(point["faults"]) for point in one["points"]],
                "y": [100 * point["corrupt"]["paper"] for point in one["points"]],
                "marker": {"symbol": "x", "size": 9, "color": _COLOURS[index % len(_COLOURS)]},
                "hovertemplate": "%{y:.3g} %",
            }
        )
    return Figure(
        "measured",
        "Percent of a month spent corrupt, from measured shares",
        "Lines: builds as they were measured. Crosses: the paper’s node type that each stands beside. "
        "A build whose faults never corrupted is only in the table.",
        traces,
        _log_frame(drawn, _faults_axis()),
    )


def _faults_axis() -> Layout:
    ticks = [1, 10, 27, 100, 651]
    return {
        "type": "log",
        "title": _title("transient faults a month"),
        "tickvals": ticks,
        "ticktext": [str(tick) for tick in ticks],
        "range": [-0.05, math.log10(760)],
    }


def _a_month(rate: str) -> float:
    """Events a month of `27/month` or `21.7/day`, as the study's file writes them."""
    count, _, period = rate.partition("/")
    return float(count) * (30 if period == "day" else 1)


def _failover(failover: str | None) -> str:
    return "on-premises" if failover is None else f"cloud, {failover}"


def _title(text: str) -> Layout:
    return {"text": text, "standoff": 6, "font": {"size": 12}}


Drawn = tuple[str, Sequence[float], Sequence[float]]


def _lines(drawn: Sequence[Drawn], colours: dict[str, str] | None = None) -> list[Trace]:
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": list(xs),
            "y": list(ys),
            "line": {"color": _colour(index, name, colours), "width": 2},
            "hovertemplate": "%{y:.3g}",
        }
        for index, (name, xs, ys) in enumerate(drawn)
    ]


def _colour(index: int, name: str, colours: dict[str, str] | None) -> str:
    return colours[name] if colours else _COLOURS[index % len(_COLOURS)]


def _log_frame(drawn: Sequence[Drawn], xaxis: Layout, right: int = 110) -> Layout:
    """A frame whose y axis spans the powers of ten in use, with labels at the lines' ends."""
    values = [y for _, _, ys in drawn for y in ys if y > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    ticks = [10.0**power for power in range(low, high + 1)]
    frame = layout(
        TALL,
        right=right,
        xaxis=xaxis,
        yaxis={
            "type": "log",
            "range": [low, high],
            "tickvals": ticks,
            "ticktext": [f"{tick:g}" for tick in ticks],
        },
        margin={"l": 62},
    )
    own = _NODE_COLOURS if all(name in _NODE_COLOURS for name, _, _ in drawn) else None
    frame["annotations"] = end_labels(
        [
            (name, _colour(index, name, own), (math.log10(ys[-1]) - low) / (high - low))
            for index, (name, _, ys) in enumerate(drawn)
        ],
        TALL,
    )
    return frame
