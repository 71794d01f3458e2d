"""The table of TLS handshakes: how many, how long, and what was agreed on."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words

_POINTS = ("mean", "p50", "p90", "p99", "max")


def handshakes(run: Run) -> Table | None:
    """Full and resumed ones; None without HTTPS."""
    tls = run.summary.tls
    if tls is None:
        return None
    rows: list[Row] = [
        {"kind": kind, "count": one.count} | {f"ms_{point}": getattr(one.ms, point) for point in _POINTS}
        for kind, one in (("full", tls.full), ("resumed", tls.resumed))
        if one.count
    ]
    columns = [
        words("kind", "handshakes"),
        Column("count", "count"),
        *(Column(f"ms_{point}", f"{point}, ms", format.figure) for point in _POINTS),
    ]
    agreed = "; ".join(
        " ".join(filter(None, (one.protocol, one.cipher, one.group, f"({one.full + one.resumed})")))
        for one in tls.negotiated
    )
    note = "Whole run, from the end of connecting. Resumed: with the TLS session of an earlier connection."
    return Table("tls", "TLS handshakes", columns, rows, f"{note} Agreed on: {agreed}." if agreed else note)
