"""A run's Parquet tables as series to draw, binned no finer than a screen shows."""

from __future__ import annotations

import glob
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from loadstone.judge import CAUSES
from loadstone.record.by_second import VALUE
from loadstone.record.tables import with_causes

MOST_BINS = 600
"""Points a chart over time has at most; longer runs get wider bins."""

CURVE_POINTS = 401
"""Points of a distribution curve."""

QUANTILES = (0.5, 0.9, 0.99)

LEAST = 20
"""Samples of which a distribution or a percentile is drawn, at least."""

_WIDTHS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600)
_MEAN_SAMPLES = ((150, 10), (2 * LEAST, 5))
"""Samples that a bin has on average, and bins that there are then, both at least; better ones first."""


@dataclass(frozen=True)
class Series:
    """One line over time: `at_s` are the starts of the bins."""

    name: str
    at_s: list[float]
    values: list[float | None]


@dataclass(frozen=True)
class Curve:
    """A distribution: `share[i]` of all operations of this kind took at most `response_s[i]`.

    Failed ones never did, so the curve ends below 1 by their share.
    """

    operation: str
    response_s: list[float]
    share: list[float]


_CAUSED = with_causes("read_parquet(?)")


def bin_width_s(length_s: float) -> int:
    """The width of the bins over time: one second, or what keeps a long run at `MOST_BINS`.

    >>> bin_width_s(460), bin_width_s(3600)
    (1, 6)
    """
    return max(1, math.ceil(length_s / MOST_BINS))


def sampled_width_s(samples: float, length_s: float, least_s: int) -> int | None:
    """The width of bins that have samples enough for percentiles; None where there are too few for any.

    >>> sampled_width_s(40 * 300, 300, 1), sampled_width_s(2 * 300, 300, 1), sampled_width_s(30, 300, 1)
    (5, 20, None)
    """
    for enough, bins in _MEAN_SAMPLES:
        for width in (least_s, *_WIDTHS):
            if width >= least_s and samples * width >= enough * length_s and width * bins <= length_s:
                return width
    return None


def _last(width: int) -> int:
    """The last second that is drawn: a table that was changed can claim any, and each costs a point."""
    return 2 * MOST_BINS * width


def throughput(windows: Path, width: int) -> list[Series]:
    """Right answers, and failed or dropped operations, each per second; a second without any is 0."""
    wrong = " + ".join(f"coalesce({cause}, 0)" for cause in CAUSES)
    rows = _query(
        f"""
        WITH seen AS (
            SELECT second, sum(ok) AS ok, sum({wrong} + dropped) AS wrong FROM {_CAUSED} GROUP BY second
        ), every AS (
            SELECT unnest(range(least(max(second), {_last(width)}) + 1)) AS second FROM seen
        )
        SELECT second // {width} * {width} AS bin,
               sum(coalesce(ok, 0)) / count(*), sum(coalesce(wrong, 0)) / count(*)
        FROM every LEFT JOIN seen USING (second) GROUP BY bin ORDER BY bin
        """,
        windows,
    )
    at = [float(row[0]) for row in rows]
    return [
        Series("answered", at, [float(row[1]) for row in rows]),
        Series("failed", at, [float(row[2]) for row in rows]),
    ]


def arrived(engine: Path, width: int) -> Series | None:
    """Requests that arrived at a rate, each second, the mean of each bin; None of a folder without them."""
    with _database().cursor() as connection:
        known = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [glob.escape(str(engine))])
        if "arrived" not in {row[0] for row in known.fetchall()}:
            return None
    rows = _query(
        f"SELECT second // {width} * {width} AS bin, avg(arrived) FROM read_parquet(?)"
        " GROUP BY bin ORDER BY bin",
        engine,
    )
    return Series("arrived", [float(row[0]) for row in rows], [float(row[1] or 0) for row in rows])


