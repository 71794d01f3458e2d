"""Servers added and removed while a run measures: hosts of a service, by the fast path, behind its balancers.

A server that is added is started and asked whether it is well before a balancer knows it. One that is removed
is first taken out of the balancers, finishes what it has begun, and is then ended.
"""

from __future__ import annotations

import contextlib
import math
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from loadstone.errors import LoadstoneError
from loadstone.measure.policies import Policy, Reading, policy_of
from loadstone.scenario import Scaling

if TYPE_CHECKING:
    from loadstone.deploy import Site
    from loadstone.measure.faults import Written
    from loadstone.ssh import Ssh

_KEPT_S = 120.0
"""How busy a host was longer ago is of no use."""


class Hands(Protocol):
    """Who starts and ends servers, by the host's name. Errors: LoadstoneError."""

    def add(self, host: str) -> float:
        """Starts it and sends it users; how long the start took, seconds."""

    def remove(self, host: str) -> None:
        """Sends it no users, and ends it."""


@dataclass
class Busy:
    """How busy hosts were, as they tell once a second."""

    cores: dict[str, float]
    """Processors that each may use."""
    told: dict[str, deque[tuple[float, float]]] = field(default_factory=dict)

    def hear(self, host: str, at: float, cpu_cores: float) -> None:
        """`cpu_cores` processors were busy in the second before `at`, on the clock."""
        mine = self.told.setdefault(host, deque())
        mine.append((at, cpu_cores))
        while mine and mine[0][0] < at - _KEPT_S:
            mine.popleft()

    def share(self, hosts: list[str], since: float) -> float | None:
        """The mean of these hosts since then; None unless each has told something."""
        means = []
        for host in hosts:
            mine = [cores for at, cores in self.told.get(host, ()) if at > since]
            if not mine or not self.cores.get(host):
                return None
            means.append(sum(mine) / len(mine) / self.cores[host])
        return sum(means) / len(means)


class Servers:
    """The servers of one run; does nothing when the scenario has no `[scaling]`."""

    def __init__(
        self,
        scaling: Scaling | None = None,
        hosts: tuple[str, ...] = (),
        hands: Hands | None = None,
        busy: Busy | None = None,
        away: Callable[[str, bool], None] = lambda host, gone: None,
    ) -> None:
        """`hosts`: all that may serve, of which the first `scaling.first` do. `away` is told of each that is
        ended on purpose, and that comes back.
        """
        self._scaling, self._hosts, self._hands, self._away = scaling, hosts, hands, away
        self._policy: Policy | None = policy_of(scaling) if scaling else None
        self._busy = busy or Busy({})
        self._serving = list(hosts[: scaling.first]) if scaling else []
        self._pool = ThreadPoolExecutor(1) if scaling else None
        self._work: Future[None] | None = None
        self._told: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._looked = self._since = 0.0
        self._begun = False

    def hear(self, host: str, at: float, cpu_cores: float) -> None:
        """As `Busy.hear`."""
        self._busy.hear(host, at, cpu_cores)

    def write(self, journal: Written, note: Callable[[str], None], began: float) -> None:
        """Begins a change that the policy wants, and writes down what was done; `began`: when the run did."""
        if self._scaling is None:
            return
        if not self._begun:
            self._begun = True
            words = f"{len(self._serving)} servers as the run begins"
            bounds = {"least": self._scaling.least, "most": self._scaling.most or len(self._hosts)}
            self._tell("servers", 0.0, self._serving[0], words, policy=self._scaling.policy, **bounds)
        self._look(began)
        while not self._told.empty():
            event = self._told.get()
            journal.event(**event)
            note(event["note"])

    def end(self, journal: Written, note: Callable[[str], None], began: float) -> None:
        """Waits for a change that has begun, and writes it down."""
        if self._pool:
            self._pool.shutdown()
            self._looked = math.inf
        self.write(journal, note, began)

    def _look(self, began: float) -> None:
        assert self._scaling and self._policy and self._pool
        now = time.monotonic() - began
        if now < self._looked + self._scaling.every_s * (self._scaling.policy == "target-utilisation"):
            return
        if self._work and not self._work.done():
            return
        busy = self._busy.share(self._serving, began + max(self._looked, self._since))
        self._looked = now
        reading = Reading(now, len(self._serving), self._since, busy)
        least, most = self._scaling.least, self._scaling.most or len(self._hosts)
        wanted = min(max(self._policy.wanted(reading), least), most)
        if wanted != len(self._serving):
            self._work = self._pool.submit(self._change, wanted, began)

    def _change(self, wanted: int, began: float) -> None:
        """One server after the other, until there are as many as wanted."""
        while len(self._serving) != wanted:
            try:
                self._add(began) if wanted > len(self._serving) else self._remove(began)
            except LoadstoneError as error:
                # What fails is tried again at the next look.
                at = time.monotonic() - began
                host = self._hosts[min(len(self._serving), len(self._hosts) - 1)]
                self._tell("scaling-failed", at, host, f"the servers stay as they are: {error.message}")
                return
            finally:
                self._since = time.monotonic() - began

    def _add(self, began: float) -> None:
        assert self._hands
        host = self._hosts[len(self._serving)]
        asked_s = time.monotonic() - began
        start_s = self._hands.add(host)
        self._away(host, False)
        at = time.monotonic() - began
        self._serving.append(host)
        words = f"{host} serves, {at - asked_s:.1f} s after it was asked for: {len(self._serving)} servers"
        self._tell("server-added", at, host, words, asked_s=round(asked_s, 3), start_s=round(start_s, 3))

    def _remove(self, began: float) -> None:
        assert self._hands
        host = self._serving[-1]
        asked_s = time.monotonic() - began
        self._away(host, True)
        self._hands.remove(host)
        self._serving.pop()
        at = time.monotonic() - began
        words = f"{host} was removed: {len(self._serving)} servers"
        self._tell("server-removed", at, host, words, asked_s=round(asked_s, 3))

    def _tell(self, kind: str, at: float, host: str, note: str, **more: float | str) -> None:
        assert self._scaling
        self._told.put(
            {
                "kind": kind, "second": max(0, math.floor(at)), "at_s": round(at, 3), "host": host,
                "service": self._scaling.service, "servers": len(self._serving), **more, "note": note,
            }
        )  # fmt: skip


