"""Where the time of a request is spent: packets at every interface on its way, under a modest load."""

from __future__ import annotations

from collections.abc import Callable

from loadstone.judge.estimates import Estimate
from loadstone.study.balancers.capture import Captured, capturing
from loadstone.study.balancers.description import Segments
from loadstone.study.balancers.exchanges import Endpoint, Exchange, observe
from loadstone.study.balancers.segments import spent
from loadstone.study.balancers.site import DIRECT, SERVERS
from loadstone.study.bench import Bench
from loadstone.study.offered import Json, offer, steady

ASKED = b"GET /?study"
"""How the requests of the load begin; what balancers ask of their own accord begins otherwise."""


def places(bench: Bench, balancer: str, wanted: Segments, seed: int) -> Json:
    """Mean microseconds of a request by place. Errors as `capturing` and `offer`."""
    client, front = bench.clients[0], bench.target(balancer)
    servers = bench.endpoints(SERVERS)
    ports = sorted({front.port, *(port for _, port in servers)})
    match = " or ".join(f"tcp port {port}" for port in ports)
    watched = {client: bench.host(balancer)}
    if balancer == DIRECT:
        watched[bench.host(DIRECT)] = client
    else:
        watched[bench.host(balancer)] = client
        watched |= {host: bench.host(balancer) for host in servers.values()}
    plan = steady(
        front, users=wanted.users, pause_s=wanted.pause_ms / 1000, seconds=wanted.steady_s, seed=seed
    )
    with capturing(bench.ssh, watched, match) as capture:
        offered = offer(bench.fleets(1), plan, 1)
        captured = capture.stop()
    entry = (front.address, front.port)
    at_client = _asked(captured[client], lambda one: one == entry)
    if balancer == DIRECT:
        found = spent(at_client, _asked(captured[bench.host(DIRECT)], lambda one: one == entry))
    else:
        box = captured[bench.host(balancer)]
        behind = [one for host in servers.values() for one in _asked(captured[host], servers.__contains__)]
        fronts, backs = _asked(box, lambda one: one == entry), _asked(box, servers.__contains__)
        found = spent(at_client, behind, fronts, backs)
    dropped = sum(one.dropped for one in captured.values())
    figures = offered.figures() | {"packets_dropped": dropped}
    if found is None or not offered.response.count:
        return figures | {"places": None}
    response_us = offered.response.mean_s * 1e6
    return figures | {
        "requests_seen": found.requests,
        "unmatched": found.unmatched,
        "connections": len({(one.client) for one in at_client}),
        "places": {
            "client": {"mean_us": response_us - found.span.value},
            "network": _figures(found.network),
            "balancer": _figures(found.balancer) if found.balancer else None,
            "server": _figures(found.server),
        },
    }


def _asked(captured: Captured, is_server: Callable[[Endpoint], bool]) -> list[Exchange]:
    """The load's requests to some endpoints, as they passed an interface."""
    return [one for one in observe(captured.segments, is_server).exchanges if one.request.startswith(ASKED)]


def _figures(estimate: Estimate) -> Json:
    return {"mean_us": estimate.value, "low_us": estimate.low, "high_us": estimate.high}
