"""Ports in a row: a free port's neighbour may be somebody else's by the time it is used."""

from __future__ import annotations

import contextlib
import random
import socket
from pathlib import Path


def free_row(count: int = 4) -> int:
    """The first of so many free ports, none of which the system hands out by itself meanwhile."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(1000):
        first = random.randrange(10_000, lowest - count)
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            for port in range(first, first + count):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
            return first
    raise AssertionError("no ports in a row are free")
