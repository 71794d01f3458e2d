"""Who gets the requests: by algorithm, with unlike servers, with fewer of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadstone.study.balancers.capture import Captured, capturing
from loadstone.study.balancers.description import Fixed, Small, Uneven
from loadstone.study.balancers.places import ASKED
from loadstone.study.balancers.site import SERVERS, SMALL, UNEVEN
from loadstone.study.balancers.throughput import carry, warm
from loadstone.study.bench import Bench
from loadstone.study.fairness import fairness
from loadstone.study.offered import Json, flat_out, offer

_REQUEST = 100
"""Bytes of a frame that can hold a request: what is shorter only acknowledges."""

PATHS = 1000
"""Addresses of pages that a hash by address has to spread."""


def by_algorithm(bench: Bench, balancer: str, settings: Mapping[str, Any], wanted: Fixed, seed: int) -> Json:
    """Requests by server from all clients at once, with an algorithm."""
    bench.set(balancer, **settings)
    generators = len(bench.clients)
    users = max(generators, wanted.concurrency)
    plan = flat_out(bench.target(balancer), users=users, requests=wanted.requests, seed=seed)
    operation = plan["operations"][0]
    operation["draw"] = [{"name": "page", "value": {"kind": "int", "low": 1, "high": PATHS}}]
    operation["steps"][0]["path"] = "/?study={page}"
    engine = bench.fleets(generators)
    with capturing(bench.ssh, _watched(bench, balancer, SERVERS), _match(bench, SERVERS)) as capture:
        offered = offer(engine, plan, generators)
        captured = capture.stop()
    return offered.figures() | _served(bench, captured, SERVERS)


def uneven(bench: Bench, balancer: str, settings: Mapping[str, Any], wanted: Uneven, seed: int) -> Json:
    """Two servers and one with a fraction of a processor; `weighted` in `settings` tells the balancer."""
    hosts = bench.servers(UNEVEN)
    small = tuple(host for host in hosts if host not in bench.servers(SERVERS))
    weights = {host: 1 if host in small else wanted.weight for host in hosts}
    given = {"backends": UNEVEN, "algorithm": settings["algorithm"]}
    bench.set(balancer, **given, **({"weights": weights} if settings["weighted"] else {}))
    warm(bench, balancer, seed)
    with capturing(bench.ssh, _watched(bench, balancer, UNEVEN), _match(bench, UNEVEN)) as capture:
        with bench.limited(small, wanted.cpus):
            figures = _carried(bench, balancer, wanted, seed)
        captured = capture.stop()
    return figures | _served(bench, captured, UNEVEN, weights if settings["weighted"] else None)


def growth(bench: Bench, balancer: str, servers: int, wanted: Small, seed: int) -> Json:
    """Throughput of some of the small servers: the others get no new users."""
    hosts = bench.servers(SMALL)
    bench.set(balancer, backends=SMALL, **({"drain": list(hosts[servers:])} if hosts[servers:] else {}))
    warm(bench, balancer, seed)
    with bench.limited(hosts, wanted.cpus):
        return _carried(bench, balancer, wanted, seed)


def reuse(bench: Bench, balancer: str, kept: bool, wanted: Fixed, seed: int) -> Json:
    """Throughput with connections to back ends that carry many requests, or one each."""
    bench.set(balancer, reuse=kept)
    warm(bench, balancer, seed)
    return _carried(bench, balancer, wanted, seed)


def _carried(bench: Bench, balancer: str, wanted: Fixed, seed: int) -> Json:
    return carry(
        bench, balancer, generators=1, concurrency=wanted.concurrency, requests=wanted.requests, seed=seed
    )


def _watched(bench: Bench, balancer: str, servers: str) -> dict[str, str]:
    return dict.fromkeys(bench.servers(servers), bench.host(balancer))


def _match(bench: Bench, servers: str) -> str:
    return f"tcp dst port {bench.site.service(servers).port} and greater {_REQUEST}"


def _served(
    bench: Bench, captured: Mapping[str, Captured], servers: str, weights: Mapping[str, int] | None = None
) -> Json:
    """The load's requests that reached each server, counted by their packets, and how even they are."""
    endpoints = bench.endpoints(servers)
    counts = {}
    for host in bench.servers(servers):
        # By its first byte: what was sent again is one request.
        asked = {
            (one.source, one.sequence)
            for one in captured[host].segments
            if one.target in endpoints and one.start.startswith(ASKED)
        }
        counts[host] = len(asked)
    even = fairness(list(counts.values()), [weights[host] for host in counts] if weights else None)
    return {
        "served": counts,
        "packets_dropped": sum(one.dropped for one in captured.values()),
        "fairness": None if even is None else vars(even),
    }
