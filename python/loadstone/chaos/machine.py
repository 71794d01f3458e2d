"""What happens to a cluster, and when: crashes, failovers and repairs drawn from the model, pure and seeded.

The machine is told what has happened and answers with what to do and what to wait for. Whoever drives it
owns the clock: a simulation jumps from event to event, a live cluster waits and does it. Each law is
exponential, so an empty slot that finds no spare draws anew when there is one: it has no memory.
"""

from __future__ import annotations

import heapq
import itertools
import random
from dataclasses import dataclass, field
from typing import Literal

from loadstone.availability.cluster import Cluster

Kind = Literal["crash", "failover", "mended", "ready"]


@dataclass(frozen=True, order=True)
class Due:
    """Something to happen at `at_s`. `subject` is a node, or for a failover the number of an empty slot."""

    at_s: float
    order: int
    kind: Kind = field(compare=False)
    subject: int = field(compare=False)


@dataclass(frozen=True)
class Act:
    """What to do to a node now. `meant_s`: when it is to be dead, or to be up."""

    verb: Literal["kill", "start"]
    node: int
    meant_s: float


class Machine:
    """A cluster of `active + pool` numbered nodes. Spares are cold; crews and shocks are not played."""

    def __init__(self, cluster: Cluster, seed: int, lead_s: float = 0.0) -> None:
        """`lead_s`: how long a node takes to start. Failovers begin earlier by that time, to end when drawn.

        Raises `ValueError` for what is not played.
        """
        if cluster.crews or cluster.shock or cluster.dormancy or cluster.load_exponent or cluster.phases > 1:
            raise ValueError("crews, shocks, phases, wear and warm spares are not played")
        self._cluster = cluster
        self._random = random.Random(seed)
        self._lead_s = lead_s
        self._numbers = itertools.count()
        self._due: list[Due] = []
        self.up: set[int] = set(range(cluster.active))
        self.spare: list[int] = list(range(cluster.active, cluster.active + (cluster.pool or 0)))
        self.broken: set[int] = set()
        self._starting: set[int] = set()
        """Nodes on their way up."""
        self._empty: dict[int, float | None] = {}
        """Empty slots by the instant their failover ends; None: no spare to wait for."""

    def begin(self) -> None:
        """Every node is up at 0."""
        for node in sorted(self.up):
            self._draw("crash", node, 0.0, self._cluster.crash)

    @property
    def next_s(self) -> float:
        """When the next thing is due; infinite when nothing is."""
        return self._due[0].at_s if self._due else float("inf")

    def due(self, now_s: float) -> list[Act]:
        """What is due by now, in order. The caller answers a start with `ready`."""
        acts: list[Act] = []
        while self._due and self._due[0].at_s <= now_s:
            one = heapq.heappop(self._due)
            acts += self._happens(one, max(one.at_s, 0.0))
        return acts

    def ready(self, node: int, now_s: float) -> None:
        """A node that was started is up."""
        self._starting.remove(node)
        self.up.add(node)
        self._draw("crash", node, now_s, self._cluster.crash)

    def _happens(self, one: Due, at_s: float) -> list[Act]:
        match one.kind:
            case "crash":
                return self._crash(one.subject, at_s)
            case "failover":
                return self._fail_over(one.subject, at_s)
            case "mended":
                return self._mended(one.subject, at_s)
        raise AssertionError(one.kind)

    def _crash(self, node: int, at_s: float) -> list[Act]:
        if node not in self.up:
            return []
        self.up.remove(node)
        self.broken.add(node)
        slot = next(self._numbers)
        self._empty[slot] = None
        if self._cluster.pool is None:
            # The provider's own replacement takes the node's place.
            self.broken.remove(node)
            self.spare.append(node)
        elif self._cluster.repair is not None:
            self._draw("mended", node, at_s, self._cluster.repair)
        self._wait_for_spares(at_s)
        return [Act("kill", node, at_s)]

    def _wait_for_spares(self, at_s: float) -> None:
        """Empty slots draw their failover as soon as there is a spare."""
        if not self.spare or self._cluster.pool == 0:
            return
        for slot, ends in self._empty.items():
            if ends is None:
                self._empty[slot] = self._draw(
                    "failover", slot, at_s, self._cluster.failover, early_s=self._lead_s
                )

    def _fail_over(self, slot: int, at_s: float) -> list[Act]:
        if slot not in self._empty:
            return []
        if not self.spare:
            self._empty[slot] = None
            return []
        ends = self._empty.pop(slot)
        assert ends is not None
        return [self._start(self.spare.pop(0), ends)]

    def _mended(self, node: int, at_s: float) -> list[Act]:
        self.broken.remove(node)
        if self._cluster.pool == 0:
            self._empty.popitem()
            return [self._start(node, at_s)]
        if len(self.spare) >= (self._cluster.pool or 0):
            # No room: the chain mends only while the pool has lent; the last repair begins anew.
            self.broken.add(node)
            assert self._cluster.repair is not None
            self._draw("mended", node, at_s, self._cluster.repair)
            return []
        self.spare.append(node)
        self._wait_for_spares(at_s)
        return []

    def _start(self, node: int, meant_s: float) -> Act:
        self._starting.add(node)
        return Act("start", node, meant_s)

    def _draw(self, kind: Kind, subject: int, at_s: float, rate: float, early_s: float = 0.0) -> float:
        ends = at_s + self._random.expovariate(rate)
        heapq.heappush(self._due, Due(max(at_s, ends - early_s), next(self._numbers), kind, subject))
        return ends


def simulate(cluster: Cluster, horizon_s: float, seed: int) -> list[float]:
    """Seconds by number of nodes up, until `horizon_s`: one drawn life of the cluster.

    >>> sum(simulate(Cluster(1, 2, None, crash=1.0, failover=5.0), 10.0, seed=1))
    10.0
    """
    machine = Machine(cluster, seed)
    machine.begin()
    spent = [0.0] * (cluster.active + 1)
    now = 0.0
    while now < horizon_s:
        then = min(machine.next_s, horizon_s)
        spent[len(machine.up)] += then - now
        now = then
        for act in machine.due(now):
            if act.verb == "start":
                machine.ready(act.node, now)
    return spent
