"""Reads the noise of the machine back from a run folder."""

from __future__ import annotations

import glob
from pathlib import Path

import duckdb
import numpy as np

from loadstone.judge import Histogram
from loadstone.judge.histogram import EMPTY
from loadstone.judge.noise import Noise

_METRICS = (
    *("cpu_cores", "idle_cores", "steal_cores", "foreign_cores"),
    *("clock_step_s", "compute_us", "memory_us"),
)
_STEADY = "second >= getvariable('low') AND second < getvariable('high')"


def read_noise(connection: duckdb.DuckDBPyConnection, folder: Path, seconds: int) -> Noise | None:
    """The noise in the steady state of `seconds`; None if the folder is older than its record.

    `connection` has the views `engine` and `histograms` and the variables `low` and `high`.
    """
    known = {str(row[0]) for row in connection.execute("DESCRIBE engine").fetchall()}
    if "control_cpu_s" not in known:
        return None
    (cpu_s,) = connection.execute(f"SELECT sum(control_cpu_s) FROM engine WHERE {_STEADY}").fetchone() or (
        None,
    )
    if cpu_s is None:
        return None
    buckets = connection.execute(
        "SELECT bucket, sum(count)::DOUBLE FROM histograms "
        f"WHERE kind = 'control' AND {_STEADY} GROUP BY bucket"
    ).fetchall()
    series = {name: np.full(seconds, np.nan) for name in _METRICS}
    rows = connection.execute(
        "SELECT metric, second - getvariable('low'), value FROM read_parquet(?) "
        f"WHERE role = 'host' AND list_contains(?, metric) AND {_STEADY}",
        [glob.escape(str(folder / "hosts.parquet")), list(_METRICS)],
    ).fetchall()
    for metric, second, value in rows:
        series[metric][int(second)] = value
    cores = series["cpu_cores"] + series["idle_cores"]
    return Noise(
        control=Histogram.of(*zip(*buckets, strict=True)) if buckets else EMPTY,
        control_cpu_s=float(cpu_s),
        busy_share=series["cpu_cores"] / cores,
        steal_share=series["steal_cores"] / cores,
        foreign_share=series["foreign_cores"] / cores,
        steps_s=np.nan_to_num(series["clock_step_s"]),
        compute_us=series["compute_us"],
        memory_us=series["memory_us"],
    )
