"""User memory of an idle keep-alive connection: growth of a server's resident memory over their number."""

from __future__ import annotations

import resource
import socket
import time
from pathlib import Path

from accounting import resident_bytes
from peer_servers import Server, running

WANTED = 20_000
# What the server needs of its descriptors for itself, and this program of its own.
SPARE = 200
WARM = 500


def connections_allowed() -> int:
    """As many as the limit of open files lets one process hold, at most 20,000."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return min(WANTED, hard - SPARE)


def measure(server: Server, site: Path, path: str) -> dict[str, float]:
    """Bytes for each connection that has had one answer and waits, of a server started for this."""
    wanted = connections_allowed()
    with running(server, site) as (process, port):
        for stream in _connect(port, WARM, path):
            stream.close()
        time.sleep(0.5)
        before = resident_bytes(process)
        streams = _connect(port, wanted, path)
        time.sleep(1)
        after = resident_bytes(process)
        for stream in streams:
            stream.close()
    return {"connections": wanted, "bytes": (after - before) / wanted}


def _connect(port: int, count: int, path: str) -> list[socket.socket]:
    """Open connections, each with one request answered; from several addresses, for ports to be enough."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    streams = []
    for number in range(count):
        stream = socket.socket()
        stream.setsockopt(
            socket.IPPROTO_IP, 24, 1
        )  # IP_BIND_ADDRESS_NO_PORT: the port may serve each address
        stream.bind((f"127.0.0.{2 + number % 8}", 0))
        stream.settimeout(60)
        stream.connect(("127.0.0.1", port))
        stream.sendall(request)
        if not stream.recv(4096).startswith(b"HTTP/1.1 200"):
            raise SystemExit("a connection that should stay idle was refused")
        streams.append(stream)
    return streams
