"""A site behind a balancer: its users by the number of servers."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.report import format
from loadstone.report.figures.figure import Figure, end_labels, layout
from loadstone.report.folder import Json
from loadstone.report.table import Column, Table, words
from loadstone.study.balancers.claims import ENDS, users

_SLAS = {"SLA-1": "@s1", "SLA-2": "@s3"}
LIMITS = {"servers": "the application servers", "machine": "the whole machine", None: "none was seen"}
"""What was at its limit; `None` is no limit: no tier had used up what it has."""


def table(found: Sequence[Json]) -> Table:
    """Users by number of servers, and what limits them."""
    rows = []
    for one in found:
        at = one["at"] or {}
        rows.append(
            {
                "servers": one["servers"],
                "first": users(one, "SLA-1"),
                "second": users(one, "SLA-2"),
                "ended": ENDS.get(one["outcome"], one["outcome"]),
                "limit": LIMITS[at.get("limit")] if at else None,
                "users": at.get("users"),
                "server": at.get("server_share"),
                "balancer": at.get("balancer_cores"),
                "database": at.get("database_cores"),
                "idle": at.get("idle_share"),
            }
        )
    return Table(
        "site",
        "Users by number of application servers",
        [
            Column("servers", "servers"),
            Column("first", "users at SLA-1", format.text),
            Column("second", "users at SLA-2", format.text),
            words("ended", "the search"),
            words("limit", "tier at its limit"),
            Column("users", "when SLA-1 broke, at users"),
            Column("server", "servers’ quota used", format.share),
            Column("balancer", "balancer, cores", format.figure),
            Column("database", "database, cores", format.figure),
            Column("idle", "machine idle", format.share),
        ],
        rows,
        note="Short windows: a demonstration of the method, no compliant result. A search that ran out of "
        "runs gives no number of users, only what was seen to hold and to break. A tier is at its limit when "
        "it uses 80 % of its quota (servers) or when the machine is idle for less than 5 %.",
    )


def chart(found: Sequence[Json]) -> Figure | None:
    """Between which numbers of users each SLA broke, against the number of application servers."""
    if not found:
        return None
    counts = [one["servers"] for one in found]
    most = max((one[sla]["high"] or one[sla]["low"] or 1) for one in found for sla in _SLAS) * 1.1
    frame = layout(
        280,
        right=70,
        hovermode="closest",
        xaxis={"tickvals": counts, "range": [counts[0] - 0.3, counts[-1] + 0.3],
               "title": {"text": "application servers", "standoff": 6, "font": {"size": 12}}},
        yaxis={"range": [0, most], "tickformat": ",d"},
        margin={"l": 62},
    )  # fmt: skip
    traces, ends = [], []
    for (sla, colour), shift in zip(_SLAS.items(), (-0.04, 0.04), strict=True):
        lows = [one[sla]["low"] or 0 for one in found]
        highs = [one[sla]["high"] or one[sla]["low"] or 0 for one in found]
        traces.append(
            {
                "type": "scatter", "mode": "markers", "name": sla, "x": [count + shift for count in counts],
                "y": [(low + high) / 2 for low, high in zip(lows, highs, strict=True)],
                "marker": {"color": colour, "size": 1},
                "error_y": {
                    "type": "data", "color": colour, "thickness": 3, "width": 8,
                    "array": [(high - low) / 2 for low, high in zip(lows, highs, strict=True)],
                },
                "text": [users(one, sla) for one in found], "hovertemplate": "%{text}",
            }
        )  # fmt: skip
        ends.append((sla, colour, (lows[-1] + highs[-1]) / 2 / most))
    frame["annotations"] = end_labels(ends, 280)
    note = "Each bar reaches from the most users seen to hold the SLA to the fewest seen to break it."
    return Figure("site", "Users of the whole site", note, traces, frame)
