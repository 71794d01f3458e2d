"""Servers that came and went: the table of the windows of a run."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.table import Column, Table, words


def elasticity(run: Run) -> Table | None:
    """Each window with its users and servers, and whether the SLAs were kept."""
    found = run.summary.elasticity
    if not found:
        return None
    rows = [
        {
            "start_s": one.start_s,
            "end_s": one.end_s,
            "users": one.users,
            "servers": one.servers,
            "within": min((share for share in one.within.values() if share is not None), default=None),
            **{
                name: None if kept is None else "kept" if kept else "broken"
                for name, kept in one.kept.items()
            },
        }
        for one in found.windows
    ]
    columns = [
        Column("start_s", "from, s", format.figure),
        Column("end_s", "to, s", format.figure),
        Column("users", "users", format.figure),
        Column("servers", "servers", format.figure),
        Column("within", "least share within its limit", format.share),
        words("SLA-1", "SLA-1"),
        words("SLA-2", "SLA-2"),
    ]
    return Table("elasticity", "Windows, with the servers that served in them", columns, rows)
