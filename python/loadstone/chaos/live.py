"""A cluster on hosts: carries out in time, on processes, what the machine decides."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import median

from loadstone.chaos.machine import Act, Machine
from loadstone.deploy import ask, at_once
from loadstone.errors import LoadstoneError
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


def live(machine: Machine, hands: Hands, life_s: float, stopped: Callable[[], bool] = lambda: False) -> Life:
    """Lets a cluster live for `life_s`, from every node up; `stopped` ends it early. Errors as `Hands`."""
    found = Life()
    done: queue.SimpleQueue[tuple[Act, float] | BaseException] = queue.SimpleQueue()
    began = time.monotonic()
    lock = threading.Lock()

    def now() -> float:
        return time.monotonic() - began

    def act(one: Act) -> None:
        try:
            (hands.kill if one.verb == "kill" else hands.start)(one.node)
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
            if isinstance(ended, BaseException):
                raise ended
            if ended and ended[0].verb == "start":
                machine.ready(ended[0].node, ended[1])
            due_s = machine.next_s
            for one in machine.due(now()):
                found.late_s = max(found.late_s, now() - due_s)
                pool.submit(act, one)
    return found
