"""A run's operations second by second, as one flat table: what spreadsheets and notebooks are given."""

from __future__ import annotations

import glob
from pathlib import Path

import duckdb

from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES
from loadstone.record.tables import with_causes

VALUE = """
    CASE WHEN bucket < 2048 THEN bucket
         ELSE (((bucket::BIGINT & 1023) + 1024) << ((bucket::BIGINT >> 10) - 1))
              + ((1::BIGINT << ((bucket::BIGINT >> 10) - 1)) - 1) / 2 END
"""
"""The middle of a bucket, in µs, as in `loadstone.judge.histogram`."""

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
_KINDS = ("response", "first_byte")
_TIMES = [(kind, name, share) for kind in _KINDS for name, share in _QUANTILES.items()]


def by_second(connection: duckdb.DuckDBPyConnection, folder: Path) -> duckdb.DuckDBPyRelation:
    """One row for each second, operation and phase, in this order.

    Columns: `second` from the beginning of the run, `phase`, `operation`, `users`, `ok`, `failed`, one
    `failed_CAUSE` each, `late`, `dropped`, and `response_ms_p50`, `_p90`, `_p99` of right answers, and the
    same of `first_byte_ms` (NULL where there was none, and in a folder of before first bytes were timed).
    Error `run-folder` when a table of the run is not there.
    """
    source = {}
    for name in ("windows", "histograms", "engine"):
        file = folder / f"{name}.parquet"
        if not file.is_file():
            hint = "copy the folder again, or measure again"
            raise LoadstoneError("run-folder", f"{folder} has no {file.name}", hint=hint)
        source[name] = named_table(file)
    counts = ", ".join(f"coalesce(sum({cause}), 0)::BIGINT AS failed_{cause}" for cause in CAUSES)
    failed = " + ".join(f"failed_{cause}" for cause in CAUSES)
    ranks = ", ".join(
        f"min({VALUE}) FILTER (kind = '{kind}' AND so_far >= {share} * total) / 1000 AS {kind}_ms_{name}"
        for kind, name, share in _TIMES
    )
    kinds = ", ".join(f"'{kind}'" for kind in _KINDS)
    return connection.sql(
        f"""
        WITH counted AS (
            SELECT second, phase, operation, sum(ok)::BIGINT AS ok, {counts},
                   coalesce(sum(late), 0)::BIGINT AS late, coalesce(sum(dropped), 0)::BIGINT AS dropped
            FROM {with_causes(source["windows"])} GROUP BY second, phase, operation
        ), binned AS (
            SELECT second, phase, operation, kind, bucket, sum(count) AS count FROM {source["histograms"]}
            WHERE kind IN ({kinds}) GROUP BY ALL
        ), summed AS (
            SELECT second, phase, operation, kind, bucket,
                   sum(count) OVER (PARTITION BY second, phase, operation, kind ORDER BY bucket) AS so_far,
                   sum(count) OVER (PARTITION BY second, phase, operation, kind) AS total
            FROM binned
        ), ranked AS (
            SELECT second, phase, operation, {ranks} FROM summed GROUP BY second, phase, operation
        )
        SELECT second, phase, operation, engine.users AS users, ok, ({failed})::BIGINT AS failed,
               {", ".join(f"failed_{cause}" for cause in CAUSES)}, late, dropped,
               {", ".join(f"{kind}_ms_{name}" for kind, name, _ in _TIMES)}
        FROM counted LEFT JOIN ranked USING (second, phase, operation)
             LEFT JOIN {source["engine"]} AS engine USING (second)
        ORDER BY second, operation, phase
        """
    )


def named_table(file: Path) -> str:
    """The table in a file whose name is taken as it is."""
    quoted = glob.escape(str(file)).replace("'", "''")
    return f"read_parquet('{quoted}')"
