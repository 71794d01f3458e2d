"""The page of a measurement of the database tier, from its lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tier.variants import VARIANTS

from loadstone.judge.estimates import mean, positive_mean

Row = dict[str, Any]


def readme(rows: Sequence[Row], machine: str) -> str:
    """Markdown."""
    loads = [row["load_1m"] for row in rows]
    commands = "; ".join(f"`{one}`" for one in dict.fromkeys(row["command"] for row in rows))
    lines = [
        "# The database tier",
        "",
        f"{commands}, {rows[0]['at']} to {rows[-1]['at']}, {machine}.",
        f"Load of the machine as runs began, over a minute: {min(loads):.1f} to {max(loads):.1f}; above its"
        " number of processors, other work was in the way.",
        "",
        "## The database alone",
        "Means with 95 % intervals of repeated runs of sysbench.",
        "",
        "| database | test | runs | transactions/s | queries/s | p95, ms |",
        "|---|---|---|---|---|---|",
        *_baselines(rows),
        "",
        "## Each setting",
        "Ratio to the base (128 MiB, durable, no query log, 8 connections, all indexes, no copy).",
        "It is the geometric mean of pairs, with Student's 95 % interval of its logarithm.",
        "An interval that holds 1 shows no difference.",
        "",
        "| database | variant | pairs | operations/s | database's CPU an operation | failed |",
        "|---|---|---|---|---|---|",
        *_variants(rows),
    ]
    return "\n".join(lines) + "\n"


def _baselines(rows: Sequence[Row]) -> list[str]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["kind"] == "baseline":
            found.setdefault((row["database"], row["test"]), []).append(row)
    return [
        f"| {database} | {test} | {len(mine)} | "
        + " | ".join(_mean(mine, name) for name in ("transactions_per_s", "queries_per_s", "latency_ms_p95"))
        + " |"
        for (database, test), mine in found.items()
    ]


def _mean(rows: Sequence[Row], name: str) -> str:
    one = positive_mean([row[name] for row in rows])
    if one.low is None or one.high is None:
        return _figure(one.value)
    return f"{_figure(one.value)} ({_figure(one.low)} to {_figure(one.high)})"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _variants(rows: Sequence[Row]) -> list[str]:
    lines = []
    for database in dict.fromkeys(row["database"] for row in rows):
        for variant in VARIANTS:
            mine = [
                row
                for row in rows
                if (row.get("variant"), row["database"]) == (variant.name, database) and row["kind"] == "pair"
            ]
            if mine:
                failed = sum(row["failed"] for row in mine)
                figures = " | ".join(_ratio(mine, name) for name in ("ops_per_s", "database_cpu_ms_per_op"))
                pairs = len(_pairs(mine, "ops_per_s"))
                lines.append(
                    f"| {database} | {variant.name}: {variant.said} | {pairs} | {figures} | {failed} |"
                )
    return lines


def _pairs(rows: Sequence[Row], name: str) -> list[float]:
    """Logarithms of variant ÷ base, of the pairs that are whole."""
    sides = {(row["number"], row["side"]): row.get(name) for row in rows}
    numbers = sorted({number for number, _ in sides})
    both = [(sides.get((number, "a")), sides.get((number, "b"))) for number in numbers]
    return [math.log(new / old) for old, new in both if old and new]


def _ratio(rows: Sequence[Row], name: str) -> str:
    """The geometric mean with its interval."""
    logs = _pairs(rows, name)
    if not logs:
        return "–"
    one = mean(logs)
    if one.low is None or one.high is None:
        return f"{math.exp(one.value):.2f}"
    return f"{math.exp(one.value):.2f} ({math.exp(one.low):.2f} to {math.exp(one.high):.2f})"
