"""The table of the steps of operations: which of them takes the time."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words

_SPOKEN = {
    "connect": "connecting",
    "handshake": "TLS handshake",
    "answer": "its answer",
    "files": "its files",
}
_POINTS = ("mean", "p50", "p90", "p99", "max")


def steps(run: Run) -> Table | None:
    """Every part of every step; None if all operations are single plain requests, or steps were not timed."""
    rows: list[Row] = [
        {
            "operation": name,
            "step": part.step + 1,
            "request": part.request,
            "part": part.part,
            "count": part.count,
            "share": part.share,
        }
        | {f"ms_{point}": getattr(part.ms, point) for point in _POINTS}
        for name, operation in run.summary.operations.items()
        for part in operation.steps
    ]
    if not rows:
        return None
    columns = [
        words("operation", "operation"),
        Column("step", "step"),
        words("request", "request"),
        words("part", "time of", lambda part: _SPOKEN[part]),
        Column("count", "taken"),
        Column("share", "of the operation’s time", format.share),
        *(Column(f"ms_{point}", f"{point}, ms", format.figure) for point in _POINTS),
    ]
    note = (
        "Right answers of the steady state. Answer: from the end of the step before to its last byte, "
        "redirects and waits included. Files: from there to the last file that the page refers to. "
        "Both without connecting and the TLS handshakes of new connections, which not every step needs."
    )
    return Table("steps", "Time per step", columns, rows, note)
