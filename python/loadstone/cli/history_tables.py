"""The runs of a history as a list, and the trend of each operation as a line of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadstone.stages.compare import History, HistorySeries

_BLOCKS = "▁▂▃▄▅▆▇█"
_LONGEST = 40
"""Blocks of a trend; of more runs, neighbours share one."""
Formed = Callable[[list[str], list[list[str]], set[str]], str]
"""Makes a table of a head, rows, and the names of columns of numbers."""


def runs_table(found: History, last: int, formed: Formed) -> str:
    """The latest runs with the figures of all operations together, the latest at the end."""
    whole = [one for one in found.figures if one.operation == "*"]
    named = [f"{one.figure} {_unit(one.unit)}" for one in whole]
    begin = max(0, len(found.runs) - last)
    rows = [
        [Path(run.run).name, run.started_at or "", *(_number(one, at) for one in whole)]
        for at, run in enumerate(found.runs)
        if at >= begin
    ]
    table = formed(["run", "began", *named], rows, set(named))
    return f"{begin} earlier runs are not listed (--last)\n{table}" if begin else table


def trends_table(found: History, figure: str, formed: Formed) -> str:
    """One line an operation: its figure from run to run, from the least (▁) to the greatest (█)."""
    rows = []
    for one in found.figures:
        if one.figure != figure:
            continue
        first, last = one.values[0], one.values[-1]
        if one.unit == "%":
            change = f"{last - first:+.2f} points"
        else:
            change = f"{100 * (last / first - 1):+.1f} %" if first else ""
        ends = [_number(one, 0), _number(one, len(one.values) - 1)]
        name = "all" if one.operation == "*" else one.operation
        rows.append([name, f"{figure} {_unit(one.unit)}", trend(one.values), *ends, change])
    return formed(
        ["operation", "figure", "trend", "first", "last", "change"], rows, {"first", "last", "change"}
    )


def trend(values: Sequence[float]) -> str:
    """Values as blocks.

    >>> trend([10, 11, 12, 17]), trend([5, 5]), len(trend(range(100)))
    ('▁▂▃█', '▄▄', 34)
    """
    width = -(-len(values) // _LONGEST)
    parts = [values[at : at + width] for at in range(0, len(values), width)]
    means = [sum(part) / len(part) for part in parts]
    low, high = min(means), max(means)
    if high == low:
        return _BLOCKS[3] * len(means)
    return "".join(_BLOCKS[round((one - low) / (high - low) * (len(_BLOCKS) - 1))] for one in means)


def _number(one: HistorySeries, at: int) -> str:
    value = one.values[at]
    return f"{value:.2f}" if one.unit == "%" or value < 10 else f"{value:,.1f}"


def _unit(unit: str) -> str:
    return "/s" if unit == "operations/s" else unit
