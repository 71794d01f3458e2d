"""A server that holds each answer for as long as it is asked, and writes down for how long it did.

`GET /20` is answered after twenty milliseconds, and so is the message `20` of a WebSocket. Its clock starts
when the whole request is there, and ends when the answer is given to the kernel. `GET /told` has the seconds
that it held answers since it was asked last, as JSON by milliseconds. Ports: plain, TLS, WebSocket; and a
Unix socket.

    python bench/delays.py PLAIN TLS WEBSOCKET SOCKET CERTIFICATE KEY
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import ssl
import sys
import time
from typing import Any

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

HELD: collections.defaultdict[str, list[float]] = collections.defaultdict(list)
"""Seconds by milliseconds asked for."""


class Page(asyncio.Protocol):
    """One connection by HTTP/1.1; requests without a body."""

    def connection_made(self, transport: Any) -> None:
        """A client is there."""
        self.transport, self.seen = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answers each request that is whole."""
        now = time.perf_counter()
        self.seen += data
        while b"\r\n\r\n" in self.seen:
            head, self.seen = self.seen.split(b"\r\n\r\n", 1)
            path = head.split(b" ", 2)[1].decode()[1:]
            if path == "told":
                self.answer(json.dumps(HELD).encode())
                HELD.clear()
            elif path == "0":
                self.answer(b"0")
            else:
                asyncio.get_running_loop().call_later(int(path) / 1000, self.held, path, now)

    def held(self, asked: str, since: float) -> None:
        """Answers, and writes down when."""
        self.answer(asked.encode())
        HELD[asked].append(time.perf_counter() - since)

    def answer(self, body: bytes) -> None:
        """Writes an answer."""
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)


async def messages(peer: Any) -> None:
    """Answers each message with itself."""
    with contextlib.suppress(ConnectionClosed):  # A run ends while it waits for answers.
        async for asked in peer:
            since = time.perf_counter()
            await asyncio.sleep(int(asked) / 1000)
            await peer.send(asked)
            HELD[asked].append(time.perf_counter() - since)


async def main(plain: str, tls: str, websocket: str, socket: str, certificate: str, key: str) -> None:
    """Serves until it is ended."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    await loop.create_server(Page, "127.0.0.1", int(plain), backlog=1024)
    await loop.create_server(Page, "127.0.0.1", int(tls), ssl=context, backlog=1024)
    await loop.create_unix_server(Page, socket, backlog=1024)
    await serve(messages, "127.0.0.1", int(websocket))
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
