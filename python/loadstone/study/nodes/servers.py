"""Real servers as they were measured: what they carry, and what flipped bits did to them in mid-traffic."""

from __future__ import annotations

from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from loadstone.nodes.injected import campaign
from loadstone.stages.inject import OUTCOMES
from loadstone.study.nodes import records
from loadstone.study.nodes.asked import Measured
from loadstone.study.nodes.description import Description
from loadstone.study.nodes.outcomes import beside_paper, required

Json = dict[str, Any]


def served(file: Description, folder: Path) -> list[Json]:
    """Figures 3 and 4 on servers: throughput against response time by load, and CPU time a request."""
    measured = required(file)
    return [
        row
        for server in measured.server
        for row in _served(server.name, records.servers(folder / server.rows), measured)
    ]


def _served(name: str, rows: list[records.Served], measured: Measured) -> list[Json]:
    found: dict[tuple[str, str], list[records.Served]] = {}
    for row in rows:
        found.setdefault((row.load, row.variant), []).append(row)
    first = f"{name}-{measured.build[0].servers}"
    keys = ("requests_per_s", "response_ms", "cpu_us", "user_us")
    middle = {
        at: {key: median(getattr(one, key) for one in same) for key in keys} for at, same in found.items()
    }
    builds = {f"{name}-{build.servers}": build.name for build in measured.build if build.servers}
    return [
        {
            "server": name, "load": load, "variant": variant, "rounds": len(found[load, variant]),
            "build": builds.get(variant),
            "throughput": here["requests_per_s"] / middle[load, first]["requests_per_s"],
            "cpu": middle[load, first]["cpu_us"] / here["cpu_us"] if here["cpu_us"] else None,
            "user": middle[load, first]["user_us"] / here["user_us"] if here["user_us"] else None,
        } | here
        for (load, variant), here in middle.items()
        if (load, first) in middle
    ]  # fmt: skip


def live(file: Description, folder: Path) -> list[Json]:
    """Table I on servers: what a flip in mid-traffic did to each build, and its throughput against native.

    Throughput is native CPU time of a request ÷ the build's, the geometric mean over the loads: on a machine
    that makes the load, too, it says more than requests per second.
    """
    measured = required(file)
    carried: dict[tuple[str, str | None], list[float]] = {}
    for row in served(file, folder):
        if row["cpu"]:
            carried.setdefault((row["server"], row["build"]), []).append(row["cpu"])
    rows = []
    for server in measured.server:
        for build in measured.build:
            if not (server.faults and build.servers):
                continue
            found = campaign(folder / server.faults / f"{server.name}-{build.servers}")
            counts = {outcome: found.share(outcome).count for outcome in OUTCOMES}
            rows.append(
                beside_paper(build, counts, found.injected)
                | {
                    "server": server.name,
                    "throughput": geometric_mean(carried[server.name, build.name]),
                    "restart_s": found.restart_s,
                    "from": {"command": found.command, "started_at": found.started_at},
                }
            )
    return rows
