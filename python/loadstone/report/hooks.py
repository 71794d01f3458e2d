"""The table of functions that steps called: how often, how long, what they needed."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words

_POINTS = ("mean", "p50", "p99", "max")


def hooks(run: Run) -> Table | None:
    """Every function that was called; None of a run without any."""
    rows: list[Row] = [
        {
            "function": one.function,
            "calls": one.returned + one.failed,
            "failed": one.failed,
            "total_s": one.total_s,
            "wait_ms_p99": one.wait_ms.p99,
            "cpu_us_mean": one.cpu_us_mean,
            "cpu_share": one.cpu_share,
        }
        | {f"ms_{point}": getattr(one.ms, point) for point in _POINTS}
        for one in run.summary.hooks
    ]
    if not rows:
        return None
    columns = [
        words("function", "function"),
        Column("calls", "calls"),
        Column("failed", "failed"),
        Column("total_s", "in all, s", format.figure),
        *(Column(f"ms_{point}", f"{point}, ms", format.figure) for point in _POINTS),
        Column("wait_ms_p99", "waited p99, ms", format.figure),
        Column("cpu_us_mean", "CPU of a call, µs", format.figure),
        Column("cpu_share", "of a processor", format.share),
    ]
    note = (
        "Steady state only. The time of a call is the generator’s: it is in no response time. Waited: from "
        "when a user needed it to when it began. CPU with everything around the function."
    )
    return Table("hooks", "Functions that steps called", columns, rows, note)