def sessions(table: Path, width: int) -> list[Series]:
    """Sessions completed, and lost by each cause that occurred, a second; one without any is 0."""
    kinds = ("completed", *CAUSES)
    sums = ", ".join(f"sum(coalesce({kind}, 0)) / {width} AS {kind}" for kind in kinds)
    rows = _query(
        f"""
        WITH seen AS (FROM {_CAUSED}), every AS (
            SELECT unnest(range(least(max(second), {_last(width)}) + 1)) AS second FROM seen
        )
        SELECT second // {width} * {width} AS bin, {sums}
        FROM every LEFT JOIN seen USING (second) GROUP BY bin ORDER BY bin
        """,
        table,
    )
    at = [float(row[0]) for row in rows]
    found = [
        Series(kind, at, [float(row[number]) for row in rows]) for number, kind in enumerate(kinds, start=1)
    ]
    return [one for one in found if one.name == "completed" or any(one.values)]


def lives(histograms: Path) -> list[tuple[float, int]]:
    """Lives of the completed sessions that began in the steady state, seconds, and how many had each."""
    rows = _query(
        f"SELECT {VALUE} / 1000 AS life, sum(count) FROM read_parquet(?)"
        " WHERE kind = 'session_life_ms' AND phase = 'steady' GROUP BY life ORDER BY life",
        histograms,
    )
    return [(float(row[0]), int(row[1])) for row in rows]


def failures(windows: Path, width: int) -> list[Series]:
    """Failed and dropped operations a second by cause, of the causes that occurred; none is 0."""
    kinds = (*CAUSES, "dropped")
    sums = ", ".join(f"sum({kind}) AS {kind}" for kind in kinds)
    rates = ", ".join(f"sum(coalesce({kind}, 0)) / count(*)" for kind in kinds)
    rows = _query(
        f"""
        WITH seen AS (
            SELECT second, {sums} FROM {_CAUSED} GROUP BY second
        ), every AS (
            SELECT unnest(range(least(max(second), {_last(width)}) + 1)) AS second FROM seen
        )
        SELECT second // {width} * {width} AS bin, {rates}
        FROM every LEFT JOIN seen USING (second) GROUP BY bin ORDER BY bin
        """,
        windows,
    )
    at = [float(row[0]) for row in rows]
    found = [Series(kind, at, [float(row[i]) for row in rows]) for i, kind in enumerate(kinds, start=1)]
    return [one for one in found if any(one.values)]


def answered(histograms: Path) -> dict[str, int]:
    """Answers in the whole run, by operation."""
    rows = _query(
        "SELECT operation, sum(count) FROM read_parquet(?) WHERE kind = 'response' GROUP BY operation",
        histograms,
    )
    return {str(row[0]): int(row[1]) for row in rows}


def response_percentiles(histograms: Path, width: int, operation: str | None = None) -> list[Series]:
    """Response time in seconds of one operation, or of all: p50, p90 and p99 of each bin.

    A percentile that a bin has too few answers for is unknown.
    """
    of = "" if operation is None else "AND operation = ?"
    ranked = ", ".join(f"min({VALUE}) FILTER (so_far >= {quantile} * total) / 1e6" for quantile in QUANTILES)
    rows = _query(
        f"""
        WITH binned AS (
            SELECT second // {width} * {width} AS bin, bucket, sum(count) AS count
            FROM read_parquet(?) WHERE kind = 'response' {of} GROUP BY bin, bucket
        ), summed AS (
            SELECT bin, bucket, sum(count) OVER (PARTITION BY bin ORDER BY bucket) AS so_far,
                   sum(count) OVER (PARTITION BY bin) AS total
            FROM binned
        )
        SELECT bin, any_value(total), {ranked} FROM summed GROUP BY bin ORDER BY bin
        """,
        histograms,
        *([] if operation is None else [operation]),
    )
    found = {int(row[0]): _known_percentiles(row[1], row[2:]) for row in rows}
    bins = range(0, min(max(found, default=-1), _last(width)) + 1, width)
    # A bin in which nothing was answered has no percentile, either: the line must break there.
    return [
        Series(
            f"p{quantile * 100:.0f}",
            [float(at) for at in bins],
            [found[at][index] if at in found else None for at in bins],
        )
        for index, quantile in enumerate(QUANTILES)
    ]


