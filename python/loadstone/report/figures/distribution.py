"""The response time's distribution beside the limit: a small chart for each operation, on one common axis."""

from __future__ import annotations

import math

from loadstone.report import format, series
from loadstone.report.figures.figure import Figure, label, layout, log_time_axis, rule
from loadstone.report.folder import Run
from loadstone.report.series import Curve
from loadstone.stages.run_operations import OperationFigures

HEIGHT = 190


def distributions(run: Run) -> list[Figure]:
    """A distribution for each operation answered in the steady state, in the run's order."""
    table = run.table("histograms")
    operations = run.summary.operations
    if not table:
        return []
    found = series.curves(table, {name: operation.count for name, operation in operations.items()})
    if not found:
        return []
    limits = [operation.limit_s for operation in operations.values() if operation.limit_s]
    low = min(curve.response_s[0] for curve in found.values()) * 0.8
    high = max([curve.response_s[-1] for curve in found.values()] + limits) * 1.5
    return [_distribution(curve, operations[name], low, high) for name, curve in found.items()]


def _distribution(curve: Curve, operation: OperationFigures, low: float, high: float) -> Figure:
    axis = log_time_axis(low, high, most=5)
    frame = layout(
        HEIGHT,
        right=14,
        xaxis=axis,
        yaxis={"range": [0, 1.02], "tickvals": [0, 0.5, 0.9, 1], "ticktext": ["0", "50 %", "90 %", ""]},
        hovermode="closest",
    )
    limit, within = operation.limit_s, operation.share_within_limit
    title, note = curve.operation, "Share of the operations answered within the time below."
    if limit:
        frame["shapes"] = [rule("@s2", x=limit)]
        words = f"limit {format.seconds(limit)}"
        frame["annotations"] = [
            label(
                words,
                "@s2",
                x=_log10(limit),
                y=0.04,
                size=11,
                xref="x",
                xanchor="right",
                yanchor="bottom",
                xshift=-4,
            )
        ]
        note = f"{format.share(within)} within the limit of {format.seconds(limit)}."
    trace = {
        "type": "scatter",
        "mode": "lines",
        "name": curve.operation,
        "x": curve.response_s,
        "y": curve.share,
        "line": {"color": "@s1", "width": 2, "shape": "hv"},
        "hovertemplate": "%{y:.2%} within %{x:.3~s}s<extra></extra>",
    }
    return Figure("distribution", title, note, [trace], frame)


def _log10(value: float) -> float:
    """Plotly places annotations on a log axis by the logarithm, but shapes by the value."""
    return math.log10(value)
