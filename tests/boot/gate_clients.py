"""Clients whom no other check has: each connection is new, and some read or write slowly, or not at all."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gate_line import Line, Tally, connected, kind, read, request

from loadstone.image.tls import TlsFiles

NETWORKS = {"4": "10.9.0.", "6": "fd09::"}
PATIENCE_S = 60


@dataclass(frozen=True)
class Place:
    """Who is where: clients and what serves, over IPv4 (4), IPv6 (6), or half of them over each (46)."""

    families: str
    tls: TlsFiles | None = None
    """Of an image that serves https."""

    def network_of(self, number: int) -> str:
        """How the addresses of this client's network begin."""
        return NETWORKS[self.families[number % len(self.families)]]

    @cached_property
    def clients(self) -> list[str]:
        """Addresses of clients."""
        return [f"{self.network_of(number)}{number}" for number in range(10, 74)]

    @cached_property
    def guests(self) -> list[str]:
        """Addresses of what serves, one of each family."""
        return [f"{NETWORKS[family]}2" for family in self.families]

    @property
    def url(self) -> str:
        """Where it serves."""
        guest = self.guests[-1]
        return f"{'https' if self.tls else 'http'}://{f'[{guest}]' if ':' in guest else guest}:80"

    def guest_of(self, source: str | None) -> tuple[str, int]:
        """Where a client finds it: in its own family."""
        return next(one for one in self.guests if not source or kind(one) == kind(source)), 80


async def _one(
    place: Place,
    tally: Tally,
    who: str,
    to: tuple[str, int],
    source: str | None,
    data: list[bytes],
    **how: Any,
) -> None:
    """One client: connects, sends its pieces a tenth of a second apart, reads to the end."""
    receive, reading = how.get("receive", 0), how.get("reading", (1 << 16, 0.0))
    try:
        async with asyncio.timeout(PATIENCE_S), connected(to, source, receive) as connection:
            line = Line(connection, bool(place.tls) and to[0] in place.guests)
            await line.begin()
            for number, piece in enumerate(data):
                await asyncio.sleep(0.1 if number else 0)
                await line.send(piece)
            tally.note(*await read(line, *reading), who)
    except (OSError, TimeoutError) as error:
        tally.lost.append(f"{who}: {error!r}")


async def crowd(
    place: Place, tally: Tally, each: int, sources: list[str | None], to: tuple[str, int] | None = None
) -> None:
    """Clients, each with so many connections in turn, to the guest or elsewhere."""

    async def client(source: str | None) -> None:
        for number in range(each):
            path = ("/", "/events/3", "/users/5", "/media/p7.jpg")[number % 4]
            await _one(place, tally, f"plain {path}", to or place.guest_of(source), source, [request(path)])

    await asyncio.gather(*(client(source) for source in sources))


async def slow(place: Place, tally: Tally, middle: str) -> None:
    """Slow readers with small windows, and slow writers."""
    body = b"x" * 2000
    pieces = [
        request("/users/login", method="POST", body=len(body)),
        *(body[at : at + 100] for at in range(0, 2000, 100)),
    ]
    reads = [
        _one(
            place,
            tally,
            "slow reader",
            place.guest_of(source),
            source,
            [request(middle)],
            receive=4096,
            reading=(2048, 0.1),
        )
        for source in place.clients[:10]
    ]
    writes = [
        _one(place, tally, "slow writer", place.guest_of(source), source, pieces)
        for source in place.clients[10:20]
    ]
    await asyncio.gather(*reads, *writes)


async def held(place: Place, stack: contextlib.AsyncExitStack, path: str, count: int) -> None:
    """Readers who ask for much and read nothing."""
    for number in range(count):
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                source = place.clients[20 + number % 20]
                connection = await stack.enter_async_context(connected(place.guest_of(source), source, 4096))
                line = Line(connection, bool(place.tls))
                await line.begin()
                await line.send(request(path))


async def _head(place: Place, source: str) -> None:
    """Sends a head in drops that never ends, or a handshake, again and again."""
    loop = asyncio.get_running_loop()
    begin = b"GET / HTTP/1.1\r\nHost: olio.test\r\nX-Slow: "
    if place.tls:
        begin = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    while True:
        with contextlib.suppress(OSError):
            async with connected(place.guest_of(source), source) as connection:
                await loop.sock_sendall(connection, begin)
                while True:
                    await asyncio.sleep(1)
                    await loop.sock_sendall(connection, b"x")


@contextlib.asynccontextmanager
async def heads(place: Place, count: int) -> AsyncIterator[None]:
    """So many who are slow at a head."""
    slow = [
        asyncio.create_task(_head(place, place.clients[number % len(place.clients)]))
        for number in range(count)
    ]
    await asyncio.sleep(1)
    try:
        yield
    finally:
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
