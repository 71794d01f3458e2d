"""User memory of an idle keep-alive connection: growth of a server's resident memory over their number.

Fewer by TLS, because this program's end of a connection takes more memory than the server's.
"""

from __future__ import annotations

import resource
import socket
import ssl
import time
from pathlib import Path

from accounting import resident_bytes
from peer_servers import Server, running

WANTED = 20_000
WANTED_BY_TLS = 5_000
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
    wanted = min(connections_allowed(), WANTED_BY_TLS if server.tls else WANTED)
    tls = _without_proof() if server.tls else None
    with running(server, site) as (process, port):
        for stream in _connect(port, WARM, path, tls):
            stream.close()
        time.sleep(0.5)
        before = resident_bytes(process)
        streams = _connect(port, wanted, path, tls)
        time.sleep(1)
        after = resident_bytes(process)
        for stream in streams:
            stream.close()
    return {"connections": wanted, "bytes": (after - before) / wanted}


def _without_proof() -> ssl.SSLContext:
    """TLS with whoever answers: the certificate is nobody's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _connect(port: int, count: int, path: str, tls: ssl.SSLContext | None) -> list[socket.socket]:
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
        if tls:
            stream = tls.wrap_socket(stream)
        stream.sendall(request)
        if not stream.recv(4096).startswith(b"HTTP/1.1 200"):
            raise SystemExit("a connection that should stay idle was refused")
        streams.append(stream)
    return streams
