"""Rows of the connectors' study that nobody made, of servers whose truth is known."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from loadstone.record import write_json
from loadstone.study.connectors.study import Connectors
from loadstone.study.order import Order, header
from loadstone.study.record import NAME
from loadstone.study.results import Results
from loadstone.study.run import conclusion
from loadstone.study.schedule import Task

RATES = {
    "threaded": 9.0,
    "hybrid-session": 16.0,
    "hybrid-session-refuse": 14.0,
    "hybrid-none": 0.0,
    "tomcat-threads": 4.0,
}
"""Sessions completed a second when 80 arrive; others 11."""
CLOSED = {"threaded": 2800, "tomcat-threads": 580}


def planned(folder: Path, size: str = "full") -> Connectors:
    """A study that was laid out; nothing on this machine is looked for."""
    folder.mkdir(parents=True, exist_ok=True)
    return Connectors(Order(folder, size, None))


def measure(plan: Connectors) -> Results:
    """All of its rows."""
    results, noise = Results(plan.order.folder), random.Random(3)
    for task in plan.tasks:
        results.add(task, "2026-11-21T21:00:00+00:00", 1.0, {"measured": _measured(task, noise)})
    return results


def written(plan: Connectors, results: Results) -> dict[str, Any]:
    """`study.json`, in its folder."""
    content = header(plan.order, plan.name, plan.summary, plan.seed, ["loadstone"])
    content = conclusion(plan, content, "complete", results)
    write_json(plan.order.folder / NAME, content)
    return content


def _measured(task: Task, noise: random.Random) -> dict[str, Any]:
    server, offered = task.case["server"], task.case["sessions_per_s"]
    begun = round(offered * 8)
    rate = RATES.get(server, 11.0) * noise.uniform(0.97, 1.03) if offered > 16 else offered * 0.6
    elapsed_s = 15.0
    completed = begun if offered <= 16 else round(rate * elapsed_s)
    found: dict[str, Any] = {
        "completed": completed,
        "elapsed_s": elapsed_s,
        "sessions_per_s": rate,
        "steady_sessions_per_s": rate if task.part == "overload" else None,
        "replies": completed * 13,
        "replies_per_s": completed * 13 / elapsed_s,
        "life_s_mean": 8.0 if completed else None,
        "response_ms_mean": 60.0,
        "server_cpu_s": 0.2,
    }
    if task.case["client"] == "httperf":
        return found | {"sessions": begun, "timeouts": begun - completed, "refused": 0, "connections": begun}
    p50 = 40.0 if server.startswith("hybrid") else 270.0
    return found | {
        "begun": begun,
        "dropped": 0,
        "failed": {"timeout": begun - completed} if begun > completed else {},
        "calls_completed_mean": 12.0 if completed else None,
        "response_ms_p50": p50,
        "response_ms_p99": 2 * p50,
        "closed_by_server": CLOSED.get(server, 0) if offered > 16 else 0,
        "connections": begun,
        "database_calls": completed * 13 + 100,
    }
