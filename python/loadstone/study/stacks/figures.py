"""What a run of a search says of the tiers: processor time, memory, what was checked, what limited it."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from loadstone.intake import Kind
from loadstone.stages.capacity import Capacity, Held, SearchRun
from loadstone.stages.run import Run

Json = dict[str, Any]
_KIND = Kind("study-resume", "a run of a search", 64 << 20)
Kinds = Mapping[str, str]
"""What each host is to the others: `app`, `database`, `client`."""

MARKER = "marker"
"""The cause of a failure where a body lacks what the scenario expects, or has what it must not have."""


def of_search(found: Capacity, folder: Path, kinds: Kinds) -> Json:
    """A search as a row of the study keeps it."""
    return {
        "outcome": found.outcome,
        "compliant": found.compliant,
        "window_s": found.window_s,
        "tolerance": found.tolerance,
        "took_s": found.time.took_s if found.time else None,
        "probes": [{"users": one.load, "held": one.held, "per_s": one.per_s} for one in found.probes],
        **{sla: _held(held) for sla, held in found.named().items()},
        "runs": [
            _run(row, folder, kinds) for row in found.runs if (folder / row.folder / Run.FILE).is_file()
        ],
    }


def _held(held: Held) -> Json:
    why = held.limited_by
    return {
        "users": held.load,
        "low": held.low,
        "high": held.high,
        "verdict": held.verdict,
        "ended_by": held.ended_by,
        "operation": why.operation if why else None,
        "share_at_high": why.share_at_high if why else None,
        # Only what the record names: a tier is at its limit where it says so, and nowhere else.
        "limit": why.resource.content() if why and why.resource else None,
        "ops_per_s": held.throughput_ops_per_s,
        "bytes_in_per_op": held.bytes_in_per_op,
        "bytes_out_per_op": held.bytes_out_per_op,
    }


def _run(row: SearchRun, folder: Path, kinds: Kinds) -> Json:
    run = Run.read(folder / row.folder / Run.FILE, _KIND)
    noise, checks = run.noise, run.validity.checks
    tiers, machine = _tiers(folder / row.folder, run, kinds)
    operations = run.operations.values()
    return {
        "folder": row.folder,
        "users": row.load,
        "state": row.state,
        "slowed": row.slowed,
        "trend": row.trend,
        "verdict": row.verdict,
        "worst_share": row.worst_share,
        "missed_checks": [one.name for one in checks if one.required and one.verdict != "met"],
        "ops_per_s": run.throughput_ops_per_s,
        "requests_per_s": run.requests_per_s,
        # Of the steady state; failures are those of the whole run. Every answer is checked.
        "operations": sum(one.count for one in operations),
        "failed": {one.cause: one.count for one in run.failures if one.cause and one.count},
        "wrong_bodies": sum(one.count or 0 for one in run.failures if one.cause == MARKER),
        "limit": run.limited_by.said if run.limited_by else None,
        "tiers": tiers,
        "machine": machine | {name: getattr(noise, name) if noise else None for name in _OF_THE_MACHINE},
        "generator_share": run.generator.cpu_share if run.generator else None,
        "warnings": list(run.warnings),
    }


def _tiers(folder: Path, run: Run, kinds: Kinds) -> tuple[Json, Json]:
    """By tier, sums over its hosts of means over the steady state; and the machine that all of them share."""
    if run.steady is None:
        return {}, {}
    hosts = glob.escape(str(folder / "hosts.parquet"))
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT host, metric, avg(value) FROM read_parquet(?) WHERE role = 'watched'"
            " AND second >= ? AND second < ? GROUP BY ALL ORDER BY ALL",
            [hosts, run.steady.start_s, run.steady.end_s],
        ).fetchall()
    tiers: Json = {}
    machine: Json = {}
    for host, metric, value in rows:
        if metric in _OF_A_TIER and host in kinds:
            tier = tiers.setdefault(kinds[host], {})
            name = _OF_A_TIER[metric]
            tier[name] = tier.get(name, 0.0) + value
        elif metric == "machine_cpu_cores":
            # Every host of the lab tells the same.
            machine["busy_cores"] = value
    machine["lab_cores"] = sum(one.get("cpu_cores", 0.0) for one in tiers.values())
    return tiers, machine


_OF_THE_MACHINE = ("steal_share", "compute_us", "memory_us")
"""What its noise says of how much of it there was, and how fast it was."""
_OF_A_TIER = {
    "cpu_cores": "cpu_cores",
    "cpu_quota_cores": "quota_cores",
    "memory_used_bytes": "memory_bytes",
}
