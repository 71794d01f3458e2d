"""A cluster on hosts: carries out in time, on processes, what the machine decides."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from loadstone.chaos.machine import Act, Machine
from loadstone.deploy import ask, at_once
from loadstone.errors import LoadstoneError
from loadstone.measure import Faults
from loadstone.ssh import Ssh

_LOOK_S = 0.2
_MOST_AT_ONCE = 16


class Hands:
    """Kills and starts a service on numbered hosts."""

    def __init__(self, ssh: Ssh, service: str, hosts: tuple[str, ...]) -> None:
        """The service is deployed on all of them."""
        self._reach, self._service, self.hosts = ssh, service, hosts
        self._pids: dict[int, list[int]] = {}

    def start(self, node: int) -> None:
        """Starts it; returns when it answers. Errors as `deploy.restart`."""
        self._pids[node] = ask(self._reach, self.hosts[node], "restart", self._service)["pids"]

    def kill(self, node: int) -> None:
        """Ends its processes without a word. LoadstoneError `no-process` when that fails."""
        pids = self._pids.pop(node, [])
        if not pids:
            return
        done = self._reach.run(self.hosts[node], ["kill", "-KILL", *map(str, pids)])
        if done.code:
            raise LoadstoneError("no-process", f"`{self.hosts[node]}`: {done.words}")

    def only(self, up: set[int]) -> None:
        """Brings the hosts to exactly these nodes up, each freshly started."""
        nodes = range(len(self.hosts))
        at_once(self.kill, [node for node in nodes if node not in up])
        at_once(self.start, sorted(up))

    def start_s(self) -> float:
        """Median time of a start, one node after the other, and all up at the end."""
        found = []
        for node in range(len(self.hosts)):
            before = time.monotonic()
            self.start(node)
            found.append(time.monotonic() - before)
        return median(found)


@dataclass
class Life:
    """What was done to a cluster: instants in seconds from its beginning."""

    crashes: list[tuple[float, int]] = field(default_factory=list)
    starts: list[tuple[float, float, int]] = field(default_factory=list)
    """When the node was to be up, when it was, which."""
    late_s: float = 0.0
    """How long after its time the latest act was begun."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """Faults that were done, as a run's journal has them, and acts that failed because of them."""

    def event(self, kind: str, **details: Any) -> None:
        """Keeps one."""
        self.events.append({"kind": kind, **details})


def live(
    machine: Machine,
    hands: Hands,
    life_s: float,
    stopped: Callable[[], bool] = lambda: False,
    faults: Faults | None = None,
) -> Life:
    """Lets a cluster live for `life_s`, from every node up; `stopped` ends it early. `faults` are done to it
    besides. Errors as `Hands`; but with faults an act that cannot be done is an event.
    """
    found, faults = Life(), faults or Faults()
    disturbed = not faults.empty
    done: queue.SimpleQueue[tuple[Act, float | LoadstoneError] | BaseException] = queue.SimpleQueue()
    began = time.monotonic()
    lock = threading.Lock()

    def now() -> float:
        return time.monotonic() - began

    def act(one: Act) -> None:
        try:
            (hands.kill if one.verb == "kill" else hands.start)(one.node)
        except LoadstoneError as error:
            # A host that is cut off cannot be told to start a node.
            done.put((one, error) if disturbed else error)
            return
        except BaseException as error:
            done.put(error)
            return
        with lock:
            if one.verb == "kill":
                found.crashes.append((now(), one.node))
            else:
                found.starts.append((one.meant_s, now(), one.node))
        done.put((one, now()))

    machine.begin()
    with ThreadPoolExecutor(_MOST_AT_ONCE) as pool:
        while now() < life_s and not stopped():
            wait = min(machine.next_s, life_s) - now()
            try:
                ended = done.get(timeout=min(_LOOK_S, max(0.0, wait)))
            except queue.Empty:
                ended = None
            faults.write(found, lambda _: None, began)
            if isinstance(ended, BaseException):
                raise ended
            match ended:
                case one, LoadstoneError() as error:
                    found.event("act-failed", **_failed(one, hands, now(), error))
                case one, float() as at_s if one.verb == "start":
                    machine.ready(one.node, at_s)
            due_s = machine.next_s
            for one in machine.due(now()):
                found.late_s = max(found.late_s, now() - due_s)
                pool.submit(act, one)
        faults.end(found, lambda _: None, began)
    return found


def _failed(one: Act, hands: Hands, at_s: float, error: LoadstoneError) -> dict[str, Any]:
    host = hands.hosts[one.node]
    words = f"{one.verb} of the node on {host} failed: {error.message}"
    return {"second": int(at_s), "host": host, "note": words, "reason": error.message}
