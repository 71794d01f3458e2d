"""Charts of the balancers' study. Each takes its part of `study.json` and the variants' colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from loadstone.report.figures.figure import (
    Figure,
    Layout,
    Trace,
    end_labels,
    label,
    layout,
    plain,
    rule,
)
from loadstone.report.folder import Json
from loadstone.study.balancers.page.variants import Variants, inverse
from loadstone.study.words import interval

TALL = 400
ROW = 26
"""Pixels of a row of a chart of rows."""

_RATIOS = (0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 5, 7, 10)
_MOST_TICKS = 11

PLACES = (("client", "@faint"), ("network", "@s2"), ("balancer", "@s1"), ("server", "@s4"))
_WORDS = {"client": "generator", "network": "network", "balancer": "balancer", "server": "server"}


def throughput(found: Json, generators: int, variants: Variants, paper: Sequence[Json]) -> Figure | None:
    """Requests a second against concurrency, each variant a line with the band of its interval."""
    cells = [cell for cell in found["cells"] if cell["generators"] == generators]
    levels = sorted({cell["concurrency"] for cell in cells})
    if not cells:
        return None
    most = max(cell["requests_per_s"]["high"] or cell["requests_per_s"]["value"] for cell in cells) * 1.05
    spread = (levels[-1] - levels[0]) or levels[0]
    frame = layout(
        TALL,
        right=110,
        xaxis={
            "range": [levels[0] - 0.04 * spread, levels[-1] + 0.03 * spread],
            "tickvals": levels,
            "title": {"text": "concurrency of all generators together", "standoff": 6, "font": {"size": 12}},
        },
        yaxis={"range": [0, most], "tickformat": ",d"},
        margin={"l": 62},
    )
    traces: list[Trace] = []
    ends = []
    for name in variants.labels:
        own = [cell for cell in cells if cell["balancer"] == name]
        if own:
            traces += _banded(own, variants.labels[name], variants.colours[name])
            ends.append(
                (variants.labels[name], variants.colours[name], own[-1]["requests_per_s"]["value"] / most)
            )
    frame["annotations"] = end_labels(ends, TALL)
    for one in paper:
        if one["figure"] == "requests_per_s" and one["generators"] == generators and one["value"] < most:
            frame["shapes"].append(rule("@faint", y=one["value"], dash="2px,3px"))
            frame["annotations"].append(
                label(
                    f"paper: {one['system']} {one['value']:,.0f}", "@muted", x=0.008, y=one["value"], size=11,
                    yref="y", yanchor="bottom",
                )
            )  # fmt: skip
    words = "one generator" if generators == 1 else f"{generators} generators"
    note = "Mean and 95 % interval of the repetitions. Dotted: the paper's services, on machines of 2011."
    return Figure(f"throughput-{generators}", f"Requests a second, {words}", note, traces, frame)


def _banded(cells: Sequence[Json], name: str, colour: str) -> list[Trace]:
    users = [cell["concurrency"] for cell in cells]
    rates = [cell["requests_per_s"] for cell in cells]
    means = [one["value"] for one in rates]
    lows = [one["value"] if one["low"] is None else one["low"] for one in rates]
    highs = [one["value"] if one["high"] is None else one["high"] for one in rates]
    ribbon: Trace = {
        "type": "scatter", "mode": "lines", "x": users + users[::-1], "y": highs + lows[::-1],
        "fill": "toself", "fillcolor": colour, "opacity": 0.16,
        "line": {"width": 0, "color": colour}, "hoverinfo": "skip",
    }  # fmt: skip
    line: Trace = {
        "type": "scatter", "mode": "lines+markers", "name": name, "x": users, "y": means,
        "text": [interval(one) for one in rates], "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 6}, "hovertemplate": "%{text}",
    }  # fmt: skip
    return [ribbon, line]


def forest(differences: Sequence[Json], variants: Variants) -> Figure | None:
    """Ratios of all pairs with their intervals, the larger of each first, on a log axis."""
    if not differences:
        return None
    rows = []
    for one in differences:
        first, second, ratio = one["first"], one["second"], one["ratio"]
        if ratio["value"] < 1:
            first, second, ratio = second, first, inverse(ratio)
        value, low, high = ratio["value"], ratio["low"], ratio["high"]
        rows.append((value, low, high, f"{variants.labels[first]} ÷ {variants.labels[second]}", one))
    rows.sort(key=lambda row: row[0])
    height = ROW * len(rows) + 70
    least, most = min(row[1] for row in rows) * 0.97, max(row[2] for row in rows) * 1.03
    ticks = [tick for tick in _RATIOS if least <= tick <= most]
    if len(ticks) > _MOST_TICKS:
        ticks = [tick for tick in (0.01, 0.1, 0.5, 1, 2, 5, 10, 100) if least <= tick <= most]
    frame = layout(
        height,
        right=140,
        xaxis={
            "type": "log",
            "range": [math.log10(least), math.log10(most)],
            "tickvals": ticks,
            "ticktext": [f"{tick:g}×" for tick in ticks],
            "showgrid": True,
        },
        yaxis=_rows([plain(row[3]) for row in rows]),
        margin={"l": 190},
        hovermode="closest",
        shapes=[rule("@muted", x=1.0)],
        annotations=[
            label(
                f"{value:.2f} ({low:.2f}–{high:.2f})", "@ink" if one["significant"] else "@muted", x=1.01,
                y=index, size=11, yref="y",
            )
            for index, (value, low, high, _, one) in enumerate(rows)
        ],
    )  # fmt: skip
    traces = []
    for significant, colour, name in ((True, "@s1", "significant"), (False, "@faint", "no difference shown")):
        own = [(index, row) for index, row in enumerate(rows) if row[4]["significant"] is significant]
        traces.append(
            {
                "type": "scatter", "mode": "markers", "name": name, "x": [row[0] for _, row in own],
                "y": [index for index, _ in own], "marker": {"color": colour, "size": 8, "symbol": "square"},
                "error_x": {
                    "type": "data", "symmetric": False, "array": [row[2] - row[0] for _, row in own],
                    "arrayminus": [row[0] - row[1] for _, row in own], "color": colour, "thickness": 2,
                    "width": 0,
                },
                "hovertemplate": "%{x:.2f}<extra></extra>",
            }
        )  # fmt: skip
    note = (
        "Ratio of the throughputs over all concurrencies with its 95 % interval. Blue: significant by "
        "Welch's t and by permutation, both after Holm's correction for all pairs; grey: no difference "
        "shown."
    )
    return Figure("forest", "Every pair", note, traces, frame)


def costs(found: Sequence[Json], variants: Variants) -> Figure | None:
    """Processor time a request: of the balancer's processes, and what it adds to the whole machine."""
    shown = [one for one in found if one["added_us"]]
    if not shown:
        return None
    shown = sorted(shown, key=lambda one: -float(one["added_us"]["value"]))
    names = [plain(variants.labels[one["balancer"]]) for one in shown]
    frame = layout(
        ROW * 2 * len(shown) + 90,
        right=30,
        barmode="stack",
        hovermode="closest",
        xaxis={"title": {"text": "µs of processor time a request", "standoff": 6, "font": {"size": 12}},
               "showgrid": True, "rangemode": "tozero"},
        yaxis=_rows(names),
        margin={"l": 110, "t": 34},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
    )  # fmt: skip
    at = list(range(len(shown)))
    traces: list[Trace] = [
        _bar([_value(one["user_us"]) for one in shown], at, "its processes, user", "@s1"),
        _bar([_value(one["sys_us"]) for one in shown], at, "its processes, kernel", "@s4"),
        {
            "type": "scatter", "mode": "markers", "name": "added to the whole machine (95 %)", "y": at,
            "x": [one["added_us"]["value"] for one in shown],
            "marker": {"color": "@ink", "size": 9, "symbol": "diamond"},
            "error_x": {
                "type": "data", "symmetric": False, "color": "@ink", "thickness": 1.6, "width": 4,
                "array": [_half(one["added_us"], "high") for one in shown],
                "arrayminus": [_half(one["added_us"], "low") for one in shown],
            },
            "hovertemplate": "%{x:.1f} µs<extra></extra>",
        },
    ]  # fmt: skip
    note = (
        "Bars: the balancer's own processes. Diamonds: the whole machine's processor time a request "
        "beyond that without a balancer; it includes the second connection's work in the kernel and in "
        "the server, and is the only figure there is for balancing in the kernel."
    )
    return Figure("cost", "What a request costs", note, traces, frame)


