"""Figures as flat tables for other programs: operations of runs, their seconds, compared figures."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import duckdb

from loadstone.record import make_folder
from loadstone.record.by_second import by_second
from loadstone.record.disk import naming_disk_errors
from loadstone.report.folder import Chapter, Json, Run
from loadstone.stages.compare import Comparison, History
from loadstone.stages.run_operations import OperationFigures

Form = Literal["csv", "parquet"]
_WORDS = (
    "run",
    "scenario",
    "started_at",
    "unit",
    "state",
    "operation",
    "side",
    "figure",
    "change_is",
    "said",
)
_COUNTS = ("count", "ok", "failed", "late", "dropped")
_QUANTILES = ("mean", "p50", "p90", "p95", "p99", "p999", "max")


def write_runs(chapters: Sequence[Chapter], target: Path, form: Form) -> list[Path]:
    """`operations` and `seconds` of every run of the folders, in `target`; gives the files.

    Errors: `run-folder` when a run has no tables, `cannot-write`, `disk-full`.
    """
    make_folder(target)
    runs = [(_name(chapter, name), run) for chapter in chapters for name, run in chapter.runs.items()]
    rows = [row for name, run in runs for row in _operations(name, run)]
    written = [_write_rows(rows, target / f"operations.{form}", form)]
    with duckdb.connect() as connection:
        parts = []
        for at, (name, run) in enumerate(runs):
            if run.table("windows"):
                by_second(connection, run.folder).create_view(f"run_{at}")
                parts.append(f"SELECT {_quoted(name)} AS run, {run.load!r}::DOUBLE AS load, * FROM run_{at}")
        if parts:
            table = " UNION ALL ".join(parts)
            file = target / f"seconds.{form}"
            _copy(connection, f"SELECT * FROM ({table}) ORDER BY run, second, operation, phase", file, form)
            written.append(file)
    return written


def write_comparison(found: Comparison, target: Path, form: Form) -> list[Path]:
    """`compared`: every figure of both sides, with its interval."""
    make_folder(target)
    rows: list[Json] = []
    for one in found.rows:
        change = one.ratio or one.difference
        row: Json = {"side": one.side, "operation": one.operation, "figure": one.figure, "unit": one.unit}
        for name, part in (("old", one.old), ("new", one.new), ("change", change)):
            row |= {
                name: part and part.value,
                f"{name}_low": part and part.low,
                f"{name}_high": part and part.high,
            }
        rows.append(
            row
            | {"change_is": "ratio" if one.ratio else "difference", "p": one.p_corrected, "said": one.said}
        )
    return [_write_rows(rows, target / f"compared.{form}", form)]


def write_history(found: History, file: Path) -> None:
    """One row for each run, operation and figure. Errors: `cannot-write`, `disk-full`."""
    make_folder(file.parent)
    rows: list[Json] = [
        {
            "run": run.run,
            "started_at": run.started_at,
            "operation": one.operation,
            "figure": one.figure,
            "unit": one.unit,
            "value": value,
        }
        for one in found.figures
        for run, value in zip(found.runs, one.values, strict=True)
    ]
    _write_rows(rows, file, "parquet")


def _name(chapter: Chapter, name: str) -> str:
    return str(chapter.folder if name == "." else chapter.folder / name)


def _operations(name: str, run: Run) -> list[Json]:
    """One row an operation, in the steady state."""
    summary = run.summary
    head = {
        "run": name,
        "scenario": summary.name,
        "started_at": summary.started_at,
        "unit": str(summary.load.unit),
        "load": float(run.load),
        "state": summary.validity.state,
    }
    return [head | _operation(operation, found) for operation, found in summary.operations.items()]


def _operation(name: str, found: OperationFigures) -> Json:
    return {
        "operation": name,
        "limit_s": float(found.limit_s),
        "count": found.count,
        "ok": found.ok,
        "failed": sum(found.failed.values()),
        "late": found.late,
        "dropped": found.dropped,
        "share_within_limit": found.share_within_limit,
    } | {
        f"{kind}_{one}": getattr(times, one) if times else None
        for kind, times in (("response_ms", found.response_ms), ("first_byte_ms", found.first_byte_ms))
        for one in _QUANTILES
    }


def _write_rows(rows: Sequence[Json], file: Path, form: Form) -> Path:
    """Rows of one shape."""
    with tempfile.TemporaryDirectory(prefix="loadstone-") as place, duckdb.connect() as connection:
        lines = Path(place) / "rows.ndjson"
        lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        columns = ", ".join(f"{_quoted(name)}: {_quoted(_kind(name))}" for name in rows[0]) if rows else ""
        source = f"{_quoted(str(lines))}, columns = {{{columns}}}" if rows else ""
        query = f"SELECT * FROM read_ndjson({source})" if rows else "SELECT NULL WHERE false"
        _copy(connection, query, file, form)
    return file


def _copy(connection: duckdb.DuckDBPyConnection, query: str, file: Path, form: Form) -> None:
    """Writes the query's rows, whole or not at all."""
    draft = file.with_name(file.name + ".tmp")
    how = "FORMAT csv, HEADER" if form == "csv" else "FORMAT parquet, COMPRESSION zstd"
    if form == "csv":
        query = _spelled(connection, query)
    with naming_disk_errors(file):
        try:
            connection.execute(f"COPY ({query}) TO {_quoted(str(draft))} ({how})")
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def _spelled(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """The query with words that a spreadsheet would run as a formula quoted, as other tables have them."""
    shown = connection.execute(f"DESCRIBE ({query})").fetchall()
    columns = [_words(_named(name)) if kind == "VARCHAR" else _named(name) for name, kind, *_ in shown]
    return f"SELECT {', '.join(columns)} FROM ({query})"


def _words(column: str) -> str:
    return (
        f"CASE WHEN regexp_matches({column}, '^[-=+@]') THEN '''' || {column} ELSE {column} END AS {column}"
    )


def _kind(name: str) -> str:
    """DuckDB's type of a column: the same whether a file has figures in it or none."""
    return "VARCHAR" if name in _WORDS else "BIGINT" if name in _COUNTS else "DOUBLE"


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
