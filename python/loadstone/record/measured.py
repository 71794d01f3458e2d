"""Reads the tables of a run folder back as what the judge looks at."""

from __future__ import annotations

import glob
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import duckdb
import numpy as np

from loadstone.goals import Goal
from loadstone.judge import CAUSES, Histogram, Measurement, OperationSeries, PartTimes
from loadstone.judge.histogram import EMPTY, Floats, bucket_of
from loadstone.judge.laws import longest_life_s
from loadstone.judge.measurement import AgentSeries, longest_pause_s
from loadstone.judge.scenarios import walks
from loadstone.record.hooks import read_hooks
from loadstone.record.noise import read_noise
from loadstone.record.sessions import read_sessions
from loadstone.record.steps import read_steps
from loadstone.record.tables import counters
from loadstone.stages.run_connections import HandshakeKind
from loadstone.stages.run_hosts import Sut

_MOST_CELLS = 1 << 28
"""Figures that are held at once, 2 GiB: a week of a large scenario. A changed table can claim any second."""
_SETTLED = "second >= getvariable('settled') AND second < getvariable('high')"


def read_measurement(
    folder: Path,
    plan: Mapping[str, Any],
    threads: int | None,
    ended_s: float | None,
    lost: Mapping[str, str] | None = None,
    goals: Sequence[Goal] = (),
) -> Measurement:
    """The steady state that the tables of `folder` hold. A run that ended in ramp-up has an empty one.

    `ended_s`: when the run ended; None for the end of its last whole second. `lost`: as in `Measurement`.
    `goals`: those that will be judged; `OperationSeries.under` has what they ask about.
    """
    load = plan["load"]
    start = float(load["ramp_up_s"])
    with duckdb.connect() as connection:
        for name in ("windows", "histograms", "engine"):
            source = glob.escape(str(folder / f"{name}.parquet")).replace("'", "''")
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{source}')")
        (last,) = connection.execute("SELECT max(second) FROM engine").fetchone() or (None,)
        known = 0.0 if last is None else float(last) + 1
        ended = known if ended_s is None else min(known, ended_s)
        end = max(start, min(start + float(load["steady_s"]), ended))
        # A second belongs to the steady state when any of it does.
        connection.execute(f"SET VARIABLE low = {math.floor(start)}")
        connection.execute(f"SET VARIABLE high = {math.ceil(end)}")
        names = [one["name"] for one in plan.get("scenarios", [])]
        sessions = read_sessions(connection, folder, known if ended_s is None else ended_s, names)
        settled = start + longest_pause_s(plan)
        if load.get("requests_per_s"):
            settled = start
        elif load.get("sessions_per_s") and sessions:
            # From then on as many sessions end as begin, and their pauses are seen whole.
            longest = max(longest_life_s(walk) for walk in walks(plan))
            settled = max(start, sessions.longest_s, longest)
        connection.execute(f"SET VARIABLE settled = {math.ceil(settled)}")
        engine = _engine(connection, math.ceil(end) - math.floor(start))
        handshakes = _histograms(connection, "kind LIKE 'handshake_%'")
        agents = _agents(connection, folder / "agents.parquet", load["threads"] or 1)
        return Measurement(
            start_s=start,
            end_s=end,
            settled_s=settled,
            operations=_operations(
                connection,
                plan,
                math.ceil(end) - math.floor(start),
                goals,
                read_steps(connection, folder, plan),
            ),
            users=engine["users"],
            users_s=_whole(engine["users_s"]),
            sessions_s=_whole(engine["sessions_s"]),
            requests=engine["requests"],
            bytes_in=engine["bytes_in"],
            bytes_out=engine["bytes_out"],
            cpu_s=engine["cpu_user_s"] + engine["cpu_sys_s"],
            threads=threads or (load["threads"] or 1) * max(1, len(agents)),
            in_flight=engine["in_flight"],
            arrived=engine["arrived"],
            waited=engine["waited"],
            wake_lag=_histograms(connection, "phase = 'steady' AND kind = 'wake_lag'").get(
                ("*", "wake_lag"), EMPTY
            ),
            agents=agents,
            noise=read_noise(connection, folder, math.ceil(end) - math.floor(start)),
            lost=lost or {},
            handshakes={
                kind: found
                for kind in get_args(HandshakeKind)
                if (found := handshakes.get(("*", f"handshake_{kind}")))
            },
            sessions=sessions,
            hooks=read_hooks(connection, folder, plan),
        )


