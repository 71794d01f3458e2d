"""Series against the definitions, by hand and by numpy."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
import synthetic

from loadstone import report
from loadstone.judge.histogram import midpoints_us
from loadstone.report import series


def write(path: Path, select: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


def test_buckets_of_the_synthetic_runs_follow_the_definition() -> None:
    micros = np.array([0, 1, 1023, 2047, 2048, 2049, 4095, 4096, 1_000_003, 60_000_000])
    values = midpoints_us(synthetic.bucket(micros))
    assert np.all(np.abs(values - micros) <= np.maximum(0.5, micros * 0.0005))


def test_percentiles_are_the_judges(tmp_path: Path) -> None:
    micros = np.random.default_rng(5).lognormal(11, 1, 4000).astype(int)
    buckets = synthetic.bucket(micros)
    rows = ", ".join(f"(3, 'A', 'steady', 'response', {bucket}, 1)" for bucket in buckets)
    columns = "second, operation, phase, kind, bucket, count"
    table = write(tmp_path / "h.parquet", f"SELECT * FROM (VALUES {rows}) AS t({columns})")
    values = np.sort(midpoints_us(buckets)) / 1e6
    for one, share in zip(series.response_percentiles(table, 1), (0.5, 0.9, 0.99), strict=True):
        assert one.values[:3] == [None, None, None]  # seconds without answers
        assert one.values[3] == pytest.approx(values[int(np.ceil(share * 4000)) - 1])


def test_a_percentile_needs_answers_enough(tmp_path: Path) -> None:
    """Of 19 none is known, of 20 the median and p90, of 100 all three."""
    columns = "second, operation, phase, kind, bucket, count"
    rows = ", ".join(f"({at}, 'A', 'steady', 'response', 7, {n})" for at, n in enumerate((19, 20, 99, 100)))
    table = write(tmp_path / "h.parquet", f"SELECT * FROM (VALUES {rows}) AS t({columns})")
    known = [[value is not None for value in one.values] for one in series.response_percentiles(table, 1)]
    assert known == [[False, True, True, True], [False, True, True, True], [False, False, False, True]]
    assert series.response_percentiles(table, 1, "B")[0].values == []
    assert series.answered(table) == {"A": 238}


def test_failures_have_a_line_for_each_cause_that_occurred(tmp_path: Path) -> None:
    columns = "second, ok, refused, reset, closed, timeout, status, marker, dropped"
    rows = "(0, 8, 0, 0, 0, 0, 2, 0, 0), (0, 8, 0, 0, 0, 0, 1, 0, 0), (2, 4, 0, 0, 0, 0, 0, 0, 1)"
    table = write(tmp_path / "w.parquet", f"SELECT * FROM (VALUES {rows}) AS t({columns})")
    found = {one.name: one.values for one in series.failures(table, 1)}
    assert found == {"status": [3, 0, 0], "dropped": [0, 0, 1]}


def test_a_second_without_answers_is_zero_throughput(tmp_path: Path) -> None:
    columns = "second, ok, refused, reset, closed, timeout, status, marker, dropped"
    rows = "(0, 8, 0, 0, 0, 0, 0, 0, 0), (3, 4, 0, 1, 0, 0, 0, 0, 1)"
    table = write(tmp_path / "w.parquet", f"SELECT * FROM (VALUES {rows}) AS t({columns})")
    answered, failed = series.throughput(table, 1)
    assert answered.values == [8, 0, 0, 4]
    assert failed.values == [0, 0, 0, 2]
    # In bins of three seconds; the last bin holds one second only.
    assert series.throughput(table, 3)[0].values == [pytest.approx(8 / 3), 4]


def test_a_curve_is_thin_exact_and_counts_the_failed(run: report.Chapter) -> None:
    assert run.detail is not None
    operations = run.detail.summary.operations
    table = run.detail.table("histograms")
    assert table is not None
    curves = series.curves(table, {name: operation.count for name, operation in operations.items()})
    assert list(curves) == list(operations)
    for name, curve in curves.items():
        assert len(curve.response_s) <= series.CURVE_POINTS
        assert np.all(np.diff(curve.response_s) > 0)
        assert np.all(np.diff(curve.share) > 0)
        operation = operations[name]
        assert curve.share[-1] == pytest.approx(operation.ok / operation.count, abs=1e-6)
        within = curve.share[np.searchsorted(curve.response_s, operation.response_ms.p90 / 1000)]
        assert within == pytest.approx(0.9 * operation.ok / operation.count, abs=0.02)


def test_folders_with_wildcards_in_their_names_are_read(tmp_path: Path) -> None:
    odd = tmp_path / "what [is] this*?"
    synthetic.run(odd, ramp_up=2, steady=3)
    assert "Over time" in report.page([report.read_chapter(odd)])
