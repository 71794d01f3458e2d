"""A client's connection to what serves, and what came of its requests."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any

TRUSTING = ssl.create_default_context()
"""Of clients of an image with TLS: what they are shown is another test's matter."""
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


class Line:
    """A client's connection: its bytes as they are, or within a session."""

    def __init__(self, connection: socket.socket, secured: bool) -> None:
        self._connection, self._loop = connection, asyncio.get_running_loop()
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = TRUSTING.wrap_bio(self._incoming, self._outgoing) if secured else None

    async def begin(self) -> None:
        """The handshake, where there is one."""
        if self._session:
            await self._going_on(self._session.do_handshake, 1 << 14)
            await self._loop.sock_sendall(self._connection, self._outgoing.read())

    async def send(self, data: bytes) -> None:
        """Sends all of it."""
        if self._session:
            self._session.write(data)
            data = self._outgoing.read()
        await self._loop.sock_sendall(self._connection, data)

    async def receive(self, at_once: int) -> bytes:
        """What there is; nothing at the end. An end that the session did not announce is an OSError."""
        if not self._session:
            return await self._loop.sock_recv(self._connection, at_once)
        read = self._session.read
        try:
            return bytes(await self._going_on(lambda: read(at_once), at_once))
        except ssl.SSLZeroReturnError:
            return b""

    async def _going_on(self, act: Callable[[], Any], at_once: int) -> Any:
        while True:
            try:
                return act()
            except ssl.SSLWantReadError:
                if said := self._outgoing.read():
                    await self._loop.sock_sendall(self._connection, said)
                if data := await self._loop.sock_recv(self._connection, at_once):
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()


class Tally:
    """What came of the requests of a phase."""

    def __init__(self) -> None:
        self.answered, self.refused = 0, 0
        self.lost: list[str] = []

    def note(self, status: int, complete: bool, who: str) -> None:
        if not complete or (status >= 500 and status != 503):
            self.lost.append(f"{who}: {status}, {'whole' if complete else 'cut off'}")
        elif status == 503:
            self.refused += 1
        else:
            self.answered += 1


def request(path: str, close: bool = True, method: str = "GET", body: int = 0) -> bytes:
    fields = ("Connection: close\r\n" if close else "") + (f"Content-Length: {body}\r\n" if body else "")
    return f"{method} {path} HTTP/1.1\r\nHost: olio.test\r\n{fields}\r\n".encode()


def kind(address: str) -> socket.AddressFamily:
    """The family of an address."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


@contextlib.asynccontextmanager
async def connected(
    to: tuple[str, int], source: str | None, receive: int = 0
) -> AsyncIterator[socket.socket]:
    """A connection from an address to another, with so small a window if one is given."""
    connection = socket.socket(kind(to[0]))
    connection.setblocking(False)
    if receive:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    if source:
        connection.bind((source, 0))
    with connection:
        await asyncio.get_running_loop().sock_connect(connection, to)
        yield connection


async def read(line: Line, at_once: int = 1 << 16, pause_s: float = 0) -> tuple[int, bool]:
    """The status, and whether the answer came whole: to its length, and to an end that is no reset."""
    data = b""
    while part := await line.receive(at_once):
        data += part
        if pause_s:
            await asyncio.sleep(pause_s)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"Content-Length: (\d+)", head)
    status = int(data[9:12]) if data else 0
    return status, bool(length) and len(body) == int(length[1])
