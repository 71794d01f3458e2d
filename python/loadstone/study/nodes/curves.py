"""The lines of figures 5 to 7, from the closed forms: shares of time, never as 1 - availability."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadstone.availability import closed
from loadstone.nodes.integrity import NODE_TYPES, shares
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.study.nodes.description import NODES, Description

Json = dict[str, Any]

FAILOVERS = ("15s", "60s", "1800s")
CRASHES = ("1/year", "1/183d")
_MOST_NODES = 100


def one_node(description: Description) -> list[Json]:
    """Figure 5: one node's share of the year down against its crashes a year, 1 to 12."""
    year_s = float(description.year_s)
    rates = [float(rate) for rate in np.linspace(1, 12, 45)]
    lines = []
    for failover in (*FAILOVERS, None):
        down = [_down(1, rate / year_s, failover, year_s) / year_s for rate in rates]
        lines.append({"failover": failover, "crashes_a_year": rates, "down": down})
    return lines


def clusters(description: Description) -> list[Json]:
    """Figure 6: a cluster's share of the year down against its nodes, none of them extra."""
    year_s = float(description.year_s)
    counts = list(range(1, _MOST_NODES + 1))
    lines = []
    for crash in CRASHES:
        rate = float(parse_rate(crash, description.year_s))
        for failover in (FAILOVERS[0], None):
            down = [_down(count, rate, failover, year_s) / year_s for count in counts]
            lines.append({"crash": crash, "failover": failover, "nodes": counts, "down": down})
    return lines


def _down(num: int, crash: float, failover: str | None, year_s: float) -> float:
    if failover is None:
        return closed.ara_on_premises(num, 0, crash, year_s)
    return closed.pf_cloud(num, crash, 1 / float(parse_duration(failover)), year_s)


def integrity(description: Description) -> list[Json]:
    """Figure 7: shares of a month correct, corrupt and down against transient faults a month."""
    month_s = float(parse_duration(description.month))
    rates = [float(rate) for rate in np.geomspace(1, 24 * month_s / 86_400, 49)]
    lines = []
    for name in NODES:
        found = [shares(NODE_TYPES[name], rate / month_s, month_s) for rate in rates]
        lines.append(
            {
                "node": name,
                "faults_a_month": rates,
                "correct": [one.correct for one in found],
                "corrupt": [one.corrupt for one in found],
                "down": [one.down for one in found],
            }
        )
    return lines
