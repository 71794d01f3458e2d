"""The tables of one run."""

from __future__ import annotations

from loadstone.judge import CAUSES
from loadstone.report import format
from loadstone.report.elastic import elasticity
from loadstone.report.failures import examples, failures, spoken
from loadstone.report.folder import Run
from loadstone.report.goals import amount, asked, bound
from loadstone.report.hooks import hooks
from loadstone.report.http2 import http2
from loadstone.report.noise import noise
from loadstone.report.scenarios import scenarios
from loadstone.report.steps import steps
from loadstone.report.table import Column, Row, Table, mark, words
from loadstone.report.tls import handshakes
from loadstone.report.watched import events_table, hosts_table
from loadstone.stages import run as stages
from loadstone.stages.run import Check
from loadstone.stages.run_operations import SessionCounts

_ALWAYS = ("accepted", "refused", "closed_by_timeout", "requests")
"""Counters of a connector that are shown even when they are 0."""


def run_tables(run: Run) -> list[Table | None]:
    """All of them; None where the run has nothing to say."""
    return [
        scenarios(run),
        operations(run),
        response_times(run),
        steps(run),
        handshakes(run),
        http2(run),
        failures(run),
        examples(run),
        sessions(run),
        mix(run),
        counters(run),
        hooks(run),
        connector(run),
        noise(run),
        agents(run),
        hosts_table(run),
        elasticity(run),
        events_table(run),
        checks(run),
    ]


def goals_of(run: stages.Run) -> Table:
    """What each goal of a run came to; an invalid run has no verdict."""
    judged = run.validity.state != "invalid"
    rows = [
        {
            "goal": goal.name,
            "limit": goal.limit,
            "unit": goal.unit,
            "at_least": goal.at_least,
            "asked": asked(goal),
            "verdict": goal.verdict if judged else None,
            "measured": goal.measured,
            "low": goal.low,
            "high": goal.high,
            "seen": amount(goal, goal.measured),
            "low_seen": bound(goal, goal.low),
            "high_seen": bound(goal, goal.high),
            "operation": goal.operation,
            "window_start_s": goal.window_start_s,
        }
        for goal in run.goals.values()
    ]
    columns = [
        words("goal", "goal"),
        words("verdict", "verdict", mark),
        Column("limit", "asks for", said="asked"),
        Column("measured", "measured", said="seen"),
        Column("low", "from", said="low_seen"),
        Column("high", "to", said="high_seen"),
        words("operation", "of"),
        Column("window_start_s", "in the window from s", format.brief),
    ]
    bounded = any(row["low"] is not None or row["high"] is not None for row in rows)
    shown = [one for one in columns if bounded or one.key not in ("low", "high")]
    note = (
        "An SLA asks for a share of each operation within its limit, in every window: the worst decides. "
        "From, to: where the service may be in the long run, of which the run is a sample."
    )
    return Table("verdicts", "Verdict on each goal", shown, rows, note, highlight=_judged)


def operations(run: Run) -> Table:
    """Each operation's counts and share within its limit."""
    rows = [
        {
            "operation": name,
            "limit_s": one.limit_s,
            "count": one.count,
            "ok": one.ok,
            "late": one.late,
            "dropped": one.dropped,
            "failed": sum(one.failed.values()),
            "share_within_limit": one.share_within_limit,
            "response_ms_p90": one.response_ms and one.response_ms.p90,
            "response_ms_p99": one.response_ms and one.response_ms.p99,
        }
        for name, one in run.summary.operations.items()
    ]
    columns = [
        words("operation", "operation"),
        Column("count", "count"),
        Column("limit_s", "limit, s", format.brief),
        Column("share_within_limit", "within limit", format.share),
        Column("response_ms_p90", "p90, ms", format.figure),
        Column("response_ms_p99", "p99, ms", format.figure),
        Column("late", "late"),
        Column("failed", "failed"),
        Column("dropped", "dropped"),
    ]
    note = "Steady state only. Late: over the limit. Failed: wrong answer or error. Dropped: not sent."
    return Table("operations", "Operations", columns, rows, note)


def response_times(run: Run) -> Table:
    """Percentiles of the response time and of the service time."""
    points = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
    rows = [
        {"operation": name, "kind": kind} | {f"ms_{p}": getattr(times, p) for p in points}
        for name, operation in run.summary.operations.items()
        for kind, times in (
            ("response", operation.response_ms),
            ("service", operation.service_ms),
            ("first byte", operation.first_byte_ms),
        )
        if times
    ]
    columns = [
        words("operation", "operation"),
        words("kind", "time"),
        *(Column(f"ms_{p}", "p99.9" if p == "p999" else p, format.figure) for p in points),
    ]
    note = (
        "Milliseconds, right answers only. Response: from the intended start to the last byte. "
        "Service: from the actual start. First byte: from the actual start to the first byte of the first "
        "answer, new connections included."
    )
    return Table("response-times", "Response time, service time and first byte, ms", columns, rows, note)


def sessions(run: Run) -> Table | None:
    """What became of sessions and their connections; None where none was counted."""
    found = run.summary.sessions
    if not found:
        return None
    rows = [
        _sessions_row(which, part)
        for which, part in (("began in the steady state", found), ("whole run", found.whole_run))
        if part.begun or part.dropped
    ]
    causes = [cause for cause in CAUSES if found.whole_run.lost.get(cause)]
    columns = [
        words("which", "sessions"),
        *(Column(key, key) for key in ("begun", "completed")),
        *(Column(cause, f"lost: {spoken(cause)}") for cause in causes),
        *(Column(key, key) for key in ("unfinished", "dropped")),
        Column("completed_per_s", "completed/s", format.figure),
        Column("opened", "connections"),
        Column("reopened", "opened again"),
        Column("closed_idle", "closed by server while idle"),
        Column("closed_with_answer", "closed by server with an answer"),
    ]
    note = (
        "Sessions that began in the steady state, whenever they ended; completed/s and connections are those "
        "of the steady state's seconds. Dropped: no socket was left. Unfinished: alive when the run ended."
    )
    return Table("sessions", "Sessions", columns, rows, note)


