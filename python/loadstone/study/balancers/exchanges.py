"""Requests and their answers, as packets tell them at one interface.

On a connection that is kept alive, without pipelining, an exchange begins with the first new payload
towards the server after an answer, and lasts until the answer's last payload.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from loadstone.study.balancers.pcap import FIN, RST, SYN, Segment

_HALF = 1 << 31
_WRAP = 1 << 32
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")

Endpoint = tuple[str, int]


@dataclass(slots=True)
class Exchange:
    """One request and its answer, at one interface."""

    client: Endpoint
    server: Endpoint
    sequence: int
    """Number of the request's first byte: with `client` it names the request at every interface that the
    connection passes unchanged."""
    request: bytes
    """The start of the request, as far as captured."""
    asked_ns: int
    """First payload of the request."""
    first_ns: int | None = None
    """First payload of the answer; None when there was none."""
    last_ns: int | None = None
    """Last payload of the answer so far."""
    status: int | None = None
    cut_ns: int | None = None
    """When either side ended the connection without an answer."""

    @property
    def name(self) -> tuple[Endpoint, int]:
        """What names it at every interface."""
        return self.client, self.sequence

    @property
    def first_us(self) -> float | None:
        """Request to the answer's first payload."""
        return None if self.first_ns is None else (self.first_ns - self.asked_ns) / 1000

    @property
    def span_us(self) -> float | None:
        """Request to the answer's last payload."""
        return None if self.last_ns is None else (self.last_ns - self.asked_ns) / 1000


@dataclass
class Seen:
    """What passed an interface."""

    exchanges: list[Exchange] = field(default_factory=list)
    """In the order of their requests."""
    opened_ns: list[int] = field(default_factory=list)
    """When connections to the servers were tried; a try that was sent again counts once."""
    refused_ns: list[int] = field(default_factory=list)
    """When the server's side refused a connection."""
    repeated: int = 0
    """Segments that brought nothing new: retransmissions."""


@dataclass(slots=True)
class _Connection:
    client: Endpoint
    server: Endpoint
    opened: int | None = None
    """Number of the segment that asked for it; None when that was not seen."""
    next: dict[Endpoint, int] = field(default_factory=dict)
    """The next number expected from each side."""
    current: Exchange | None = None


def observe(captured: Iterable[Segment], is_server: Callable[[Endpoint], bool]) -> Seen:
    """What passed between servers (the endpoints that `is_server` knows) and their clients."""
    seen = Seen()
    connections: dict[tuple[Endpoint, Endpoint], _Connection] = {}
    for segment in captured:
        to_server = is_server(segment.target)
        if not to_server and not is_server(segment.source):
            continue
        client, server = (segment.source, segment.target) if to_server else (segment.target, segment.source)
        connection = connections.get((client, server))
        if (
            to_server
            and segment.flags & SYN
            and (connection is None or connection.opened != segment.sequence)
        ):
            seen.opened_ns.append(segment.at_ns)
            connection = None  # the number of a port comes back
        if connection is None:
            connection = connections[client, server] = _Connection(client, server)
            connection.opened = segment.sequence if to_server and segment.flags & SYN else None
        if segment.flags & SYN:
            connection.next[segment.source] = (segment.sequence + 1) % _WRAP
        if segment.size:
            _payload(connection, segment, to_server, seen)
        if segment.flags & (RST | FIN):
            _ended(connection, segment, seen)
    return seen


def _payload(connection: _Connection, segment: Segment, to_server: bool, seen: Seen) -> None:
    end = (segment.sequence + segment.size) % _WRAP
    expected = connection.next.get(segment.source)
    if expected is not None and not 0 < (end - expected) % _WRAP < _HALF:
        seen.repeated += 1
        return
    connection.next[segment.source] = end
    current = connection.current
    if to_server:
        if current is None or current.first_ns is not None or current.cut_ns is not None:
            current = Exchange(
                connection.client, connection.server, segment.sequence, segment.start, segment.at_ns
            )
            connection.current = current
            seen.exchanges.append(current)
    elif current is not None and current.cut_ns is None:
        if current.first_ns is None:
            current.first_ns = segment.at_ns
            if found := _STATUS.match(segment.start):
                current.status = int(found[1])
        current.last_ns = segment.at_ns


def _ended(connection: _Connection, segment: Segment, seen: Seen) -> None:
    current = connection.current
    if (
        segment.flags & RST
        and segment.source == connection.server
        and connection.server not in connection.next
    ):
        seen.refused_ns.append(segment.at_ns)
    # A client that closes while it waits has given up: what comes afterwards is not an answer to it.
    if current is not None and current.first_ns is None and current.cut_ns is None:
        current.cut_ns = segment.at_ns