def read_observed(folder: Path, measurement: Measurement) -> Sut:
    """What the SUT needed in the steady state."""
    source = glob.escape(str(folder / "hosts.parquet"))
    with duckdb.connect() as connection:
        row = connection.execute(
            "SELECT avg(value) FILTER (metric = 'cpu_cores'), max(value) FILTER (metric = 'rss_bytes') "
            "FROM read_parquet(?) WHERE role = 'sut' AND second >= ? AND second < ?",
            [source, measurement.start_s, measurement.end_s],
        ).fetchone()
    cores, memory = row or (None, None)
    return Sut(cpu_cores_mean=cores, rss_bytes_max=memory)


def _operations(
    connection: duckdb.DuckDBPyConnection,
    plan: Mapping[str, Any],
    seconds: int,
    goals: Sequence[Goal],
    steps: Mapping[str, tuple[PartTimes, ...]],
) -> tuple[OperationSeries, ...]:
    names = [operation["name"] for operation in plan["operations"]]
    sums = ["ok", *CAUSES, "late", "dropped", *counters(plan)]
    # A counter may be younger than the folder.
    known = {str(row[0]) for row in connection.execute("DESCRIBE windows").fetchall()}
    columns = ", ".join(f"sum({_identifier(name)})" if name in known else "0" for name in sums)
    rows = connection.execute(
        f"SELECT operation, second - getvariable('low'), {columns} "
        "FROM windows WHERE phase = 'steady' "
        "AND second >= getvariable('low') AND second < getvariable('high') GROUP BY ALL"
    ).fetchall()
    series = _room(len(names), len(sums), seconds)
    index = {name: i for i, name in enumerate(names)}
    for name, second, *values in rows:
        series[index[name], :, int(second)] = [value or 0 for value in values]
    found = {
        "steady": _histograms(
            connection, "phase = 'steady' AND kind IN ('response', 'service', 'first_byte', 'called')"
        ),
        "settled": _histograms(connection, f"phase = 'steady' AND kind = 'pace' AND {_SETTLED}"),
        "ended": _histograms(connection, f"kind IN ('pace', 'service', 'called') AND {_SETTLED}"),
    }
    under = _under(connection, index, seconds, goals)
    return tuple(
        _series(
            operation,
            dict(zip(sums, series[i], strict=True)),
            found,
            {s: u[i] for s, u in under.items()},
            steps.get(operation["name"], ()),
        )
        for i, operation in enumerate(plan["operations"])
    )


def _under(
    connection: duckdb.DuckDBPyConnection, index: Mapping[str, int], seconds: int, goals: Sequence[Goal]
) -> dict[float, Floats]:
    """Right answers within each bound that `goals` have, by operation and second.

    A bound is as exact as a bucket is wide, 0.1 %: answers of the bucket that it lies in are within it.
    """
    bounds = {goal.bound for goal in goals if goal.measure == "response" and not goal.own_limit}
    found = {bound: _room(len(index), seconds) for bound in bounds}
    for bound, series in found.items():
        rows = connection.execute(
            "SELECT operation, second - getvariable('low'), sum(count)::DOUBLE FROM histograms "
            "WHERE kind = 'response' AND phase = 'steady' AND bucket <= ? "
            "AND second >= getvariable('low') AND second < getvariable('high') GROUP BY ALL",
            [bucket_of(bound * 1e6)],
        ).fetchall()
        for name, second, count in rows:
            series[index[name], int(second)] = count
    return found


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _series(
    operation: Mapping[str, Any],
    sums: dict[str, Floats],
    found: Mapping[str, Mapping[tuple[str, str], Histogram]],
    under: Mapping[float, Floats],
    steps: tuple[PartTimes, ...],
) -> OperationSeries:
    name = operation["name"]
    return OperationSeries(
        name=name,
        limit_s=float(operation["limit_s"]),
        ok=sums.pop("ok"),
        failed={cause: sums.pop(cause) for cause in CAUSES},
        late=sums.pop("late"),
        dropped=sums.pop("dropped"),
        counters=sums,
        response=found["steady"].get((name, "response"), EMPTY),
        service=found["steady"].get((name, "service"), EMPTY),
        first_byte=found["steady"].get((name, "first_byte"), EMPTY),
        pace=found["settled"].get((name, "pace"), EMPTY),
        ended_pace=found["ended"].get((name, "pace"), EMPTY),
        ended_service=found["ended"].get((name, "service"), EMPTY),
        called=found["steady"].get((name, "called"), EMPTY),
        ended_called=found["ended"].get((name, "called"), EMPTY),
        steps=steps,
        under=under,
    )


