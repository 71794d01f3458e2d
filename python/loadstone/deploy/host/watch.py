"""This host and its services, told once a second in a line of JSON each.

Sent and run as `control` is. The next line of its input says what to watch: `services` (their names), and
`shared`, whether the machine is shared with other hosts of a lab: then the host is its processes. Every
later line shows that somebody still listens. It ends with its input, or when nothing was heard for long.

    {"hello": {"cores": 2, "memory_bytes": ..., "kernel": ..., "hostname": ...}}
    {"at_s": ..., "host": {metric: value}, "services": {service: {metric: value}},
     "lives": {service: [whether it lives, number of its first process, when that started]}}
    {"at_s": ..., "services": {service: {what it counts itself}}}
"""

from __future__ import annotations

import json
import os
import platform
import sys
import threading
import time
from typing import Any, Mapping, Optional

from . import system
from .counting import Asked
from .home import ROOT, Home
from .processes import Table, identity, members, running, table
from .quota import Quota, of_process
from .rates import Figures, Rates

SILENT_S = 15.0
_EVERY_S = 1.0
_SHORTEST_S = 0.5
"""Rates over less than this would mostly show the granularity of the kernel's clocks."""


class Watched:
    """A service of this host."""

    def __init__(self, name: str) -> None:
        """Whether it is there or not."""
        self.name, self.home = name, Home(name)
        self._rates = Rates()
        self._first = 0
        self._quota: "Optional[Quota]" = None

    def sample(self, every: Table, at: float) -> Figures:
        """What its processes use, and what a quota takes from them. `alive` is 1 or 0."""
        levels, sums = system.used(members(self.home, every), every)
        alive = {"alive": float(running(self.home, every))}
        return {**levels, **alive, **_named(self._rates.since(sums, at)), **self._throttled(at)}

    def _throttled(self, at: float) -> Figures:
        """A quota is that of its first process's group; another process may be in another group."""
        first = identity(self.home)[0]
        if first != self._first:
            group = of_process(first) if first else None
            self._first, self._quota = first, Quota(group) if group else None
        return self._quota.since(at) if self._quota else {}

    @property
    def kept(self) -> bool:
        """Whether it is there and has a process of its own that should live."""
        try:
            return bool(self.home.unit()["start"])
        except (OSError, ValueError, LookupError):
            return False

    def life(self, every: Table) -> "list[Any]":
        """Whether it lives, and which process is its first."""
        return [running(self.home, every), *identity(self.home)]


class Sampler:
    """The host as a whole."""

    def __init__(self, shared: bool) -> None:
        """`shared`: other hosts of a lab use the same machine."""
        self._shared = shared
        self._rates, self._machine, self._busy = Rates(), Rates(), Rates()

    def sample(self, every: Table, at: float) -> Figures:
        """Rates since the last one, and levels now."""
        machine = self._machine.since(system.processor(), at)
        levels, refused = system.sockets()
        levels.update(system.room(ROOT))
        sums = {**system.network(), **refused}
        if self._shared:
            held, used = system.used(every, every)
            found = {
                "memory_used_bytes": held["rss_bytes"],
                **_named(self._rates.since({**sums, **used}, at)),
            }
            if machine:
                found["machine_cpu_cores"] = _busy(machine)
                found["machine_idle_cores"] = machine["idle"] + machine["cpu_iowait"]
                found["steal_cores"] = machine["steal"]
            return {**levels, **found}
        moved, busy = system.disks()
        found = {**system.memory(), **_named(self._rates.since({**sums, **moved}, at))}
        shares = self._busy.since(busy, at).values()
        if shares:
            found["disk_busy_share"] = min(1.0, max(shares))
        if machine:
            found["cpu_cores"] = _busy(machine)
            found.update((f"{kind}_cores", value) for kind, value in machine.items())
        return {**levels, **found}


def _busy(machine: Figures) -> float:
    return machine["cpu_user"] + machine["cpu_system"] + machine["cpu_irq"]


def _named(rates: Figures) -> Figures:
    """Processor seconds a second are cores; everything else says what it is."""
    return {"cpu_cores" if name == "cpu" else f"{name}_per_s": value for name, value in rates.items()}


class _Said:
    """Lines, each whole; the first that nobody takes ends the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __call__(self, line: "dict[str, Any]") -> None:
        with self._lock:
            try:
                sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
                sys.stdout.flush()
            except OSError:
                os._exit(0)


def _count(watched: Watched, say: _Said) -> None:
    """Asks a server for what it counts, once a second, as long as it is there."""
    rates, asked = Rates(), None
    while True:
        began = time.monotonic()
        try:
            asked = asked or Asked(watched.home, watched.home.unit())
            levels, sums = asked.counts()
            at = time.monotonic()
            figures = {**levels, **{f"{name}_per_s": value for name, value in rates.since(sums, at).items()}}
            say({"at_s": at, "services": {watched.name: figures}})
        except (OSError, ValueError, LookupError):
            # It is away, or tells nothing: the next second may differ, and its own life is told elsewhere.
            if asked:
                asked.close()
            asked = None
        time.sleep(max(0.1, began + _EVERY_S - time.monotonic()))


def _counted(watched: Watched) -> bool:
    try:
        return bool(watched.home.unit().get("counts"))
    except (OSError, ValueError):
        return False


def _sample(given: Mapping[str, Any], say: _Said) -> None:
    services = [Watched(name) for name in given["services"]]
    sampler = Sampler(given["shared"])
    for watched in services:
        if _counted(watched):
            threading.Thread(target=_count, args=(watched, say), daemon=True).start()
    due = time.monotonic()
    while True:
        every, at = table(), time.monotonic()
        say({
            "at_s": at,
            "host": sampler.sample(every, at),
            "services": {one.name: one.sample(every, at) for one in services},
            "lives": {one.name: one.life(every) for one in services if one.kept},
        })  # fmt: skip
        due += _EVERY_S
        while due < time.monotonic() + _SHORTEST_S:
            due += _EVERY_S
        time.sleep(due - time.monotonic())


def main() -> None:
    """Until nobody listens any more."""
    heard = [time.monotonic()]
    source = sys.stdin.buffer
    given = json.loads(source.readline())
    say = _Said()
    say({"hello": {
        "cores": len(os.sched_getaffinity(0)), "memory_bytes": system.memory_bytes(),
        "kernel": platform.release(), "hostname": platform.node(),
    }})  # fmt: skip

    def watch() -> None:
        while time.monotonic() - heard[0] < SILENT_S:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=_sample, args=(given, say), daemon=True).start()
    threading.Thread(target=watch, daemon=True).start()
    for _ in source:
        heard[0] = time.monotonic()
    os._exit(0)
