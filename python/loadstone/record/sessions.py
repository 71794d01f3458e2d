"""Reads the sessions of a run folder back as what the judge looks at."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path

import duckdb
import numpy as np

from loadstone.judge import CAUSES, Histogram
from loadstone.judge.histogram import Floats
from loadstone.judge.sessions import Sessions, Tally
from loadstone.record.tables import with_causes

CONNECTIONS = {
    "opened": "connects",
    "reopened": "reconnects",
    "closed_idle": "closed_idle",
    "closed_with_answer": "closed_with_answer",
}
"""What becomes of connections, and its column of `engine.parquet`."""

_STEADY = "second >= getvariable('low') AND second < getvariable('high')"


def read_sessions(
    connection: duckdb.DuckDBPyConnection, folder: Path, ended_s: float, scenarios: Sequence[str] = ()
) -> Sessions | None:
    """The sessions of `folder`; None if the folder is older than their counts. `scenarios`: names of several.

    `connection` has the views `engine` and `histograms` and the variables `low` and `high`: the steady
    state's seconds. `ended_s`: when the run ended.
    """
    table = folder / "sessions.parquet"
    if not table.is_file():
        return None
    source = glob.escape(str(table)).replace("'", "''")
    table_sql = with_causes(f"read_parquet('{source}')")
    connection.execute(f"CREATE VIEW sessions AS FROM {table_sql}")
    lives = _histograms(connection, "true")
    steady_lives = _histograms(connection, "phase = 'steady'")
    ended = _histograms(connection, _STEADY)
    done, lost = (ended.get(f"session_{kind}") for kind in ("life_ms", "lost_life_ms"))
    longest = lives["session_life_ms"].quantile_us(0.99) if "session_life_ms" in lives else None
    return Sessions(
        steady=_tally(connection, "phase = 'steady'"),
        whole=_tally(connection, "true"),
        whole_s=ended_s,
        completed=done.count if done else 0,
        ended=sum(one.count for one in (done, lost) if one),
        ended_life_s=sum(float(np.dot(one.values_us, one.counts)) for one in (done, lost) if one) / 1000,
        waits=_sums(connection, ["waits"], _STEADY)[0],
        connections=_connections(connection, _STEADY),
        whole_connections=_connections(connection, "true"),
        life_ms=steady_lives.get("session_life_ms", Sessions.life_ms),
        operations=steady_lives.get("session_operations", Sessions.operations),
        arrived=_arrived(connection),
        lives_ms=lives.get("session_life_ms", Sessions.lives_ms),
        by_scenario=_by_scenario(connection, scenarios),
        longest_s=(longest or 0.0) / 1000,
    )


def _arrived(connection: duckdb.DuckDBPyConnection) -> Floats:
    """In each whole second of the steady state; the last one of a run need not be whole."""
    rows = connection.execute(
        "SELECT second - getvariable('low'), sum(begun + dropped) FROM sessions "
        f"WHERE {_STEADY} AND second < getvariable('high') - 1 AND phase = 'steady' GROUP BY ALL"
    ).fetchall()
    (low, high), *_ = connection.execute("SELECT getvariable('low'), getvariable('high')").fetchall()
    counts = np.zeros(max(0, high - low - 1))
    for second, count in rows:
        counts[int(second)] = count
    return counts


def _by_scenario(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, Tally]:
    """What each of several scenarios began in the steady state."""
    quoted = {name: name.replace("'", "''") for name in names}
    return {
        name: _tally(connection, f"phase = 'steady' AND scenario = '{text}'") for name, text in quoted.items()
    }


def _tally(connection: duckdb.DuckDBPyConnection, where: str) -> Tally:
    sums = ", ".join(f"coalesce(sum({name}), 0)" for name in ("begun", "completed", "dropped", *CAUSES))
    row = connection.execute(f"SELECT {sums} FROM sessions WHERE {where}").fetchone()
    begun, completed, dropped, *lost = (int(value) for value in row or ())
    return Tally(begun, completed, dict(zip(CAUSES, lost, strict=True)), dropped)


def _connections(connection: duckdb.DuckDBPyConnection, where: str) -> dict[str, int]:
    return dict(zip(CONNECTIONS, _sums(connection, CONNECTIONS.values(), where), strict=True))


def _sums(connection: duckdb.DuckDBPyConnection, columns: Iterable[str], where: str) -> list[int]:
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in columns)
    row = connection.execute(f"SELECT {sums} FROM engine WHERE {where}").fetchone()
    return [int(value) for value in row or ()]


def _histograms(connection: duckdb.DuckDBPyConnection, where: str) -> dict[str, Histogram]:
    rows = connection.execute(
        "SELECT kind, list(bucket), list(count) FROM (SELECT kind, bucket, sum(count)::DOUBLE AS count "
        f"FROM histograms WHERE kind LIKE 'session_%' AND {where} GROUP BY ALL) GROUP BY ALL"
    ).fetchall()
    return {kind: Histogram.of(buckets, counts) for kind, buckets, counts in rows}
