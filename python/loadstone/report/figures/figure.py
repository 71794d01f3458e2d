"""One chart, and the pieces every chart is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.report.series import Series

Trace = dict[str, Any]
Layout = dict[str, Any]

TIME_TICKS = [m * 10.0**e for e in range(-6, 5) for m in (1, 2, 5)]


@dataclass(frozen=True)
class Figure:
    """A Plotly chart; a colour `@name` is the theme's `name`."""

    slug: str
    title: str
    """What is shown, with its unit: the caption."""
    note: str
    """What to see in it: for the reader, and for those who cannot see it."""
    traces: list[Trace]
    layout: Layout
    quiet: bool = False
    """The note is said aloud only: the section says it once for all its charts."""

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self.layout["height"])


def layout(height: int, *, right: int = 76, **changes: Any) -> Layout:
    """The frame of a chart: `right` pixels hold the labels at the lines' ends."""
    axis = {
        "gridcolor": "@grid",
        "zeroline": False,
        "fixedrange": True,
        "ticklen": 4,
        "tickcolor": "@rule",
        "linecolor": "@rule",
        "automargin": False,
    }
    frame: Layout = {
        "height": height,
        "autosize": True,
        "margin": {"l": 54, "r": right, "t": 14, "b": 42},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"size": 12, "color": "@muted", "family": "system-ui, -apple-system, 'Segoe UI', sans-serif"},
        "showlegend": False,
        "hovermode": "x unified",
        "hoverlabel": {"bgcolor": "@raised", "bordercolor": "@rule", "font": {"color": "@ink", "size": 12}},
        "dragmode": False,
        "xaxis": axis | {"showgrid": False, "showline": True, "ticks": "outside", "tickangle": 0},
        "yaxis": axis | {"ticks": ""},
        "shapes": [],
        "annotations": [],
    }
    for name, change in changes.items():
        frame[name] = frame[name] | change if isinstance(frame.get(name), dict) else change
    return frame


def line(series: Series, colour: str, *, hover: str, width: float = 1.6) -> Trace:
    """A line through a series; it breaks where a value is unknown."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": series.name,
        "x": series.at_s,
        "y": [None if value is None else round(value, 6) for value in series.values],
        "line": {"color": colour, "width": width},
        "connectgaps": False,
        "hovertemplate": hover,
    }


def label(text: str, colour: str, *, x: float, y: float, size: int = 12, **where: Any) -> dict[str, Any]:
    """Words beside what they name; in the paper's coordinates unless `where` says otherwise."""
    placed = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "middle"} | where
    return {
        "text": plain(text),
        "x": x,
        "y": y,
        "showarrow": False,
        "font": {"color": colour, "size": size},
    } | placed


def end_labels(ends: Sequence[tuple[str, str, float]], height: int) -> list[dict[str, Any]]:
    """Labels at the right ends of lines, pushed apart where they meet: (words, colour, height 0–1)."""
    gap = 15 / max(1, height - 56)
    placed: list[tuple[str, str, float]] = []
    for words, colour, at in sorted(ends, key=lambda end: end[2]):
        low = placed[-1][2] + gap if placed else 0.0
        placed.append((words, colour, max(at, low)))
    over = max(0.0, placed[-1][2] - 1) if placed else 0.0
    return [label(words, colour, x=1.008, y=at - over) for words, colour, at in placed]


def rule(
    colour: str, *, x: float | None = None, y: float | None = None, dash: str = "4px,3px"
) -> dict[str, Any]:
    """A straight line across the plot, at `x` or at `y`."""
    span = {"type": "line", "line": {"color": colour, "width": 1.2, "dash": dash}, "layer": "above"}
    if x is not None:
        return span | {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
    return span | {"y0": y, "y1": y, "xref": "paper", "x0": 0, "x1": 1}


def band(x0: float, x1: float, colour: str) -> dict[str, Any]:
    """A shaded span of x."""
    fill = {"fillcolor": colour, "line": {"width": 0}, "layer": "below"}
    return {"type": "rect", "x0": x0, "x1": x1, "yref": "paper", "y0": 0, "y1": 1} | fill


def log_time_axis(low_s: float, high_s: float, most: int = 6) -> Layout:
    """A log axis of times from `low_s` to `high_s` seconds, with ticks at round values."""
    low, high = math.log10(max(low_s, 1e-6)), math.log10(max(high_s, low_s * 2, 2e-6))
    ticks = [tick for tick in TIME_TICKS if low <= math.log10(tick) <= high]
    while len(ticks) > most:
        powers = [tick for tick in ticks if math.isclose(math.log10(tick) % 1, 0, abs_tol=1e-9)]
        ticks = powers if 1 < len(powers) < len(ticks) else ticks[::2]
    return {
        "type": "log",
        "range": [low, high],
        "tickvals": ticks,
        "ticktext": [duration(tick) for tick in ticks],
    }


def duration(seconds: float) -> str:
    """A time for a tick.

    >>> duration(0.0005), duration(0.02), duration(5.0)
    ('0.5 ms', '20 ms', '5 s')
    """
    return f"{seconds * 1000:g} ms" if seconds < 0.9999 else f"{seconds:g} s"


def plain(words: str) -> str:
    """`words` with nothing Plotly would take for markup."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
