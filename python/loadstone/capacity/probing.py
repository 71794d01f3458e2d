"""Where to begin the search: short runs with twice the load each, until throughput hardly grows. Pure.

A probe says where the capacity may lie, never what it is: only the search's own runs are evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SATURATED = 0.9
"""A probe whose users (or sessions) each get less than this share of the operations that one of a light load
gets has saturated the service. Short runs scatter by a few percent."""


@dataclass(frozen=True)
class Probe:
    """What one short run showed."""

    load: int
    """In whole steps, as the search counts."""
    per_s: float
    """Operations that ended well, each second of the steady state."""
    held: bool
    """Whether as many of each operation as SLA-1 asks for were within their limit."""


class Probing:
    """Asks for probes with `next` until it is None; each is answered with `record`."""

    def __init__(self, first: int, most: int) -> None:
        """`first`: load of the first probe; none has over `most`."""
        self.probes: list[Probe] = []
        self._first = first
        self._most = most
        self._done = False

    def next(self) -> int | None:
        """Load of the next probe; None at the end."""
        if self._done:
            return None
        return min(2 * self.probes[-1].load, self._most) if self.probes else self._first

    def record(self, probe: Probe) -> None:
        """What a probe showed."""
        self.probes.append(probe)
        self._done = self._is_saturated() or not probe.held or probe.load >= self._most

    def stop(self) -> None:
        """Ends it: more load cannot be measured."""
        self._done = True

    def expected(self) -> int:
        """Load that the service may carry.

        It is where the operations of the saturated service would be all that its load asks for: the knee of
        the operational law X = N / (Z + R). Where a probe broke SLA-1 without that, it is between this probe
        and the one before; where none did, it is the last one's load.
        """
        if not self.probes:
            return self._first
        last = self.probes[-1]
        if self._is_saturated():
            return max(self.probes[-2].load, round(last.per_s / self._rate()))
        if last.held or len(self.probes) == 1:
            return last.load
        return round(math.sqrt(self.probes[-2].load * last.load))

    def _rate(self) -> float:
        """Operations a second for each step of the load before the last probe, when users were not in each
        other's way."""
        light = self.probes[:-1]
        return sum(probe.per_s for probe in light) / sum(probe.load for probe in light) if light else 0

    def _is_saturated(self) -> bool:
        last = self.probes[-1]
        return last.per_s < SATURATED * self._rate() * last.load
