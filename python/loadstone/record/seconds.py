"""Response times of a run second by second: what a comparison of runs looks at."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from loadstone.intake import as_written
from loadstone.intake.tables import reading_tables
from loadstone.judge.histogram import Floats, midpoints_us

_HINT = "a run folder must be as the run left it: copy it again, or measure again"


@dataclass(frozen=True)
class Answers:
    """Right answers of one operation in the steady state: arrays have one element a second and bucket."""

    second: npt.NDArray[np.int64]
    """From the beginning of the run."""
    value_ms: Floats
    count: Floats


NO_ANSWERS = Answers(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))


def answers_by_second(folder: Path) -> dict[str, Answers]:
    """Of a completed run, by operation; an operation without a right answer is not there.

    Error `run-folder` when the table cannot be read.
    """
    source = glob.escape(str(folder / "histograms.parquet"))
    with (
        as_written("run-folder", folder, _HINT),
        reading_tables("run-folder", folder, _HINT),
        duckdb.connect() as connection,
    ):
        rows = connection.execute(
            "SELECT operation, list(second), list(bucket), list(count) FROM (SELECT operation, second, "
            "bucket, sum(count)::DOUBLE AS count FROM read_parquet(?) WHERE phase = 'steady' "
            "AND kind = 'response' GROUP BY ALL ORDER BY ALL) GROUP BY operation",
            [source],
        ).fetchall()
    return {
        name: Answers(np.array(seconds, dtype=np.int64), midpoints_us(buckets) / 1000, np.array(counts))
        for name, seconds, buckets, counts in rows
    }
