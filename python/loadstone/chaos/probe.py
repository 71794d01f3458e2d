"""Whether nodes are up, seen from outside: a node is up if it takes a connection."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PERIOD_S = 0.05
_PATIENCE_S = 1.0
"""A host that is up takes or refuses a connection at once, however busy its service is."""


@dataclass
class Seen:
    """Samples of one life: the instant, and the nodes that were up."""

    at_s: list[float] = field(default_factory=list)
    up: list[frozenset[int]] = field(default_factory=list)

    def time_up(self, most: int, end_s: float) -> list[float]:
        """Seconds by number of nodes up; a sample counts until the next one."""
        spent = [0.0] * (most + 1)
        starts = [0.0, *self.at_s[1:]]
        for start, then, up in zip(starts, [*self.at_s[1:], end_s], self.up, strict=True):
            spent[min(most, len(up))] += max(0.0, min(then, end_s) - start)
        return spent


class Prober:
    """Looks at all nodes twenty times a second, in a thread of its own."""

    def __init__(self, addresses: Mapping[int, tuple[str, int]]) -> None:
        """`addresses` of nodes by number."""
        self._addresses = dict(addresses)
        self._ended = threading.Event()
        self.seen = Seen()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Prober:
        """Begins to look; instants count from here."""
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stops looking."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            at = time.monotonic() - self._began
            up = frozenset(_up(self._addresses))
            self.seen.at_s.append(at)
            self.seen.up.append(up)
            self._ended.wait(max(0.0, PERIOD_S - (time.monotonic() - self._began - at)))


def _up(addresses: Mapping[int, tuple[str, int]]) -> Sequence[int]:
    found = []
    for node, address in addresses.items():
        try:
            with socket.create_connection(address, _PATIENCE_S):
                found.append(node)
        except OSError:
            pass
    return found
