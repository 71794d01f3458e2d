"""The study of load balancers on the terminal."""

from __future__ import annotations

from typing import Any

from loadstone.study.told import told as told_findings
from loadstone.study.words import Block, Columns, interval

Json = dict[str, Any]


def told(measured: Json) -> str:
    """One measurement: requests a second, and what failed."""
    lost = sum(measured["failed"].values())
    return f"{measured['requests_per_s']:,.0f}/s" + (f"  {lost} failed" if lost else "")


def answer(content: Json) -> list[Block]:
    """What each balancer carried, and what a reader must know of it."""
    blocks: list[Block] = []
    if throughput := content["parts"].get("throughput"):
        labels = {one["name"]: one["label"] for one in content["variants"]}
        head = ["variant", "generators", "requests/s (95 %)", "highest (95 %)", "at"]
        rows = [
            [
                labels[one["balancer"]],
                str(one["generators"]),
                interval(one["pooled"]),
                interval(one["highest"]),
                str(one["highest_at"]),
            ]
            for one in throughput["pooled"]
        ]
        blocks.append(Columns(head, rows, frozenset(head[1:])))
    if content["warnings"]:
        blocks.append("\n".join(f"warning: {warning}" for warning in content["warnings"]))
    return blocks + told_findings(content)
