"""Somebody who asks for connections in the name of others, and goes on with none."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator

from gate_clients import PATIENCE_S, Place
from gate_line import kind


def _openings(place: Place, count: int) -> list[tuple[str, bytes]]:
    """Requests for connections, in the name of neighbours that there are not, and whom they are for."""
    chance, made = random.Random(7), []
    for number in range(count):
        guest = place.guests[number % len(place.guests)]
        family = kind(guest)
        neighbour = f"{place.network_of(number)}{chance.randrange(130, 250)}"
        source, target = socket.inet_pton(family, neighbour), socket.inet_pton(family, guest)
        ports = struct.pack("!HH", chance.randrange(1024, 65536), 80)
        tcp = ports + struct.pack("!IIBBHHH", chance.randrange(1 << 32), 0, 0x50, 2, 8192, 0, 0)
        pseudo = source + target + struct.pack("!BBH", 0, 6, len(tcp))
        total = sum(struct.unpack(f"!{(len(pseudo) + len(tcp)) // 2}H", pseudo + tcp))
        total = (total >> 16) + (total & 0xFFFF)
        tcp = tcp[:16] + struct.pack("!H", ~((total >> 16) + total) & 0xFFFF) + tcp[18:]
        if family == socket.AF_INET6:
            head = struct.pack("!IHBB16s16s", 6 << 28, len(tcp), 6, 64, source, target)
        else:
            head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 1, 0, 64, 6, 0, source, target)
        made.append((guest, head + tcp))
    return made


class Flood:
    """Asks for so many connections a second, until it is told to end."""

    def __init__(self, place: Place, per_s: int) -> None:
        self.sent, self.seconds, self._per_s = 0, 0.0, per_s
        self._place = place
        self._established, self._ended = threading.Event(), threading.Event()

    def _run(self) -> None:
        openings, began = _openings(self._place, 8000), time.monotonic()
        with contextlib.ExitStack() as stack:
            raw = {
                guest: stack.enter_context(socket.socket(kind(guest), socket.SOCK_RAW, socket.IPPROTO_RAW))
                for guest in self._place.guests
            }
            while not self._ended.is_set():
                for _ in range(self._per_s // 100):
                    with contextlib.suppress(OSError):
                        guest, opening = openings[self.sent % len(openings)]
                        raw[guest].sendto(opening, (guest, 0))
                    self.sent += 1
                self.seconds = time.monotonic() - began
                if self.sent >= self._per_s:
                    self._established.set()
                # What could not be sent in time is not sent later at once.
                self._ended.wait(0.01)

    @contextlib.asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """While it lasts; it begins with the requests of a second."""
        running = asyncio.create_task(asyncio.to_thread(self._run))
        await asyncio.to_thread(self._established.wait, PATIENCE_S)
        try:
            yield
        finally:
            self._ended.set()
            await running
