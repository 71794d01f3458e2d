"""The page of the campaign: every figure comes from its record."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable
from typing import Any


def readme(summary: dict[str, Any], holds: Callable[[dict[str, Any], str], bool]) -> str:
    """What was run, where and when, what came out, and a row for each search."""
    found, rows = summary["summary"], summary["rows"]
    lines = [
        "# Searches of servers of known capacity",
        "",
        f"Made on {datetime.date.today().isoformat()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, load average {summary['load_average']:.0f}, by:",
        "",
        f"    {summary['command']}",
        "",
        "Servers: token buckets (`tests/fakes/token_bucket.py`) and parallel queues "
        "(`bench/known/lanes.py`). Their capacities follow from formulas (`bench/known/truth.py`).",
        "",
    ]
    for name in ("SLA-1", "SLA-2"):
        one = found[name]
        lines.append(
            f"- {name}: {one['decided']} of {found['searches']} searches know an end of the interval; "
            f"{one['held']} of these hold the truth. {one['closed']} know both ends, with a median width of "
            f"{_percent(one['width_median'])} of the low end. The others are open and claim nothing."
        )
    lines.append(f"- A search took {found['search_s_median']:.0f} s in the median.")
    if ramp := found.get("ramp"):
        lines.append(
            f"- The Locust ramp ({ramp['ended']} ended with a breach) took {ramp['took_s_median']:.0f} s in "
            f"the median. Its users at the breach differ from the capacity at SLA-1 by "
            f"{_percent(ramp['error_median'])} in the median, from {_percent(ramp['error_least'])} to "
            f"{_percent(ramp['error_greatest'])}. It gives no interval."
        )
    head = "| server | true SLA-1 | found | true SLA-2 | found | ended by | s | ramp: users | s |"
    lines += ["", head, "|---|---:|---|---:|---|---|---:|---:|---:|", *(_row(row, holds) for row in rows)]
    return "\n".join(lines) + "\n"


def _row(row: dict[str, Any], holds: Callable[[dict[str, Any], str], bool]) -> str:
    search, ramp = row["search"], row.get("ramp", {})
    cells = [f"{row['server']} {row['settings'].get('lanes') or row['settings']['rate']:g}"]
    for name in ("SLA-1", "SLA-2"):
        ends = "–".join(
            "?" if end is None else f"{end:g}" for end in (search[name]["low"], search[name]["high"])
        )
        cells += [f"{row['capacity'][name]:.1f}", ends if holds(row, name) else f"**{ends}**"]
    cells += [str(search["SLA-1"]["ended_by"]), f"{search['took_s']:.0f}"]
    cells += ["-" if ramp.get(key) is None else f"{ramp[key]:.0f}" for key in ("users", "took_s")]
    return "| " + " | ".join(cells) + " |"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
