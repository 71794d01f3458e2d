"""Rows of the study of stacks that nobody measured: small numbers with answers that follow by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loadstone.study.results import Results
from loadstone.study.schedule import Task

Json = dict[str, Any]

LIMIT = {
    "resource": "cpu",
    "share": 0.97,
    "throttled_share": 0.8,
    "host": "app1",
    "service": "app",
    "tier": "site",
    "said": "site `app` on host app1: CPU, of a quota of 0.25 cores, 97 % used",
}


def held(low: float | None, high: float | None, ended_by: str = "tolerance", **more: Any) -> Json:
    """What a search says of an SLA; ten users make two operations a second of 50 KB."""
    return {
        "users": low,
        "low": low,
        "high": high,
        "verdict": "met" if low else "open",
        "ended_by": ended_by,
        "operation": "HomePage" if high else None,
        "share_at_high": 0.8 if high else None,
        "limit": LIMIT if high else None,
        "ops_per_s": low and low / 5,
        "bytes_in_per_op": low and 50_000.0,
        "bytes_out_per_op": low and 500.0,
        **more,
    }


def a_run(users: float, app_ms: float, database_ms: float, **more: Any) -> Json:
    """A run in which an operation takes so much of the processor of each tier."""
    rate = users / 5

    def tier(ms: float, quota: float | None) -> Json:
        own = {"cpu_cores": ms * rate / 1000, "memory_bytes": 100.0 * 2**20}
        return own | ({"quota_cores": quota} if quota else {})

    return {
        "folder": f"runs/0001-{users:g}",
        "users": users,
        "state": "valid",
        "trend": "steady",
        "verdict": {"SLA-1": "met", "SLA-2": "met"},
        "worst_share": 0.95,
        "missed_checks": [],
        "ops_per_s": rate,
        "requests_per_s": 10 * rate,
        "operations": round(300 * rate),
        "failed": {},
        "wrong_bodies": 0,
        "limit": None,
        "tiers": {"app": tier(app_ms, 0.25), "database": tier(database_ms, 0.25), "client": tier(1, None)},
        "machine": {
            **{"busy_cores": 1.5, "lab_cores": 0.4, "steal_share": 0.0},
            **{"compute_us": 210.0, "memory_us": 280.0},
        },
        "generator_share": 0.1,
        "warnings": [],
        **more,
    }


def row(first: Json, second: Json, runs: list[Json], **more: Any) -> Json:
    """A configuration's row."""
    return {
        "outcome": "complete",
        "compliant": True,
        "window_s": 300.0,
        "tolerance": 0.15,
        "took_s": 3000.0,
        "probes": [],
        "SLA-1": first,
        "SLA-2": second,
        "runs": runs,
        "folder": "search/x-1",
        "accounts": 1000,
        "quota": {"app1": 0.25, "db": 0.25},
        "load_average": {"before": 1.0, "after": 1.0},
        **more,
    }


PHP = row(
    held(400, 450), held(300, 340), [a_run(400, 2.0, 1.0), a_run(450, 2.2, 1.0, limit=str(LIMIT["said"]))]
)
RAILS = row(held(40, 46), held(20, None, "max-runs"), [a_run(40, 20.0, 3.0), a_run(46, 22.0, 3.2)])


def written(folder: Path, **rows: Json) -> Results:
    """The rows of a folder, by configuration (with `_` for `-`)."""
    folder.mkdir(exist_ok=True)
    results = Results(folder)
    for name, measured in rows.items():
        part = name.replace("_", "-")
        results.add(Task(part, {"configuration": part}, 1, 1.0), "2026-11-26", 1.0, {"measured": measured})
    return results
