"""The study of connectors on the terminal."""

from __future__ import annotations

from typing import Any

from loadstone.study.told import told as told_findings
from loadstone.study.words import Block, Columns, interval

Json = dict[str, Any]

_FIGURES = {
    "completed": ("completed", 0),
    "sessions/s": ("sessions_per_s", 1),
    "p50 ms": ("response_ms_p50", 0),
    "closed by server": ("closed_by_server", 0),
}
"""Heading, figure, digits."""


def told(measured: Json) -> str:
    """One measurement: completed sessions, and how many a second."""
    return f"{measured['completed']} completed, {measured['sessions_per_s']:.1f}/s"


def answer(content: Json) -> list[Block]:
    """Every server under the highest load of each experiment, the targets, and what was found."""
    labels = {one["name"]: one["label"] for one in content["variants"]}
    blocks: list[Block] = [_table(part, labels) for part in content["parts"].values()]
    targets = [
        f"{one['verdict']}: {one['what']}: {interval(one['measured'], 2)}"
        for one in content["targets"]
        if one["verdict"] is not None
    ]
    return [*blocks, *(["\n".join(targets)] if targets else []), *told_findings(content)]


def _table(part: Json, labels: dict[str, str]) -> Columns:
    own = [cell for cell in part["cells"] if cell["client"] == "loadstone"]
    most = max((cell["sessions_per_s_offered"] for cell in own), default=0)
    rows = [
        [
            labels[cell["server"]],
            *(_value(cell["figures"][name], digits) for name, digits in _FIGURES.values()),
        ]
        for cell in sorted(own, key=lambda one: -one["figures"]["sessions_per_s"]["value"])
        if cell["sessions_per_s_offered"] == most
    ]
    return Columns([f"{part['title']}, {most:g} sessions/s", *_FIGURES], rows, frozenset(_FIGURES))


def _value(one: Json | None, digits: int) -> str:
    return "–" if one is None else f"{one['value']:,.{digits}f}"
