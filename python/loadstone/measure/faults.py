"""Faults of a scenario: done to hosts of the lab at their times, and told as events of the run."""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from loadstone.errors import LoadstoneError
from loadstone.scenario import Fault

if TYPE_CHECKING:
    from loadstone.record import Journal

Event = dict[str, Any]
Act = Callable[[Fault], str]
"""Carries out a fault; what has become of the host, in words. Errors: LoadstoneError."""


class Faults:
    """A schedule that is carried out beside a run, one fault after the other."""

    def __init__(self, faults: Sequence[Fault] = (), act: Act | None = None) -> None:
        """`faults` in the order of their times; without any, nothing is ever done."""
        self._waiting = list(faults)
        self._act = act
        self._pool = ThreadPoolExecutor(1) if faults else None
        self._told: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def write(self, journal: Journal, note: Callable[[str], None], began: float) -> None:
        """Begins what is due, and writes down what was done; `began`: when the run did, on the clock."""
        while self._waiting and self._pool and began + self._waiting[0].at_s <= time.monotonic():
            self._pool.submit(self._carry_out, self._waiting.pop(0), began)
        while not self._told.empty():
            event = self._told.get()
            journal.event(**event)
            note(event["note"])

    def end(self, journal: Journal, note: Callable[[str], None], began: float) -> None:
        """Waits for a fault that has begun, and writes it down; those that were not due are not done."""
        self._waiting.clear()
        if self._pool:
            self._pool.shutdown()
        self.write(journal, note, began)

    def _carry_out(self, fault: Fault, began: float) -> None:
        assert self._act
        second = math.floor(time.monotonic() - began)
        told = {"second": second, "host": fault.host}
        try:
            words = self._act(fault)
        except LoadstoneError as error:
            words = f"fault `{fault.what}` of host {fault.host} failed after {second} s: {error.message}"
            self._told.put({"kind": "fault-failed", **told, "note": words, "reason": error.message})
        else:
            self._told.put({"kind": "fault", **told, "note": f"host {fault.host} {words} after {second} s"})


def on_lab(lab: str) -> Act:
    """Carries faults out on the hosts of a lab."""
    from loadstone.lab import kill_host, repair_host, restart_host, set_link

    def act(fault: Fault) -> str:
        match fault.what:
            case "kill":
                kill_host(lab, fault.host)
                return "killed"
            case "restart":
                restart_host(lab, fault.host, lambda _: None)
                return "restarted"
            case "repair":
                repair_host(lab, fault.host)
                return "repaired"
            case "cut" | "mend":
                set_link(lab, fault.host, {}, cut=fault.what == "cut")
                return "cut off" if fault.what == "cut" else "reachable again"
            case "link":
                return f"behind another link ({set_link(lab, fault.host, fault.shape).link})"

    return act


def refuse_impossible(faults: Sequence[Fault], hosts: Sequence[str] | None) -> None:
    """LoadstoneError `fault` when there is no topology (`hosts` None), or not such a host of its lab."""
    if not faults:
        return
    if hosts is None:
        message = "the scenario has faults, and no hosts that they could be done to"
        raise LoadstoneError("fault", message, hint="name the topology of a lab with --topology")
    for fault in faults:
        if fault.host not in hosts:
            hint = f"the lab has made {', '.join(hosts) or 'none'}"
            message = f"there is no host `{fault.host}` in the lab for the fault at {fault.at_s:g} s"
            raise LoadstoneError("fault", message, hint=hint)