def _known_percentiles(samples: int, values: Sequence[Any]) -> list[float | None]:
    """Without those that stand for less than one sample above them."""
    return [
        float(value) if samples >= LEAST and samples * (1 - quantile) >= 0.999 else None
        for value, quantile in zip(values, QUANTILES, strict=True)
    ]


def users(engine: Path, width: int) -> list[Series]:
    """Users, and those waiting inside an operation, at the end of each bin."""
    rows = _query(
        f"SELECT second // {width} * {width} AS bin, arg_max(users, second), arg_max(in_flight, second)"
        " FROM read_parquet(?) GROUP BY bin ORDER BY bin",
        engine,
    )
    at = [float(row[0]) for row in rows]
    return [
        Series("users", at, [float(row[1]) for row in rows]),
        Series("waiting", at, [float(row[2]) for row in rows]),
    ]


def host_metric(hosts: Path, metric: str, width: int) -> list[Series]:
    """A metric of `hosts.parquet` by role of this machine's processes, the mean of each bin."""
    rows = _query(
        f"SELECT role, second // {width} * {width} AS bin, avg(value) FROM read_parquet(?)"
        " WHERE metric = ? AND role <> 'watched' GROUP BY role, bin ORDER BY role, bin",
        hosts,
        metric,
    )
    names = dict.fromkeys(str(row[0]) for row in rows)
    return [
        Series(
            name,
            [float(row[1]) for row in rows if row[0] == name],
            [None if row[2] is None else float(row[2]) for row in rows if row[0] == name],
        )
        for name in names
    ]


def curves(histograms: Path, counts: dict[str, int]) -> dict[str, Curve]:
    """Response times in the steady state, of operations with answers enough; `counts` include failed ones."""
    rows = _query(
        f"SELECT operation, {VALUE} / 1e6 AS value, sum(count) FROM read_parquet(?)"
        " WHERE kind = 'response' AND phase = 'steady' GROUP BY operation, value ORDER BY operation, value",
        histograms,
    )
    found = {}
    for operation, count in counts.items():
        mine = [(float(row[1]), float(row[2])) for row in rows if row[0] == operation]
        if count and sum(samples for _, samples in mine) >= LEAST:
            found[operation] = _curve(operation, np.array(mine), count)
    return found


def _curve(operation: str, buckets: np.ndarray, count: int) -> Curve:
    """Thins the buckets to `CURVE_POINTS`, even on a log axis; every point kept is exact."""
    at, so_far = np.maximum(buckets[:, 0], 1e-6), np.cumsum(buckets[:, 1])
    if len(at) > CURVE_POINTS:
        wanted = np.linspace(math.log(at[0]), math.log(at[-1]), CURVE_POINTS)
        keep = np.unique(np.searchsorted(np.log(at), wanted).clip(max=len(at) - 1))
        at, so_far = at[keep], so_far[keep]
    return Curve(operation, [round(float(x), 6) for x in at], [round(float(y) / count, 6) for y in so_far])


def _query(sql: str, parquet: Path, *values: str) -> list[tuple[Any, ...]]:
    """Rows of a query whose first parameter is the table; the path is taken as it is, not as a pattern."""
    with _database().cursor() as connection:
        return connection.execute(sql, [glob.escape(str(parquet)), *values]).fetchall()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """One for all queries: to start one takes fifteen times as long as a query of a run's table."""
    connection = duckdb.connect()
    # A folder may change between two pages that are made of it.
    connection.execute("SET enable_external_file_cache = false")
    return connection
