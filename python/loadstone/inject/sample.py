"""What of a server's code can be hit: what it executes for the traffic, and not by its clock."""

from __future__ import annotations

import contextlib
import random
import time
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice

from loadstone.inject.traffic import Traffic

_ENOUGH = 0.1
"""Of what a busy server executes: so much must be for the traffic alone, to be hit alone."""
_SETTLED_S = 1.0


@dataclass
class Profile:
    """Addresses that can be hit, with the sums of how often each and those before it were executed."""

    addresses: list[int]
    sums: list[int]

    def draw(self, chance: random.Random) -> int:
        """An address, as often as it is executed."""
        return self.addresses[bisect(self.sums, chance.randrange(self.sums[-1]))]


@contextlib.contextmanager
def silent(traffic: Traffic, port: int, patience_s: float) -> Iterator[None]:
    """As many connections as the traffic has, asked once each and silent since.

    A server has work by its clock for each that is open: Redis looks after its clients ten times a second.
    What it does when it has just answered still belongs to the traffic, so some time passes.
    """
    with contextlib.ExitStack() as stack:
        for request in islice(cycle(traffic.requests), traffic.connections):
            with contextlib.suppress(OSError):
                talk = traffic.open(port, patience_s)
                stack.callback(talk.close)
                talk.ask(request)
        time.sleep(_SETTLED_S)
        yield


def for_traffic(busy: list[tuple[int, int]], idle: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is executed for the traffic: what is executed without any, too, is left out.

    While it is stepped a server is a hundred times slower, or more on a busy machine, and its clocks are
    not: what it does every so often would be most of what is seen. How often that is follows from its load in
    ways of its own (memcached looks after its items every millisecond, and each second when nothing changes
    them), so it cannot be reckoned off. Where little else is left, what a server does for both counts, less
    what was seen without traffic.

    >>> for_traffic([(1, 100), (2, 50), (3, 7)], [(2, 30), (3, 4)])
    [(1, 100)]
    >>> for_traffic([(1, 10), (2, 500), (3, 7)], [(2, 300), (3, 7)])
    [(1, 10), (2, 200)]
    """
    anyway = dict(idle)
    alone = [(address, count) for address, count in busy if address not in anyway]
    if sum(count for _, count in alone) >= _ENOUGH * sum(count for _, count in busy):
        return alone
    left = [(address, count - anyway.get(address, 0)) for address, count in busy]
    return [(address, count) for address, count in left if count > 0]
