"""An image of a folder, and bytes over a connection, as they are."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from loadstone.image.build import Built

LARGE = bytes(range(256)) * 1200


@dataclass(frozen=True)
class Served:
    """An image and the folder that it was built from."""

    built: Built
    folder: Path

    @property
    def image(self) -> Path:
        """What is booted."""
        return self.built.stripped.path


_DATE = re.compile(rb"Date: [^\r]*\r\n")


def get(path: str, *fields: str, method: str = "GET") -> bytes:
    """A request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *fields, "", ""]).encode()


def ask(port: int, request: bytes, timeout_s: float = 20.0) -> bytes:
    """All that comes back until the other side closes, without the date; asks again while nobody is there."""
    deadline = time.monotonic() + timeout_s
    while True:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), timeout_s) as connection,
        ):
            connection.sendall(request)
            if answer := until_end(connection):
                return _DATE.sub(b"", answer)
        assert time.monotonic() < deadline, f"no answer on port {port}"
        time.sleep(0.01)


def until_end(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)