def _histograms(connection: duckdb.DuckDBPyConnection, where: str) -> dict[tuple[str, str], Histogram]:
    """One histogram for each operation and kind among the rows `where`."""
    rows = connection.execute(
        "SELECT operation, kind, list(bucket), list(count) FROM (SELECT operation, kind, bucket, "
        f"sum(count)::DOUBLE AS count FROM histograms WHERE {where} GROUP BY ALL) GROUP BY ALL"
    ).fetchall()
    return {(name, kind): Histogram.of(buckets, counts) for name, kind, buckets, counts in rows}


def _engine(connection: duckdb.DuckDBPyConnection, seconds: int) -> dict[str, Floats]:
    columns = ["users", "in_flight", "requests", "bytes_in", "bytes_out", "cpu_user_s", "cpu_sys_s"]
    integrals = ["users_s", "sessions_s", "arrived", "waited"]
    known = {str(row[0]) for row in connection.execute("DESCRIBE engine").fetchall()}
    # What is not known of a second is NaN: zero would be a figure.
    selected = columns + [
        f"coalesce({name}, 'nan'::DOUBLE)" if name in known else "'nan'::DOUBLE" for name in integrals
    ]
    columns += integrals
    rows = connection.execute(
        f"SELECT second - getvariable('low'), {', '.join(selected)} FROM engine "
        "WHERE second >= getvariable('low') AND second < getvariable('high')"
    ).fetchall()
    series = _room(len(columns), seconds)
    for second, *values in rows:
        series[:, int(second)] = values
    return dict(zip(columns, series, strict=True))


def _whole(series: Floats) -> Floats | None:
    """A series that is known in every second; None of an older folder."""
    return None if np.isnan(series).any() else series


def _room(*shape: int) -> Floats:
    """Zeros. ValueError when they are more than any run has."""
    if math.prod(shape) > _MOST_CELLS:
        raise ValueError(f"{shape[-1]:,} seconds are more than any run has")
    return np.zeros(shape)


def _agents(connection: duckdb.DuckDBPyConnection, table: Path, threads: int) -> tuple[AgentSeries, ...]:
    """Each agent's seconds of the steady state, in the order of their names; empty without agents."""
    if not table.is_file():
        return ()  # a folder of before there were agents
    steady = "second >= getvariable('low') AND second < getvariable('high')"
    source = [glob.escape(str(table))]
    names = {str(row[0]) for row in connection.execute("DESCRIBE FROM read_parquet(?)", source).fetchall()}
    hooks = "hooks_cpu_s" if "hooks_cpu_s" in names else "0.0"  # younger than agents
    rows = connection.execute(
        f"SELECT agent, list(users ORDER BY second) FILTER ({steady}), "
        f"list(requests ORDER BY second) FILTER ({steady}), list(cpu_s ORDER BY second) FILTER ({steady}), "
        f"list({hooks} ORDER BY second) FILTER ({steady}), "
        f"flatten(list(wake_lag_bucket) FILTER ({steady})), flatten(list(wake_lag_count) FILTER ({steady})) "
        "FROM read_parquet(?) GROUP BY agent ORDER BY agent",
        source,
    ).fetchall()
    return tuple(
        AgentSeries(
            name=name,
            users=np.array(users or [], dtype=np.float64),
            requests=np.array(requests or [], dtype=np.float64),
            cpu_s=np.array(cpu_s or [], dtype=np.float64),
            threads=threads,
            wake_lag=Histogram.of(buckets or [], counts or []),
            hooks_cpu_s=np.array(hooks_cpu_s or [], dtype=np.float64),
        )
        for name, users, requests, cpu_s, hooks_cpu_s, buckets, counts in rows
    )
