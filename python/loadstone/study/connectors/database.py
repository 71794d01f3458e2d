"""A simulated database: a few slots, each busy for a fixed time with one call; calls wait in one line.

Its capacity does not depend on the machine: a slot's next call counts from when the one before should
have ended, not from when this process noticed. Run as `python -m loadstone.study.connectors.database`.

`GET /state` takes no slot: `{"calls": since the start, "ahead_s": until all calls that are here are done}`.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json

BODY = b"<p>1 row</p>\n"
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"


class Slots:
    """When calls end, by the instants they come at. Pure.

    >>> slots = Slots(2, 1.0)
    >>> [slots.take(0.0), slots.take(0.0), slots.take(0.5), slots.take(9.0)]
    [1.0, 1.0, 2.0, 10.0]
    """

    def __init__(self, slots: int, service_s: float) -> None:
        """All free."""
        self._free_at = [0.0] * slots
        self._service_s = service_s
        self.calls = 0

    def take(self, now: float) -> float:
        """The instant at which a call that comes now has been served."""
        self.calls += 1
        end = max(now, self._free_at[0]) + self._service_s
        heapq.heapreplace(self._free_at, end)
        return end

    def ahead_s(self, now: float) -> float:
        """How long until everything taken has been served."""
        return max(0.0, max(self._free_at) - now)


class _Connection(asyncio.Protocol):
    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._loop = asyncio.get_running_loop()
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._got += data
        while b"\r\n\r\n" in self._got:
            head, self._got = self._got.split(b"\r\n\r\n", 1)
            now = self._loop.time()
            if head.startswith(b"GET /state "):
                state = {"calls": self._slots.calls, "ahead_s": self._slots.ahead_s(now)}
                self._answer(json.dumps(state).encode())
            else:
                # The client may leave meanwhile. The call keeps its slot all the same, as a query does.
                self._loop.call_at(self._slots.take(now), self._answer, BODY)

    def _answer(self, body: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(_ANSWER % (len(body), body))


async def serve(port: int, slots: Slots) -> None:
    """Serves on 127.0.0.1 until cancelled; says its URL as JSON first."""
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(slots), "127.0.0.1", port, backlog=1024
    )
    print(json.dumps({"url": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"}), flush=True)
    await server.serve_forever()


def main() -> None:
    """Serves as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--service-ms", type=float, default=20.0)
    given = parser.parse_args()
    asyncio.run(serve(given.port, Slots(given.slots, given.service_ms / 1000)))


if __name__ == "__main__":
    main()
