"""What a variant carries: a fixed number of requests as fast as they go, and what they cost."""

from __future__ import annotations

from typing import Any

from loadstone.study.balancers import counters
from loadstone.study.balancers.peer import run_ab
from loadstone.study.balancers.site import DIRECT
from loadstone.study.bench import Bench
from loadstone.study.offered import Json, flat_out, offer

WARM = 200
"""Requests to a balancer that was just set anew: the first ones open connections and fill caches."""


def carry(
    bench: Bench, balancer: str, *, generators: int, concurrency: int, requests: int, seed: int
) -> Json:
    """`requests` requests through a balancer as it is set, by our agents."""
    engine = bench.fleets(generators)
    plan = flat_out(bench.target(balancer), users=concurrency, requests=requests, seed=seed)
    return _counted(bench, balancer, lambda: offer(engine, plan, generators).figures())


def carry_by_ab(bench: Bench, balancer: str, *, concurrency: int, requests: int) -> Json:
    """The same by `ab` on the first client."""
    target, client = bench.target(balancer), bench.clients[0]
    return _counted(bench, balancer, lambda: run_ab(bench.ssh, client, target, concurrency, requests))


def warm(bench: Bench, balancer: str, seed: int) -> None:
    """Some requests that are not counted. Errors as `offer`."""
    plan = flat_out(bench.target(balancer), users=10, requests=WARM, seed=seed)
    offer(bench.fleets(1), plan, 1)


def _counted(bench: Bench, balancer: str, work: Any) -> Json:
    """The figures of `work`, with what it cost the balancer and the machine."""
    host, pids = bench.host(balancer), bench.pids(balancer)
    before = counters.read(bench.ssh, host, pids)
    found: Json = work()
    after = counters.read(bench.ssh, host, pids, memory=True)
    used = counters.used(before, after)
    done = found["ok"] + sum(found["failed"].values())
    cost: Json = {
        "machine_us": used.busy_us / done if done else None,
        "softirq_us": used.softirq_us / done if done else None,
        "idle_share": used.idle_share,
    }
    # The kernel has no process to ask; without a balancer there is none either.
    if pids and balancer != DIRECT and done:
        cost |= {
            "user_us": used.user_us / done,
            "sys_us": used.sys_us / done,
            "memory_bytes": after.pss_bytes,
        }
    return found | {"cost": cost}
