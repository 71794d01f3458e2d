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
_FIRST_BYTE = ("p50", "p99")


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
        | {f"first_byte_ms_{point}": getattr(part.first_byte_ms, point, None) for point in _FIRST_BYTE}
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
    if any(part.first_byte_ms for one in run.summary.operations.values() for part in one.steps):
        columns += [
            Column(f"first_byte_ms_{point}", f"first byte {point}, ms", format.figure)
            for point in _FIRST_BYTE
        ]
    note = (
        "Right answers of the steady state. Answer: from the end of the step before to its last byte, "
        "redirects and waits included; first byte: from there to the first byte of the last of them. Files: "
        "from the end of the answer to the last file that the page refers to. "
        "All without connecting and the TLS handshakes of new connections, which not every step needs."
    )
    return Table("steps", "Time per step", columns, rows, note)
