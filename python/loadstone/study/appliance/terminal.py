"""The study of appliances on the terminal."""

from __future__ import annotations

from typing import Any

from loadstone.study.told import told as told_findings
from loadstone.study.words import Block, Columns, interval

Json = dict[str, Any]

_MARKS = {"met": "met", "missed": "MISSED", "open": "open", None: "not measured"}


def told(measured: Json) -> str:
    """One measurement: its first few figures."""
    return "  ".join(f"{name} {value:,.5g}" for name, value in list(measured.items())[:3])


def answer(content: Json) -> list[Block]:
    """What was to be shown, and whether it was."""
    rows = [
        [_MARKS[one["verdict"]], _bound(one), interval(one["measured"], 2), one["what"]]
        for one in content["targets"]
    ]
    head = ["", "bound", "worst (interval)", "what"]
    return [Columns(head, rows, frozenset(head[1:3])), *told_findings(content)]


def _bound(target: Json) -> str:
    return f"≤ {target['most']:g}" if target["least"] is None else f"≥ {target['least']:g}"
