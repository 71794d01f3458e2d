"""A server of known capacity: `token_bucket.py RATE` answers RATE requests a second, evenly; the others wait.

Prints its port. Ends with its standard input.
"""

from __future__ import annotations

import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<p>served</p>\r\n"


class Bucket:
    """Hands out one token every 1/RATE s; a token not taken is lost but for the last one."""

    def __init__(self, rate: float) -> None:
        self._each_s = 1 / rate
        self._next = 0.0

    async def take(self) -> None:
        loop = asyncio.get_running_loop()
        due = max(loop.time(), self._next)
        self._next = due + self._each_s
        if (wait := due - loop.time()) > 0:
            await asyncio.sleep(wait)


async def main() -> None:
    bucket = Bucket(float(sys.argv[1]))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                await bucket.take()
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
