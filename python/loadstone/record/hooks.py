"""Calls of functions in the steady state, from the table of a run folder."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from loadstone.judge import Histogram, HookSeries


def read_hooks(
    connection: duckdb.DuckDBPyConnection, folder: Path, plan: Mapping[str, Any]
) -> tuple[HookSeries, ...]:
    """Those that were called, in the order of the plan; none of a folder of before there were any."""
    table = folder / "hooks.parquet"
    if not table.is_file() or not plan.get("functions"):
        return ()
    rows = connection.execute(
        "SELECT function, sum(returned)::DOUBLE, sum(failed)::DOUBLE, sum(cpu_s), "
        "flatten(list(wait_bucket)), flatten(list(wait_count)), "
        "flatten(list(bucket)), flatten(list(count)) FROM read_parquet(?) "
        "WHERE second >= getvariable('low') AND second < getvariable('high') GROUP BY function",
        [glob.escape(str(table))],
    ).fetchall()
    found = {
        name: HookSeries(
            name=name,
            returned=returned,
            failed=failed,
            cpu_s=cpu_s,
            waited=Histogram.of(wait_buckets, wait_counts),
            took=Histogram.of(buckets, counts),
        )
        for name, returned, failed, cpu_s, wait_buckets, wait_counts, buckets, counts in rows
    }
    return tuple(found[one["name"]] for one in plan["functions"] if one["name"] in found)
