"""From the journal to the Parquet tables, inside DuckDB: memory does not grow with the length of a run."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from loadstone.intake import json_of
from loadstone.judge import CAUSES, FIRST_BYTE, PARTS
from loadstone.record import journal
from loadstone.record.disk import naming_disk_errors
from loadstone.scenario.checks import COUNTERS

TABLES = ("histograms", "steps", "windows", "sessions", "hooks", "engine", "agents", "hosts", "services")

_SPARSE = "STRUCT(bucket UINTEGER[], count UBIGINT[])"
_STEPS = f"""STRUCT(step UINTEGER, connect {_SPARSE}, handshake {_SPARSE}, first_byte {_SPARSE},
    answer {_SPARSE}, files {_SPARSE})"""
_OPERATION = f"""STRUCT(operation UINTEGER, phase UTINYINT, ok UBIGINT, failed UBIGINT[], late UBIGINT,
    dropped UBIGINT, counters UBIGINT[],
    response {_SPARSE}, service {_SPARSE}, pace {_SPARSE}, lag {_SPARSE}, first_byte {_SPARSE},
    called {_SPARSE},
    steps {_STEPS}[])"""
_SESSIONS = f"""STRUCT(scenario UINTEGER, phase UTINYINT, begun UBIGINT, completed UBIGINT,
    lost UBIGINT[], dropped UBIGINT, life_ms {_SPARSE}, lost_life_ms {_SPARSE}, operations {_SPARSE})"""
_HOOK = f"""STRUCT(function UINTEGER, returned UBIGINT, failed UBIGINT, cpu_s DOUBLE,
    waited {_SPARSE}, took {_SPARSE})"""
_COLUMNS = {
    "window": f"""STRUCT(second UINTEGER, users UINTEGER, users_s DOUBLE, sessions_s DOUBLE,
        in_flight UINTEGER, arrived UBIGINT, waited UBIGINT, turned_away UBIGINT,
        connections UINTEGER, connects UBIGINT, reconnects UBIGINT, beside UBIGINT, closed_idle UBIGINT,
        closed_with_answer UBIGINT, waits UBIGINT, requests UBIGINT, bytes_in UBIGINT, bytes_out UBIGINT,
        cpu_user_s DOUBLE, cpu_sys_s DOUBLE, control {_SPARSE}, control_cpu_s DOUBLE,
        wake_lag {_SPARSE}, handshake_full {_SPARSE}, handshake_resumed {_SPARSE}, operations {_OPERATION}[],
        sessions {_SESSIONS}[], hooks {_HOOK}[])""",
    "hosts": "STRUCT(second UINTEGER, metrics MAP(VARCHAR, MAP(VARCHAR, DOUBLE)))",
    "seen": """STRUCT(second UINTEGER, host VARCHAR, metrics MAP(VARCHAR, DOUBLE),
        services MAP(VARCHAR, MAP(VARCHAR, DOUBLE)))""",
    "agents": f"""STRUCT(second UINTEGER, of MAP(VARCHAR, STRUCT(users UINTEGER, in_flight UINTEGER,
        requests UBIGINT, cpu_s DOUBLE, hooks_cpu_s DOUBLE, wake_lag {_SPARSE})))""",
    "event": "JSON",
}
_ENGINE = (
    *(
        "users",
        "users_s",
        "sessions_s",
        "in_flight",
        "arrived",
        "waited",
        "turned_away",
        "connections",
        "connects",
        "reconnects",
        "beside",
    ),
    *("closed_idle", "closed_with_answer", "waits", "requests"),
    *("bytes_in", "bytes_out", "cpu_user_s", "cpu_sys_s", "control_cpu_s"),
)
_LONGEST_LINE = 1 << 28  # bytes; a second of a million operations stays far below


def with_causes(source: str) -> str:
    """The table `windows` or `sessions` with a column of each cause: NULL where an older one lacks it."""
    none = ", ".join(f"0::UBIGINT AS {cause}" for cause in CAUSES)
    return f"(SELECT * FROM {source} UNION ALL BY NAME SELECT {none} WHERE false)"


def counters(plan: Mapping[str, Any]) -> list[str]:
    """Names of the counters of `plan`'s operations, in the engine's order."""
    named = (
        step["count"] for operation in plan["operations"] for step in operation["steps"] if step.get("count")
    )
    return [*COUNTERS, *dict.fromkeys(named)]


def write_tables(folder: Path, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Writes the tables of `folder` from its journal; returns the journal's events in order.

    Each table appears whole or not at all. Errors: `disk-full`, `cannot-write`.
    """
    with duckdb.connect() as connection:
        _open(connection, folder / journal.NAME, plan)
        for name, query in _queries(plan).items():
            draft, table = folder / f"{name}.parquet.tmp", folder / f"{name}.parquet"
            with naming_disk_errors(table):
                try:
                    connection.execute(
                        f"COPY ({query}) TO {_quoted(str(draft))} (FORMAT parquet, COMPRESSION zstd)"
                    )
                    draft.replace(table)
                except (OSError, duckdb.IOException):
                    draft.unlink(missing_ok=True)
                    raise
        return _events(connection)