def shares(found: Sequence[Json], variants: Variants) -> Figure | None:
    """Where a request's time goes, as stacked bars of microseconds."""
    if not found:
        return None
    shown = sorted(found, key=lambda one: -variants.order(one["balancer"]))
    names = [plain(variants.labels[one["balancer"]]) for one in shown]
    at = list(range(len(shown)))
    frame = layout(
        ROW * 2 * len(shown) + 90,
        right=60,
        barmode="stack",
        hovermode="closest",
        xaxis={"title": {"text": "µs of a request, on average", "standoff": 6, "font": {"size": 12}},
               "showgrid": True, "rangemode": "tozero"},
        yaxis=_rows(names),
        margin={"l": 110, "t": 34},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12},
                "traceorder": "normal"},
        annotations=[
            label(f"{one['response_us']:,.0f} µs", "@ink", x=one["response_us"], y=index, size=11, xref="x",
                  yref="y", xshift=5)
            for index, one in enumerate(shown)
        ],
    )  # fmt: skip
    traces = [
        _bar(
            [max(0.0, _value(one["places"][place])) for one in shown], at, _WORDS[place], colour,
            [_inside(one["shares"].get(place, 0.0)) for one in shown],
        )
        for place, colour in PLACES
    ]  # fmt: skip
    note = (
        "Measured by packets at every interface, at a modest load. The generator's part is from its "
        "intended start to its own interface and back. The paper could only infer the network's share."
    )
    return Figure("shares", "Where the time of a request goes", note, traces, frame)


