"""Reads from the tables of a run what limited it."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from loadstone.judge import Measurement
from loadstone.judge.limits import nearest
from loadstone.stages.run_hosts import Limit, WatchedHost

_STEADY = "second >= ? AND second < ?"

# A reading of a database in which at least half of the sessions at work wait for locks of others.
_LOCKED = f"""
SELECT host, service, avg((waits > 0 AND 2 * waits >= work)::DOUBLE) FROM (
  SELECT host, service, second, max(value) FILTER (metric = 'lock_waits') AS waits,
    max(value) FILTER (metric = 'running') AS work
  FROM read_parquet(?) WHERE {_STEADY} AND metric IN ('lock_waits', 'running') GROUP BY ALL)
WHERE waits IS NOT NULL AND work IS NOT NULL GROUP BY ALL"""


def read_limit(
    folder: Path, hosts: Sequence[WatchedHost], events: Sequence[Mapping[str, Any]], measurement: Measurement
) -> Limit | None:
    """The resource of a watched host that was nearest to its end in the steady state; None if none was."""
    if not hosts:
        return None
    span = (measurement.start_s, measurement.end_s)
    of_hosts: dict[str, dict[str, float]] = {}
    of_services: dict[tuple[str, str], dict[str, float]] = {}
    services = glob.escape(str(folder / "services.parquet"))
    with duckdb.connect() as connection:
        for host, metric, value in connection.execute(
            "SELECT host, metric, avg(value) FROM read_parquet(?) "
            f"WHERE role = 'watched' AND {_STEADY} GROUP BY ALL",
            [glob.escape(str(folder / "hosts.parquet")), *span],
        ).fetchall():
            of_hosts.setdefault(host, {})[metric] = value
        for host, service, metric, value in connection.execute(
            f"SELECT host, service, metric, avg(value) FROM read_parquet(?) WHERE {_STEADY} GROUP BY ALL",
            [services, *span],
        ).fetchall():
            of_services.setdefault((host, service), {})[metric] = value
        for host, service, value in connection.execute(_LOCKED, [services, *span]).fetchall():
            of_services[host, service]["lock_wait_share"] = value
    died = [
        (event["host"], event["service"], event["note"])
        for event in events
        if event["kind"] in ("service-down", "service-died") and event["second"] < measurement.end_s
    ]
    return nearest(hosts, of_hosts, of_services, died)
