"""Where the time of each operation goes: a bar for it, a piece for each of its steps and their files."""

from __future__ import annotations

from loadstone.report.figures.figure import Figure, Trace, layout
from loadstone.report.folder import Run
from loadstone.report.format import figure as spelled
from loadstone.report.series import LEAST
from loadstone.stages.run_operations import OperationFigures, StepPart

ROW = 34
_LETTER = 6.6
"""Mean width of a letter of an axis."""
_KINDS = ("first answer", "later answers", "files of its pages", "connecting", "TLS handshakes")
_MARKERS = (
    {"color": "@s1"},
    {"color": "@s2"},
    # Not by its colour alone.
    {
        "color": "@s3",
        "pattern": {"shape": "/", "fillmode": "overlay", "fgcolor": "@page", "size": 7, "solidity": 0.25},
    },
    {"color": "@s4"},
    {
        "color": "@s5",
        "pattern": {"shape": "x", "fillmode": "overlay", "fgcolor": "@page", "size": 7, "solidity": 0.25},
    },
)
_APART = {"files": 2, "connect": 3, "handshake": 4}
"""The kinds of parts that are no answers."""


def time_per_step(run: Run) -> Figure | None:
    """The mean service time of each operation of several steps, and what it is made of."""
    timed = {
        name: one
        for name, one in run.summary.operations.items()
        if one.ok >= LEAST and one.steps and one.service_ms and one.service_ms.mean
    }
    if not timed:
        return None
    # The first operation stands at the top, and an axis begins at the bottom.
    names = list(timed)[::-1]
    frame = layout(
        ROW * len(names) + 96,
        right=24,
        xaxis={
            "title": {"text": "mean time, ms", "standoff": 8, "font": {"size": 12}},
            "rangemode": "tozero",
            "showgrid": True,
        },
        yaxis={"tickvals": list(range(len(names))), "ticktext": names, "showgrid": False},
        margin={"l": 24 + round(_LETTER * max(len(name) for name in names)), "t": 34},
        barmode="overlay",
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font": {"size": 12}},
        hovermode="closest",
    )
    traces = [_trace(kind, timed, names) for kind in range(len(_KINDS))]
    note = (
        "Mean service time of right answers, cut at the ends of the steps. A step that only some operations "
        "take is as long as its part of the whole. Pointing at a piece names its request."
    )
    title = "Time per step: where the time of each operation goes"
    return Figure("steps", title, note, [one for one in traces if one["x"]], frame)


def _trace(kind: int, timed: dict[str, OperationFigures], names: list[str]) -> Trace:
    pieces = [
        (names.index(name), *piece)
        for name, one in timed.items()
        for piece in _pieces(one)
        if _kind(piece[2]) == kind
    ]
    return {
        "type": "bar", "orientation": "h", "name": _KINDS[kind], "width": 0.55,
        "y": [row for row, *_ in pieces], "base": [round(start, 4) for _, start, _, _ in pieces],
        "x": [round(length, 4) for _, _, length, _ in pieces],
        "text": [_said(part) for *_, part in pieces], "textposition": "none",
        "marker": _MARKERS[kind] | {"line": {"color": "@page", "width": 1}},
        "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip


def _pieces(one: OperationFigures) -> list[tuple[float, float, StepPart]]:
    """Where each part begins, how long it is, both in ms of the mean operation, and the part."""
    whole = (one.service_ms and one.service_ms.mean) or 0.0
    pieces, start = [], 0.0
    for part in one.steps:
        length = (part.share or 0.0) * whole
        pieces.append((start, length, part))
        start += length
    return pieces


def _kind(part: StepPart) -> int:
    return _APART.get(part.part, min(part.step, 1))


def _said(part: StepPart) -> str:
    what = {"files": ": its files", "connect": ": connecting", "handshake": ": TLS handshake"}
    first = part.first_byte_ms and part.first_byte_ms.mean
    begun = f", {spelled(first)} ms of it to the first byte" if first is not None else ""
    said = f"{part.request}{what.get(part.part, '')}: {spelled(part.ms.mean)} ms{begun}"
    return f"{said}, taken {part.count} times"