def _sessions_row(which: str, part: SessionCounts) -> Row:
    return {
        "which": which,
        "begun": part.begun,
        "completed": part.completed,
        "unfinished": part.unfinished,
        "dropped": part.dropped,
        "completed_per_s": part.completed_per_s,
        **part.lost,
        **part.connections,
    }


def mix(run: Run) -> Table:
    """Mix and pace, measured against what the scenario asks for."""
    rows = [
        {
            "operation": name,
            "mix_share": one.mix_share,
            "mix_expected": one.mix_expected,
            "pace_mean_s": one.pace_mean_s,
            "pace_expected_s": one.pace_expected_s,
        }
        for name, one in run.summary.operations.items()
    ]
    share = "share of its scenario's mix" if run.summary.scenarios else "share of the mix"
    columns = [
        words("operation", "operation"),
        Column("mix_share", share, format.share),
        Column("mix_expected", "expected", format.share),
        Column("pace_mean_s", "mean cycle or think time, s", format.figure),
        Column("pace_expected_s", "expected, s", format.figure),
    ]
    return Table("mix", "Mix and pace", columns, rows)


def counters(run: Run) -> Table | None:
    """What the operations did, summed: requests, images, bytes."""
    summed = {name: operation.counters for name, operation in run.summary.operations.items()}
    names = list(dict.fromkeys(key for counts in summed.values() for key, value in counts.items() if value))
    rows: list[Row] = [{"operation": name} | counts for name, counts in summed.items()]
    if not names:
        return None
    columns = [words("operation", "operation")]
    columns += [Column(name, name.replace("_", " ")) for name in names]
    return Table("counters", "Counters, sums over the steady state", columns, rows)


def connector(run: Run) -> Table | None:
    """What the connector of a built-in application counted; None of other services and older runs."""
    found = run.summary.connector
    if not found:
        return None
    counted = found.counters
    values: dict[str, float] = {
        name: value
        for name, value in counted.items()
        if not name.endswith("_us") and (value or name in _ALWAYS)
    }
    if counted["requests"]:
        values["mean wait for a worker, ms"] = counted["queue_wait_us"] / counted["requests"] / 1000
    if found.seconds:
        values["workers busy, mean"] = counted["worker_busy_us"] / 1e6 / found.seconds
    values |= {f"{name}, most": value for name, value in found.most.items()}
    columns = [
        words("name", "counter", lambda name: str(name).replace("_", " ")),
        Column("value", "", _number),
    ]
    rows = [{"name": name, "value": value} for name, value in values.items()]
    note = (
        "Counted since the service started, with the ramps and the connection that checked that it answers. "
        f"Most: of {found.readings} readings, one a second."
    )
    return Table("connector", "Connector of the service", columns, rows, note)


def agents(run: Run) -> Table | None:
    """Who made the load; None when this machine did."""
    rows = [
        {
            "host": agent.host,
            "users": agent.users,
            "requests": agent.requests,
            "share": agent.share,
            "clock_offset_ms": 1000 * agent.clock_offset_s,
            "clock_error_ms": 1000 * agent.clock_error_s,
            "cpu_share": agent.cpu_share,
            "wake_lag_ms_p99": agent.wake_lag_ms_p99,
            "lost_at_s": agent.lost_at_s,
        }
        for agent in run.summary.agents
    ]
    if not rows:
        return None
    columns = [
        words("host", "agent"),
        Column("users", "users"),
        Column("requests", "requests"),
        Column("share", "of all requests", format.share),
        Column("clock_offset_ms", "clock ahead, ms", format.figure),
        Column("clock_error_ms", "± ms", format.figure),
        Column("cpu_share", "CPU of its threads", format.share),
        Column("wake_lag_ms_p99", "own lateness p99, ms", format.figure),
        Column("lost_at_s", "lost at, s"),
    ]
    note = (
        "Steady state only. Clock: compared with the machine that started the run, known to ± half the round "
        "trip of the fastest exchange. All agents began together to within that error."
    )
    return Table("agents", "Agents", columns, rows, note, highlight=_lost)


def checks(run: Run) -> Table:
    """The checks that say whether the run may be trusted."""
    columns = [
        words("name", "check", lambda name: str(name).replace("-", " ")),
        words("result", "result", mark),
        words("measured", "measured"),
        words("expected", "expected"),
        words("required", "required", format.yes),
        words("hint", "what to do"),
    ]
    rows = [dict(check) | {"result": _result(check)} for check in run.summary.validity.checks]
    note = "A run is valid when it meets what is required; the rest is for the reader to weigh."
    return Table("checks", "Validity checks", columns, rows, note, highlight=_failed)


def _number(value: float) -> str:
    return format.whole(value) if isinstance(value, int) else format.figure(value)


def _result(check: Check) -> str:
    """The verdict; what is not required and not met is only noted."""
    return check.verdict if check.required or check.verdict == "met" else "noted"


def _lost(row: Row) -> str:
    return "" if row.get("lost_at_s") is None else "bad"


def _judged(row: Row) -> str:
    return {"met": "good", "missed": "bad", "open": "warn"}.get(row["verdict"], "")


def _failed(row: Row) -> str:
    return {"met": "", "missed": "bad", "open": "warn", "noted": "warn"}[row["result"]]