def growth(found: Sequence[Json], variants: Variants) -> Figure | None:
    """Requests a second against the number of servers, each of a fraction of a processor."""
    counts = sorted({one["servers"] for one in found})
    if len(counts) < 2:
        return None
    most = max(one["requests_per_s"]["value"] for one in found) * 1.12
    frame = layout(
        300,
        right=110,
        xaxis={"tickvals": counts, "range": [counts[0] - 0.1, counts[-1] + 0.1],
               "title": {"text": "servers", "standoff": 6, "font": {"size": 12}}},
        yaxis={"range": [0, most], "tickformat": ",d"},
        margin={"l": 62},
    )  # fmt: skip
    traces, ends = [], []
    for name, words in variants.labels.items():
        own = [one for one in found if one["balancer"] == name]
        if own:
            colour = variants.colours[name]
            traces.append(
                {
                    "type": "scatter", "mode": "lines+markers", "name": words,
                    "x": [one["servers"] for one in own],
                    "y": [one["requests_per_s"]["value"] for one in own],
                    "line": {"color": colour, "width": 2}, "marker": {"color": colour, "size": 6},
                    "hovertemplate": "%{y:,.0f}",
                }
            )  # fmt: skip
            ends.append((words, colour, own[-1]["requests_per_s"]["value"] / most))
    frame["annotations"] = end_labels(ends, 300)
    note = "Servers with a small quota of processor each, so that they and not the machine are the limit."
    return Figure("growth", "Requests a second by number of servers", note, traces, frame)


def _rows(names: Sequence[str]) -> Layout:
    return {
        "tickvals": list(range(len(names))), "ticktext": list(names), "range": [-0.6, len(names) - 0.4],
        "showgrid": False, "tickfont": {"color": "@ink"},
    }  # fmt: skip


def _bar(
    values: Sequence[float], at: Sequence[int], name: str, colour: str, words: Sequence[str] | None = None
) -> Trace:
    trace: dict[str, Any] = {
        "type": "bar", "orientation": "h", "name": name, "x": list(values), "y": list(at), "width": 0.55,
        "marker": {"color": colour}, "hovertemplate": f"{name}: %{{x:.1f}} µs<extra></extra>",
    }  # fmt: skip
    if words:
        trace |= {"text": list(words), "textposition": "inside", "insidetextanchor": "middle", "textangle": 0,
                  "textfont": {"color": "@page", "size": 11}}  # fmt: skip
    return trace


def _inside(share: float) -> str:
    """Words that fit into a bar's part; none into a sliver."""
    return f"{share:.0%}" if share >= 0.06 else ""


def _value(one: Json | None) -> float:
    return float(one["value"]) if one else 0.0


def _half(one: Json, bound: str) -> float:
    return 0.0 if one[bound] is None else abs(float(one[bound]) - float(one["value"]))
