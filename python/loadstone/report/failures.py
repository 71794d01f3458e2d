"""Operations that failed: by cause, and an example of each."""

from __future__ import annotations

from loadstone.judge import CAUSES
from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words

_SPOKEN = {
    "closed": "closed by server",
    "timeout": "timed out",
    "status": "wrong status",
    "marker": "wrong body",
    "tls": "TLS failed",
    "http2": "HTTP/2 failed",
    "extract": "not found in it",
    "slow": "too slow",
    "websocket": "WebSocket failed",
    "hook": "function failed",
}
"""Causes of failure whose own names say too little."""


def spoken(cause: str) -> str:
    """A cause of failure in words."""
    return _SPOKEN.get(cause, cause)


def failures(run: Run) -> Table | None:
    """Failed operations by cause, of those operations that failed."""
    rows = [
        {
            "operation": name,
            **dict.fromkeys(CAUSES, 0) | operation.failed,
            "dropped": operation.dropped,
        }
        for name, operation in run.summary.operations.items()
        if any(operation.failed.values()) or operation.dropped
    ]
    columns = [words("operation", "operation")]
    columns += [Column(cause, spoken(cause)) for cause in (*CAUSES, "dropped")]
    shown = [column for column in columns if any(row[column.key] for row in rows)]
    note = "Steady state only. Causes that did not occur are left out."
    return Table("failures", "Failed and dropped operations, by cause", shown, rows, note)


def examples(run: Run) -> Table | None:
    """The first example of each operation's failures by each cause; of older runs only examples are known."""
    rows: list[Row] = [
        {key: getattr(one, key) for key in ("operation", "count", "at_s", "example")}
        | {"cause": one.cause and spoken(one.cause)}
        for one in run.summary.failures
    ]
    columns = [
        words("operation", "operation"),
        words("cause", "cause"),
        Column("count", "failed"),
        Column("at_s", "the first at, s", format.figure),
        words("example", "its request and answer"),
    ]
    shown = [one for one in columns if any(row[one.key] is not None for row in rows)]
    return Table("failure-examples", "Failures, each with its first example", shown, rows, "Whole run.")
