"""Plain aligned columns for stdout: text to the left, numbers to the right."""

from __future__ import annotations


def columns(head: list[str], rows: list[list[str]], right: frozenset[str] | set[str] = frozenset()) -> str:
    """The table as lines; `right` names the columns set to the right.

    >>> print(columns(["node", "total"], [["native", "45"], ["tx", "7"]], {"total"}))
    node    total
    native     45
    tx          7
    """
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for cell, width, name in zip(row, widths, head, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def pipes(head: list[str], rows: list[list[str]], right: frozenset[str] | set[str] = frozenset()) -> str:
    """The same as Markdown."""
    rule = ["---:" if name in right else "---" for name in head]
    escaped = [[cell.replace("|", "\\|") for cell in cells] for cells in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, rule, *escaped])
