"""The table of faults, as a page."""

from __future__ import annotations

import os
from typing import Any

Row = dict[str, Any]


def readme(rows: list[Row]) -> str:
    """Every row with what was told, lost and left."""
    lines = "".join(f"| {' | '.join(cells(row))} |\n" for row in rows)
    return f"""# Faults: what is told, lost and left
`python bench/faults_table.py --out DIR` on {os.cpu_count()} cores. Raw data: `faults.json`.

| service | fault | told | orders acknowledged / in the database | lost | left over | mended by |
|---|---|---|---|---|---|---|
{lines}"""


def cells(row: Row) -> list[str]:
    """One row in words."""
    counted = "acknowledged" in row
    orders = f"{row['acknowledged']} / {row['in_database']}" if counted else "–"
    return [
        row["service"], row["fault"], told(row), orders, lost(row), left(row), row.get("mended_by", "–"),
    ]  # fmt: skip


def told(row: Row) -> str:
    """Events of the run, warnings or states; and how the command ended."""
    words = "; ".join(row["told"]) or "nothing"
    failed = f"; {row['failed']} failed orders" if row.get("failed") else ""
    return f"{words}{failed} (code {row['exit']})".replace("|", "/")


def lost(row: Row) -> str:
    """Orders that were acknowledged and are not there."""
    if "acknowledged" not in row:
        return "–" if row.get("orders", 0) >= 0 else "the data"
    missing = row["acknowledged"] - row["in_database"]
    return f"{missing} orders" if missing > 0 else "nothing"


def left(row: Row) -> str:
    """Of hosts and of this machine; and services that do not run as they should."""
    parts = [f"{host}: {', '.join(lines)}" for host, lines in row.get("left", {}).items()]
    parts += [f"here: {name}" for name in [*row.get("left_here", []), *row.get("left_here_processes", [])]]
    parts += [f"{name} is {state}" for name, state in row.get("states", {}).items()]
    return "; ".join(parts) or "nothing"