@dataclass
class OnTopology:
    """Starts and ends servers of a service on the hosts of a topology that is up."""

    site: Site
    ssh: Ssh
    service: str
    drain_s: float
    ended: set[str] = field(default_factory=set)
    """Hosts that do not serve now."""

    def add(self, host: str) -> float:
        """As `Hands.add`. Errors: those of `restarted` and `configure`."""
        from loadstone.deploy import part, restarted

        began = time.monotonic()
        restarted(self.ssh, part(self.site, f"{self.service}@{host}"))
        took = time.monotonic() - began
        self._drain(host, False)
        self.ended.discard(host)
        return took

    def remove(self, host: str) -> None:
        """As `Hands.remove`. Errors: those of `halt` and `configure`."""
        from loadstone.deploy import halt, part

        self._drain(host, True)
        time.sleep(self.drain_s)
        self.ended.add(host)
        halt(self.ssh, part(self.site, f"{self.service}@{host}"), "stop")

    def _drain(self, host: str, drain: bool) -> None:
        from loadstone.deploy import drain_now, drained, part

        meant = part(self.site, f"{self.service}@{host}")
        wanted = drained(self.site, meant, drain)
        drain_now(wanted, self.ssh, meant.service)
        self.site = wanted


@contextlib.contextmanager
def scaled(
    scaling: Scaling | None, topology: Path | None, note: Callable[[str], None]
) -> Iterator[tuple[Hands | None, tuple[str, ...]]]:
    """The service with only its first servers, until the block ends: then all serve as the topology says.

    Gives what starts and ends servers, and the hosts. Errors: `scaling`; those of `load_site`, `ssh`, `halt`.
    """
    from loadstone.deploy import drain_now, load_site, part, restarted
    from loadstone.ssh import ssh

    if scaling is None:
        yield None, ()
        return
    if topology is None:
        hint = "name the topology that is up with --topology"
        raise LoadstoneError("scaling", "the scenario scales a service, and has no hosts", hint=hint)
    site = load_site(topology)
    hosts = _hosts(scaling, site)
    with ssh(site.topology) as connections:
        hands = OnTopology(site, connections, scaling.service, 0.0)
        try:
            for host in hosts[scaling.first :]:
                note(f"{host} does not serve as the run begins")
                try:
                    hands.remove(host)
                except LoadstoneError as error:
                    # A run that was killed has left it so.
                    if error.slug != "service-failed":
                        raise
            hands.drain_s = scaling.drain_s
            yield hands, hosts
        finally:
            for host in sorted(hands.ended):
                restarted(connections, part(site, f"{scaling.service}@{host}"))
            drain_now(site, connections, site.service(scaling.service))


def _hosts(scaling: Scaling, site: Site) -> tuple[str, ...]:
    """All that may serve. LoadstoneError `scaling`."""
    from loadstone.deploy import drained, part

    try:
        meant = part(site, scaling.service)
        hosts = meant.hosts
        if len(meant.service.hosts) > 1:
            drained(site, part(site, f"{scaling.service}@{hosts[-1]}"), True)
    except LoadstoneError as error:
        raise LoadstoneError("scaling", error.message, hint=error.hint) from error
    wanted = max(scaling.most or 0, scaling.first, *(step.servers for step in scaling.step), 1)
    if len(hosts) < max(2, wanted):
        message = f"`{scaling.service}` has {len(hosts)} hosts, and `[scaling]` needs {max(2, wanted)}"
        raise LoadstoneError("scaling", message, hint="add hosts to the service in the topology")
    return hosts