def _open(connection: duckdb.DuckDBPyConnection, path: Path, plan: Mapping[str, Any]) -> None:
    connection.execute("SET temp_directory = ''")
    columns = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in _COLUMNS.items())
    # `ignore_errors`: a power cut can leave a line of zeros in the middle; its second is lost, not the run.
    connection.execute(
        f"""CREATE VIEW journal AS SELECT * FROM read_ndjson({_quoted(glob.escape(str(path)))},
        columns = {{{columns}}}, ignore_errors = true, maximum_object_size = {_LONGEST_LINE})"""
    )
    connection.execute('CREATE VIEW seconds AS SELECT "window" AS w FROM journal WHERE "window" IS NOT NULL')
    connection.execute(
        "CREATE VIEW operations AS SELECT w.second AS second, unnest(w.operations) AS o FROM seconds"
    )
    connection.execute(
        "CREATE VIEW sessions AS SELECT w.second AS second, unnest(w.sessions) AS s FROM seconds"
    )
    for table, key, named in (
        ("names", "operation", plan["operations"]),
        ("functions", "function", plan.get("functions", [])),
        ("scenarios", "scenario", plan.get("scenarios") or [plan]),
    ):
        connection.execute(f"CREATE TABLE {table} ({key} UINTEGER, name VARCHAR)")
        if named:
            rows = [(i, one["name"]) for i, one in enumerate(named)]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)


