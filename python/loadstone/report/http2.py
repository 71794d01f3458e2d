"""The table of HTTP/2: what connections spoke, and by which frames streams were given up."""

from __future__ import annotations

from loadstone.report.folder import Run
from loadstone.report.table import Column, Row, Table, words

_NOTE = "Whole run. A stream that the server refused (REFUSED_STREAM, GOAWAY) was asked for again, once."


def http2(run: Run) -> Table | None:
    """None of a run that did not ask for HTTP/2."""
    found = run.summary.http2
    if found is None:
        return None
    spoken = (("connections with HTTP/2 (h2)", found.connections), ("with HTTP/1.1", found.http1_connections))
    rows: list[Row] = [{"what": what, "count": count} for what, count in spoken]
    rows += [
        {"what": f"{one.frame} {one.code}, sent by the {one.by}", "count": one.count}
        for one in found.given_up
    ]
    fell_back = " The server chose HTTP/1.1." if found.http1_connections and not found.connections else ""
    return Table(
        "http2", "HTTP/2", [words("what", "seen"), Column("count", "count")], rows, _NOTE + fell_back
    )
