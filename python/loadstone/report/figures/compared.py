"""Response times of releases beside each other: new ÷ old with its interval, a small chart an operation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadstone.report.differences import operation_of, ratio
from loadstone.report.figures.figure import Figure, Trace, layout, rule
from loadstone.stages.compare import Compared, Comparison

_ROW = 24
_TINTS = {"faster": "@good", "slower": "@bad", "~": "@muted"}
_TICKS = (0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 2, 5, 10)


def ratios(found: Comparison, side: str) -> list[Figure]:
    """The response times of one newer side, by operation, on one axis."""
    rows = [one for one in found.rows if one.side == side and one.unit == "ms" and one.ratio]
    ends = [
        end for one in rows if one.ratio for end in (one.ratio.value, one.ratio.low, one.ratio.high) if end
    ]
    if not ends:
        return []
    reach = max(math.log10(1.02), *(abs(math.log10(end)) for end in ends)) * 1.1
    names = dict.fromkeys(one.operation for one in rows)
    return [_ratios([one for one in rows if one.operation == name], min(reach, 1.0)) for name in names]


def _ratios(rows: Sequence[Compared], reach: float) -> Figure:
    rows = rows[::-1]  # an axis begins at the bottom
    ticks = [tick for tick in _TICKS if abs(math.log10(tick)) <= reach]
    while len(ticks) > 5:
        middle = ticks.index(1)
        ticks = [tick for at, tick in enumerate(ticks) if (at - middle) % 2 == 0]
    frame = layout(
        _ROW * len(rows) + 60,
        right=20,
        xaxis={
            "type": "log",
            "range": [-reach, reach],
            "tickvals": ticks,
            "ticktext": [f"{tick:g}" for tick in ticks],
        },
        yaxis={
            "range": [-0.6, len(rows) - 0.4],
            "tickvals": list(range(len(rows))),
            "ticktext": [one.figure for one in rows],
            "showgrid": False,
        },
        hovermode="closest",
    )
    frame["shapes"].append(rule("@ink", x=1, dash="solid"))
    traces = [_interval(one, at, reach) for at, one in enumerate(rows)]
    told = ", ".join(f"{one.figure} {ratio(one.ratio)} {one.said}" for one in rows[::-1] if one.ratio)
    return Figure("ratios", operation_of(rows[0]), f"New ÷ old: {told}.", traces, frame, quiet=True)


def _interval(one: Compared, at: int, reach: float) -> Trace:
    assert one.ratio is not None
    low, high = one.ratio.low or 10**-reach, one.ratio.high or 10**reach
    value = one.ratio.value
    tint = _TINTS.get(one.said, "@muted")
    return {
        "type": "scatter", "mode": "markers", "name": one.figure, "x": [value], "y": [at],
        "text": [f"{one.figure}: {ratio(one.ratio)}, {one.said}"],
        "marker": {"color": tint, "size": 8},
        "error_x": {
            "type": "data", "symmetric": False, "array": [high - value], "arrayminus": [value - low],
            "color": tint, "thickness": 2, "width": 0,
        },
        "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip
