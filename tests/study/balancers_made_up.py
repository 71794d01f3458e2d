"""Rows of a study that nobody made, of variants whose truth is known."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from loadstone.study.balancers import ENTRY
from loadstone.study.balancers.study import Balancers
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.run import begin
from loadstone.study.schedule import Task

RATES = {
    "none": 12_000, "haproxy": 9000, "nginx": 9000, "apache": 6000, "varnish": 5000, "caddy": 4000,
    "nftables": 11_500,
}  # fmt: skip
"""Requests a second; HAProxy and nginx are alike."""
COSTS = {"none": 40, "haproxy": 70, "nginx": 70, "apache": 110, "varnish": 120, "caddy": 150, "nftables": 45}
"""Of the whole machine, µs a request."""


def planned(folder: Path, *, quick: bool = False) -> Balancers:
    """A study that was laid out."""
    study = begin(ENTRY, Order(folder, "quick" if quick else "full", None))
    assert isinstance(study, Balancers)
    return study


def measure(plan: Balancers, folder: Path) -> Results:
    """All of its rows."""
    results = Results(folder)
    noise = random.Random(7)
    for task in plan.tasks:
        results.add(task, "2026-11-21T21:00:00+00:00", 1.0, {"measured": _measured(task, noise)})
    return results


def _measured(task: Task, noise: random.Random) -> dict[str, Any]:
    case = task.case
    rate = RATES.get(case["balancer"], 100) * noise.gauss(1, 0.02)
    users = case.get("concurrency", 20)
    if task.part == "growth":
        rate = min(rate, 700 * case["servers"])
    if case.get("reuse") is False:
        rate *= 0.5
    found: dict[str, Any] = {
        "ok": 1000,
        "failed": {},
        "elapsed_s": 1000 / rate,
        "requests_per_s": rate,
        "connects": users,
        "generator_share": 0.3,
        "response_us": {
            "mean": 1e6 * users / rate,
            "p50": 900.0,
            "p90": 2000.0,
            "p99": 5000.0,
            "max": 9000.0,
        },
    }
    machine = COSTS.get(case["balancer"], 50) * noise.gauss(1, 0.01)
    cost = {"machine_us": machine, "softirq_us": 5.0, "idle_share": 0.01}
    if case["balancer"] != "none":
        cost |= {"user_us": 10.0, "sys_us": 15.0, "memory_bytes": 9_000_000}
    return found | {"cost": cost} | _OWN.get(task.part, lambda _: {})(case)


def _places(case: dict[str, Any]) -> dict[str, Any]:
    def part(mean: float) -> dict[str, float]:
        return {"mean_us": mean, "low_us": mean * 0.9, "high_us": mean * 1.1}

    balancer = None if case["balancer"] == "none" else part(100.0)
    places = {"client": {"mean_us": 60.0}, "network": part(20.0), "balancer": balancer, "server": part(70.0)}
    return {"requests_seen": 500, "unmatched": 0, "connections": 20, "packets_dropped": 0, "places": places}


def _spread(case: dict[str, Any]) -> dict[str, Any]:
    exact = case["algorithm"] == "round-robin" and not case["sticky"]
    served = {"web1": 334, "web2": 333, "web3": 333} if exact else {"web1": 500, "web2": 300, "web3": 200}
    return {"served": served, "packets_dropped": 0, "fairness": {"exact": exact}}


def _uneven(case: dict[str, Any]) -> dict[str, Any]:
    return {"served": {"web1": 400, "web2": 400, "small1": 200}, "packets_dropped": 0, "fairness": None}


def _fault(case: dict[str, Any]) -> dict[str, Any]:
    lost = 25 if case["fault"] == "balancer-killed" else 0
    spans = {"count": 100, "p50": 1.0, "p99": 4.0, "max": 6.0}
    bins = [round(0.1 * index, 1) for index in range(90)]
    down = case["fault"] == "balancer-killed"
    ok = [0.0 if down and 1.5 <= at < 6 else 50.0 for at in bins]
    return {
        "failed": {"refused": lost} if lost else {}, "lost": lost, "victim": "web2", "begun_s": 1.5,
        "begun_uncertain_s": 0.01, "mended_s": 6.0, "noticed_s": None if lost else 0.4, "back_s": 0.2,
        "silence_s": 4.5 if lost else 0.02, "before_ms": spans, "during_ms": spans, "repeated_segments": 0,
        "packets_dropped": 0,
        "timeline": {"at_s": bins, "ok": ok, "failed": [0.0 if one else 5.0 for one in ok],
                     "slowest_ms": [2.0] * 90},
    }  # fmt: skip


def _site(case: dict[str, Any]) -> dict[str, Any]:
    users = 200 * case["servers"]
    sla = {"users": users, "low": users, "high": users + 50}
    verdict = {"SLA-1": "pass", "SLA-2": "pass"}
    run = {"balancer_cores": 0.1, "database_cores": 0.3, "idle_share": 0.4}
    busy = {"server_cores": [0.095] * case["servers"]}
    return {
        "cpus": 0.1, "window_s": 8.0, "capacity_outcome": "complete", "SLA-1": sla, "SLA-2": sla,
        "runs": [
            {"users": users, "verdict": verdict, **run, "server_cores": [0.05] * case["servers"]},
            {"users": users + 50, "verdict": {"SLA-1": "fail", "SLA-2": "fail"}, **run, **busy},
        ],
    }  # fmt: skip


_OWN = {"segments": _places, "spread": _spread, "uneven": _uneven, "faults": _fault, "site": _site}
