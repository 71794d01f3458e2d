"""The study of stacks on the terminal."""

from __future__ import annotations

from typing import Any

from loadstone.study.stacks.words import per_month, users
from loadstone.study.told import told as told_findings
from loadstone.study.words import Block, Columns

Json = dict[str, Any]


def told(measured: Json) -> str:
    """One configuration: what holds and what breaks each SLA."""
    ends = []
    for sla in ("SLA-1", "SLA-2"):
        low, high = (measured[sla][end] for end in ("low", "high"))
        ends.append(f"{sla} {'?' if low is None else f'{low:g}'}..{'?' if high is None else f'{high:g}'}")
    return f"{', '.join(ends)} users; {len(measured['runs'])} runs, {measured['outcome']}"


def answer(content: Json) -> list[Block]:
    """Users and dollars of each configuration, then what was found."""
    head = ["configuration", "users at SLA-1", "users at SLA-2", "$ a user and month at SLA-1"]
    rows = [
        [one["label"], users(one.get("SLA-1")), users(one.get("SLA-2")), per_month(one.get("SLA-1"), "now")]
        for one in content["parts"].values()
    ]
    return [Columns(head, rows, frozenset(head[1:])), *told_findings(content)]
