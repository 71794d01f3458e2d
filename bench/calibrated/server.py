"""A server of known behaviour: shares of wrong and of slow answers, and a most of answers a second.

Prints its port.
"""

from __future__ import annotations

import argparse
import asyncio
import random

RIGHT = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<p>served</p>\r\n"
WRONG = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


async def main() -> None:
    """Serves until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failed", type=float, default=0.0)
    parser.add_argument("--slow", type=float, default=0.0)
    parser.add_argument("--slow-s", type=float, default=0.4)
    parser.add_argument("--rate", type=float)
    args = parser.parse_args()
    chance, due = random.Random(1), 0.0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal due
        loop = asyncio.get_running_loop()
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                if args.rate:
                    due = max(loop.time(), due + 1 / args.rate)
                    await asyncio.sleep(due - loop.time())
                if chance.random() < args.slow:
                    await asyncio.sleep(args.slow_s)
                writer.write(WRONG if chance.random() < args.failed else RIGHT)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
