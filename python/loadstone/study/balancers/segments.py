"""Where the response time is spent: network, balancer, server and the generator's own host, measured.

Every figure is a difference of two instants of one clock, so no clocks need to agree. With the span of a
request at an interface from its first payload to the last of its answer,

    network  = (span at the client - span at the balancer's front) + (span at its back - span at the server)
    balancer = span at its front - span at its back
    server   = span at the server
    client   = response time by the load engine - span at the client.

The paper could only infer the network's share, as two round trips by ping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadstone.judge.estimates import Estimate, batch_mean
from loadstone.study.balancers.exchanges import Exchange


@dataclass(frozen=True)
class Spent:
    """Mean microseconds of a request by place, each with its interval."""

    requests: int
    """Requests followed from end to end."""
    unmatched: int
    """Requests of the client that could not be: unanswered, or not found at an interface."""
    span: Estimate
    """At the client's interface."""
    network: Estimate
    balancer: Estimate | None
    """None without a balancer."""
    server: Estimate


def spent(
    client: Sequence[Exchange],
    server: Sequence[Exchange],
    front: Sequence[Exchange] = (),
    back: Sequence[Exchange] = (),
) -> Spent | None:
    """From what was seen at each interface; without `front` the client speaks to the server itself.

    None when no request was seen from end to end.
    """
    outer = _same(client, front or server)
    if not front:
        legs = [(_us(asked), 0.0, _us(served)) for asked, served in outer]
        ways = [asked - served for asked, _, served in legs]
    else:
        served_by_name = {one.name: served for one, served in _same(back, server)}
        inner = nested([arrived for _, arrived in outer], [one for one in back if one.name in served_by_name])
        chains = [
            (asked, arrived, sent, served_by_name[sent.name])
            for (asked, arrived), sent in zip(outer, inner, strict=True)
            if sent is not None
        ]
        legs = [
            (_us(asked), _us(arrived) - _us(sent), _us(served)) for asked, arrived, sent, served in chains
        ]
        ways = [asked - within - served for asked, within, served in legs]
    if not legs:
        return None
    spans, within, serving = (list(values) for values in zip(*legs, strict=True))
    return Spent(
        requests=len(legs),
        unmatched=len(client) - len(legs),
        span=batch_mean(spans),
        network=batch_mean(ways),
        balancer=batch_mean(within) if front else None,
        server=batch_mean(serving),
    )


def nested(front: Sequence[Exchange], back: Sequence[Exchange]) -> list[Exchange | None]:
    """For each exchange at the balancer's front the one at its back that it led to, or None.

    Packets do not say which belongs to which, but the one at the back lies within the other in time, and
    requests leave in about the order they came. Where two are exchanged by mistake, the sum of both is right.
    """
    found: list[Exchange | None] = [None] * len(front)
    waiting = sorted(range(len(front)), key=lambda index: front[index].asked_ns)
    for one in sorted(back, key=lambda one: one.asked_ns):
        for place, index in enumerate(waiting):
            outer = front[index]
            if outer.asked_ns > one.asked_ns:
                break
            if (outer.last_ns or 0) >= (one.last_ns or 0):
                found[index] = one
                del waiting[place]
                break
    return found


def _same(outer: Sequence[Exchange], inner: Sequence[Exchange]) -> list[tuple[Exchange, Exchange]]:
    """The same answered requests at two interfaces, in the order of time at the first."""
    known = {one.name: one for one in inner if one.last_ns is not None}
    return [(one, known[one.name]) for one in outer if one.last_ns is not None and one.name in known]


def _us(exchange: Exchange) -> float:
    span = exchange.span_us
    assert span is not None  # only answered requests are paired
    return span
