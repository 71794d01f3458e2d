"""Hosts under watch: what the tables of a run hold of them, as series and tables."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

import duckdb

from loadstone.judge.offered import CHANGED
from loadstone.report import format
from loadstone.report.folder import Run
from loadstone.report.series import Series
from loadstone.report.table import Column, Table, words
from loadstone.stages.run import Event

WORK = {
    "mariadb": "queries_per_s",
    "postgresql": "commits_per_s",
    "memcached": "gets_per_s",
    "nginx": "requests_per_s",
    "haproxy": "requests_per_s",
}
"""What a server of each role does, by its own count."""

_USED = ("cpu_cores", "cpu_throttled_share", "memory_used_bytes")


def tiers(run: Run) -> dict[str, list[str]]:
    """Hosts of each tier, in the order of the topology."""
    found: dict[str, list[str]] = {}
    for host in run.summary.hosts:
        for service in host.services:
            if host.host not in (names := found.setdefault(service.tier, [])):
                names.append(host.host)
    return found


def told(run: Run) -> list[Event]:
    """Events of hosts, services, agents and the load, in the order of time."""
    events = [
        one
        for one in run.summary.events
        if one.second is not None and (one.host or one.agent or one.kind == CHANGED)
    ]
    return sorted(events, key=lambda one: one.second or 0)


def of_tiers(run: Run, metric: str, width: int) -> list[Series]:
    """A metric of the services of each tier, all its hosts together, the mean of each bin."""
    tier = {(host.host, one.name): one.tier for host in run.summary.hosts for one in host.services}
    rows = _query(
        run,
        "services",
        f"SELECT host, service, second // {width} * {width} AS bin, avg(value) FROM read_parquet(?)"
        " WHERE metric = ? GROUP BY ALL ORDER BY bin",
        metric,
    )
    sums: dict[str, dict[float, float]] = {}
    for host, service, at, value in rows:
        if known := tier.get((host, service)):
            mine = sums.setdefault(known, {})
            mine[float(at)] = mine.get(float(at), 0.0) + float(value)
    return [Series(name, list(sums[name]), list(sums[name].values())) for name in tiers(run) if name in sums]


def of_hosts(run: Run, names: list[str], metric: str, width: int) -> list[Series]:
    """A metric of each of these hosts, the mean of each bin."""
    rows = _query(
        run,
        "hosts",
        f"SELECT host, second // {width} * {width} AS bin, avg(value) FROM read_parquet(?)"
        " WHERE role = 'watched' AND metric = ? GROUP BY ALL ORDER BY bin",
        metric,
    )
    return [
        Series(name, [float(row[1]) for row in mine], [float(row[2]) for row in mine])
        for name in names
        if (mine := [row for row in rows if row[0] == name])
    ]


def hosts_table(run: Run) -> Table | None:
    """Each host with its services, and what it used in the steady state."""
    steady = run.summary.steady
    if not run.summary.hosts or not steady or not run.table("services"):
        return None
    rows = _query(
        run,
        "hosts",
        "SELECT host, metric, avg(value) FROM read_parquet(?)"
        " WHERE role = 'watched'"
        f" AND second >= {steady.start_s:g} AND second < {steady.end_s:g} GROUP BY ALL",
    )
    means: dict[str, dict[str, float]] = {}
    for host, metric, value in rows:
        means.setdefault(host, {})[metric] = value
    table = [
        {
            "host": host.host,
            "services": ", ".join(one.name for one in host.services),
            "cores": host.cpus or host.cores,
            **{name: means.get(host.host, {}).get(name) for name in _USED},
            **{
                f"{way}_bytes_per_s": means.get(host.host, {}).get(f"{way}_bytes_per_s")
                for way in ("rx", "tx")
            },
            "retransmits_per_s": means.get(host.host, {}).get("retransmits_per_s"),
        }
        for host in run.summary.hosts
    ]
    throttled = Column("cpu_throttled_share", "periods throttled", format.share)
    columns = [
        words("host", "host"),
        words("services", "services"),
        Column("cores", "cores", format.figure),
        Column("cpu_cores", "cores busy", format.figure),
        *([throttled] if any(row[throttled.key] is not None for row in table) else []),
        Column("memory_used_bytes", "memory", format.size),
        Column("rx_bytes_per_s", "received /s", format.size),
        Column("tx_bytes_per_s", "sent /s", format.size),
        Column("retransmits_per_s", "retransmits /s", format.figure),
    ]
    return Table("hosts", "Hosts of the topology, means of the steady state", columns, table)


def events_table(run: Run) -> Table | None:
    """What happened, and when."""
    rows = [{"second": one.second, "kind": one.kind, "note": one.note or one.reason} for one in told(run)]
    columns = [Column("second", "second"), words("kind", "event"), words("note", "what happened")]
    return Table("events", "Events", columns, rows) if rows else None


def _query(run: Run, table: str, sql: str, *values: str) -> list[tuple[Any, ...]]:
    path: Path | None = run.table(table)
    if path is None or not run.summary.hosts:
        return []
    with duckdb.connect() as connection:
        return connection.execute(sql, [glob.escape(str(path)), *values]).fetchall()