def _queries(plan: Mapping[str, Any]) -> dict[str, str]:
    """The table's query by its name."""
    phase, begun = (
        f"CASE {of}.phase WHEN 0 THEN 'ramp-up' WHEN 1 THEN 'steady' ELSE 'ramp-down' END AS phase"
        for of in ("o", "s")
    )
    joined = "FROM operations JOIN names ON names.operation = o.operation"
    histograms = [
        f"SELECT second, name AS operation, {phase}, '{kind}' AS kind, "
        f"unnest(o.{kind}.bucket) AS bucket, unnest(o.{kind}.count) AS count {joined}"
        for kind in ("response", "service", "pace", "lag", "first_byte", "called")
    ]
    histograms += [
        f"SELECT second, '*' AS operation, {begun}, 'session_{kind}' AS kind, "
        f"unnest(s.{kind}.bucket) AS bucket, unnest(s.{kind}.count) AS count FROM sessions"
        for kind in ("life_ms", "lost_life_ms", "operations")
    ]
    taken = f"SELECT second, name AS operation, {phase}, unnest(o.steps) AS taken {joined}"
    steps = [
        f"SELECT second, operation, phase, taken.step AS step, '{part}' AS part, "
        f"unnest(taken.{part}.bucket) AS bucket, unnest(taken.{part}.count) AS count FROM ({taken})"
        for part in (*PARTS, FIRST_BYTE)
    ]
    start = float(plan["load"]["ramp_up_s"])
    end = start + float(plan["load"]["steady_s"])
    histograms += [
        f"SELECT w.second, '*' AS operation, CASE WHEN w.second < {start} THEN 'ramp-up' "
        f"WHEN w.second < {end} THEN 'steady' ELSE 'ramp-down' END AS phase, '{kind}' AS kind, "
        f"unnest(w.{kind}.bucket) AS bucket, unnest(w.{kind}.count) AS count FROM seconds"
        for kind in ("wake_lag", "control", "handshake_full", "handshake_resumed")
    ]
    causes, lost = (
        # The journal of an earlier version has fewer causes.
        ", ".join(f"coalesce({of}[{i}], 0) AS {cause}" for i, cause in enumerate(CAUSES, start=1))
        for of in ("o.failed", "s.lost")
    )
    extra = ", ".join(_counter(i, name, plan) for i, name in enumerate(counters(plan)))
    return {
        "histograms": " UNION ALL ".join(histograms),
        "steps": " UNION ALL ".join(steps),
        "windows": f"SELECT second, name AS operation, {phase}, o.ok AS ok, {causes}, o.late AS late, "
        f"o.dropped AS dropped, {extra} {joined}",
        "sessions": f"SELECT second, scenarios.name AS scenario, {begun}, s.begun AS begun, "
        f"s.completed AS completed, {lost}, s.dropped AS dropped FROM sessions "
        # The journal of an earlier version knows no scenarios: it had one.
        "JOIN scenarios ON scenarios.scenario = coalesce(s.scenario, 0)",
        "hooks": """SELECT second, functions.name AS function, h.returned AS returned, h.failed AS failed,
            h.cpu_s AS cpu_s, h.waited.bucket AS wait_bucket, h.waited.count AS wait_count,
            h.took.bucket AS bucket, h.took.count AS count
            FROM (SELECT w.second AS second, unnest(w.hooks) AS h FROM seconds)
            JOIN functions ON functions.function = h.function""",
        "engine": f"SELECT w.second, {', '.join(f'w.{name}' for name in _ENGINE)} FROM seconds",
        "agents": """SELECT second, agent.key AS agent, agent.value.users AS users,
            agent.value.in_flight AS in_flight, agent.value.requests AS requests, agent.value.cpu_s AS cpu_s,
            coalesce(agent.value.hooks_cpu_s, 0) AS hooks_cpu_s,
            agent.value.wake_lag.bucket AS wake_lag_bucket,
            agent.value.wake_lag.count AS wake_lag_count FROM (
                SELECT agents.second AS second, unnest(map_entries(agents.of)) AS agent
                FROM journal WHERE agents IS NOT NULL)""",
        "hosts": """SELECT second, NULL::VARCHAR AS host, role, metric.key AS metric, metric.value AS value
            FROM (
                SELECT second, role.key AS role, unnest(map_entries(role.value)) AS metric FROM (
                    SELECT hosts.second AS second, unnest(map_entries(hosts.metrics)) AS role
                    FROM journal WHERE hosts IS NOT NULL))
            UNION ALL SELECT second, host, 'watched', metric.key, metric.value FROM (
                SELECT seen.second AS second, seen.host AS host, unnest(map_entries(seen.metrics)) AS metric
                FROM journal WHERE seen IS NOT NULL)""",
        "services": """SELECT second, host, service, metric.key AS metric, metric.value AS value FROM (
            SELECT second, host, service.key AS service, unnest(map_entries(service.value)) AS metric FROM (
                SELECT seen.second AS second, seen.host AS host, unnest(map_entries(seen.services)) AS service
                FROM journal WHERE seen IS NOT NULL))""",
    }


def _counter(i: int, name: str, plan: Mapping[str, Any]) -> str:
    """A counter's column. The journal of an earlier version has fewer of them before the named steps."""
    named = len(counters(plan)) - len(COUNTERS)
    at = i - len(COUNTERS)
    known = f"o.counters[{at - named}]" if at >= 0 else f"o.counters[: -{named + 1}][{i + 1}]"
    return f"coalesce({known}, 0) AS {_identifier(name)}"


def _events(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    rows = connection.execute("SELECT event FROM journal WHERE event IS NOT NULL").fetchall()
    return [json_of(row[0]) for row in rows]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
