"""A server of queues with one clerk each: `lanes.py LANES RATE SEED` sends each request to one of them at
random, and a clerk takes an exponential time: RATE answers a second in the mean.

Fed by random arrivals every queue is an M/M/1. Prints its port. Ends with its standard input.
"""

from __future__ import annotations

import asyncio
import random
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<p>served</p>\r\n"


class Lanes:
    """When each clerk is free again."""

    def __init__(self, lanes: int, rate: float, seed: int) -> None:
        """`rate` is that of each clerk, answers a second."""
        self._rng = random.Random(seed)
        self._rate = rate
        self._free_at = [0.0] * lanes

    def due(self, now: float) -> float:
        """When the request that comes now is done."""
        lane = self._rng.randrange(len(self._free_at))
        done = max(now, self._free_at[lane]) + self._rng.expovariate(self._rate)
        self._free_at[lane] = done
        return done


async def main() -> None:
    """Serves until the standard input ends."""
    lanes = Lanes(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
    loop = asyncio.get_running_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                now = loop.time()
                await asyncio.sleep(lanes.due(now) - now)
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
