"""The study of nodes on the terminal."""

from __future__ import annotations

from typing import Any

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
    return [*tables, *told_findings(content)]


def _table(table: Json) -> Columns:
    cells = table["cells"]
    nodes = list(dict.fromkeys(cell["node"] for cell in cells))
    head = ["column", "crashes", *(f"{name} paper/ours" for name in nodes)]
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        row = rows.setdefault((cell["column"], cell["crash"]), [cell["column"], cell["crash"]])
        row.append(f"{'–' if cell['paper'] is None else cell['paper']} / {cell['ours']}")
    return Columns(head, list(rows.values()), frozenset(head[2:]), f"{table['place']}, {table['title']}")
