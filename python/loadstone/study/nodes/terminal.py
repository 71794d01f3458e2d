"""The study of nodes on the terminal."""

from __future__ import annotations

from typing import Any

from loadstone.stages.inject import OUTCOMES
from loadstone.study.told import told as told_findings
from loadstone.study.words import Block, Columns

Json = dict[str, Any]


def told(measured: Json) -> str:
    """How many cells or rows came of a task."""
    if "cells" in measured:
        return f"{len(measured['cells'])} cells"
    return f"{len(measured['rows'])} rows"


def answer(content: Json) -> list[Block]:
    """Every table with the paper's number and ours, then what it amounts to."""
    tables: list[Block] = [_table(table) for table in content["parts"]["tables"]]
    return [*tables, *_measured(content["parts"].get("measured", {})), *told_findings(content)]


def _measured(found: Json) -> list[Block]:
    """Table I, throughput and cost as they were measured here, beside the paper's."""
    blocks: list[Block] = []
    if outcomes := found.get("outcomes"):
        blocks.append(_outcomes(outcomes, "Table I, measured: % of faults, beside the paper's"))
    if live := found.get("live"):
        named = [row | {"build": f"{row['server']}, {row['build']}"} for row in live]
        blocks.append(_outcomes(named, "Table I on live servers, measured: % of faults, beside the paper's"))
    if carried := found.get("throughput"):
        kernels = list(carried[0]["kernels"])
        head = ["build", *kernels, "mean", "paper's", "plans with"]
        rows = [
            [
                row["build"], *(f"{row['kernels'][name]:.2f}" for name in kernels), f"{row['mean']:.2f}",
                row["beside"], f"{row['paper_plans']:.2f}",
            ]
            for row in carried
        ]  # fmt: skip
        right = frozenset(head) - {"build", "paper's"}
        blocks.append(
            Columns(head, rows, right, "Throughput against native, measured: programs that only compute")
        )
    return [*blocks, *_spent(found.get("integrity", [])), *_paid(found.get("cost", []))]


def _outcomes(found: list[Json], title: str) -> Columns:
    head = ["build", "faults", *OUTCOMES, "paper's", "corrupt", "down", "retried"]
    rows = [
        [
            row["build"], f"{row['injected']:,}",
            *(f"{100 * one['share']:.2f}" for one in row["shares"]),
            row["beside"],
            *(f"{100 * row['paper'][name]:.2f}" for name in ("corrupt", "down", "recovered")),
        ]
        for row in found
    ]  # fmt: skip
    return Columns(head, rows, frozenset(head) - {"build", "paper's"}, title)


def _spent(lines: list[Json]) -> list[Block]:
    head = ["build", "faults", "corrupt", "from", "to", "paper's", "corrupt (paper)", "down", "down (paper)"]
    rows = [
        [
            line["build"], one["faults"],
            *(f"{100 * one['corrupt'][key]:.4g}" for key in ("value", "low", "high")),
            line["beside"], f"{100 * one['corrupt']['paper']:.4g}",
            f"{100 * one['down']['value']:.3g}", f"{100 * one['down']['paper']:.3g}",
        ]
        for line in lines
        for one in line["points"]
    ]  # fmt: skip
    title = "Figure 7, from measured shares: % of a month"
    return [Columns(head, rows, frozenset(head) - {"build", "faults", "paper's"}, title)] if rows else []


def _paid(found: list[Json]) -> list[Block]:
    head = [
        "node",
        "throughput",
        "nodes",
        "$/user/month",
        "more",
        "corrupt, s a month",
        "at most",
        "times less",
    ]
    rows = [
        [
            row["node"], f"{row['throughput']:.2f}", str(row["num"]), f"{row['usd_per_user_month']:.4f}",
            f"{100 * row['extra']:.0f} %", f"{row['corrupt_s_a_month']:.4g}",
            f"{row['corrupt_s_a_month_high']:.4g}",
            "–" if row["times_less"] is None else f"{row['times_less']:.4g}",
        ]
        for row in found
    ]  # fmt: skip
    title = (
        f"What protection costs and buys: {found[0]['faults']} faults, {found[0]['price']}" if found else ""
    )
    return [Columns(head, rows, frozenset(head[1:]), title)] if rows else []


def _table(table: Json) -> Columns:
    cells = table["cells"]
    nodes = list(dict.fromkeys(cell["node"] for cell in cells))
    head = ["column", "crashes", *(f"{name} paper/ours" for name in nodes)]
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        row = rows.setdefault((cell["column"], cell["crash"]), [cell["column"], cell["crash"]])
        row.append(f"{'–' if cell['paper'] is None else cell['paper']} / {cell['ours']}")
    return Columns(head, list(rows.values()), frozenset(head[2:]), f"{table['place']}, {table['title']}")
