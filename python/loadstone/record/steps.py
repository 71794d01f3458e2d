"""The times of an operation's steps in the steady state, from the table of a run folder."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from loadstone.judge import FIRST_BYTE, PARTS, Histogram, PartTimes
from loadstone.judge.histogram import EMPTY


def read_steps(
    connection: duckdb.DuckDBPyConnection, folder: Path, plan: Mapping[str, Any]
) -> dict[str, tuple[PartTimes, ...]]:
    """By operation, in the order in which the steps are taken; those that never were are left out.

    Empty for a folder of before steps were timed.
    """
    table = folder / "steps.parquet"
    if not table.is_file():
        return {}
    rows = connection.execute(
        "SELECT operation, step, part, list(bucket), list(count) FROM (SELECT operation, step, part, bucket, "
        "sum(count)::DOUBLE AS count FROM read_parquet(?) WHERE phase = 'steady' GROUP BY ALL) GROUP BY ALL",
        [glob.escape(str(table))],
    ).fetchall()
    found = {tuple(of): Histogram.of(buckets, counts) for *of, buckets, counts in rows}
    return {
        operation["name"]: tuple(
            PartTimes(
                i,
                f"{step['method']} {step['path']}",
                part,
                times,
                found.get((operation["name"], i, FIRST_BYTE), EMPTY) if part == "answer" else EMPTY,
            )
            for i, step in enumerate(operation["steps"])
            for part in PARTS
            if (times := found.get((operation["name"], i, part)))
        )
        for operation in plan["operations"]
    }
