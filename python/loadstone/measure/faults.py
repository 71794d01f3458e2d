"""Faults of a scenario: done to hosts and services at their times, and told as events of the run."""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from loadstone.errors import LoadstoneError
from loadstone.scenario import Fault, ScenarioError

Event = dict[str, Any]
Act = Callable[[Fault], str]
"""Carries out a fault; what has become of its subject, in words. Errors: LoadstoneError."""


class Written(Protocol):
    """Where events go: the journal of a run, say."""

    def event(self, kind: str, **details: Any) -> None:
        """Something that happened once."""


class Faults:
    """A schedule that is carried out beside a run, one fault after the other."""

    def __init__(self, faults: Sequence[Fault] = (), act: Act | None = None) -> None:
        """`faults` in the order of their times; without any, nothing is ever done."""
        self._waiting = list(faults)
        self.done: list[Fault] = []
        self._act = act
        self._pool = ThreadPoolExecutor(1) if faults else None
        self._told: queue.SimpleQueue[Event] = queue.SimpleQueue()

    @property
    def empty(self) -> bool:
        """Whether there never was one."""
        return self._pool is None

    def write(self, journal: Written, note: Callable[[str], None], began: float) -> None:
        """Begins what is due, and writes down what was done; `began`: when the run did, on the clock."""
        while self._waiting and self._pool and began + self._waiting[0].at_s <= time.monotonic():
            self._pool.submit(self._carry_out, self._waiting.pop(0), began)
        while not self._told.empty():
            event = self._told.get()
            journal.event(**event)
            note(event["note"])

    def end(self, journal: Written, note: Callable[[str], None], began: float) -> None:
        """Waits for a fault that has begun, and writes it down; those that were not due are not done."""
        self._waiting.clear()
        if self._pool:
            self._pool.shutdown()
        self.write(journal, note, began)

    def _carry_out(self, fault: Fault, began: float) -> None:
        assert self._act
        second = math.floor(time.monotonic() - began)
        service, _, back_end = (fault.service or "").partition("@")
        names = {"host": fault.host or back_end, "service": service}
        told = {"second": second, **{key: name for key, name in names.items() if name}}
        # One that fails may have done half of it.
        self.done.append(fault)
        try:
            words = self._act(fault)
        except LoadstoneError as error:
            words = f"fault `{fault.what}` of {fault.subject} failed after {second} s: {error.message}"
            self._told.put({"kind": "fault-failed", **told, "note": words, "reason": error.message})
        else:
            self._told.put({"kind": "fault", **told, "note": f"{fault.subject} {words} after {second} s"})


def on_topology(topology: Path, faults: Sequence[Fault]) -> Faults:
    """A schedule that can be carried out there.

    Error `fault` when a host is not of its lab, a service is unknown or is not where it is said to be, or
    nobody would be left behind a balancer; those of `load_topology` and `load_site`.
    """
    from loadstone.lab import load_topology

    if not faults:
        return Faults()
    found = load_topology(topology)
    made = [host.name for host in found.hosts]
    for fault in faults:
        if fault.host and fault.host not in made:
            hint = f"the lab has made {', '.join(made) or 'none'}"
            message = f"there is no host `{fault.host}` in the lab for the fault at {fault.at_s:g} s"
            raise LoadstoneError("fault", message, hint=hint)
    of_hosts = _on_lab(found.name)
    of_services = _OnServices(topology, [fault for fault in faults if fault.service])
    return Faults(faults, lambda fault: of_hosts(fault) if fault.host else of_services(fault))


def put_back(topology: Path, done: Sequence[Fault]) -> None:
    """Makes hosts, links and services as the topology says again, after faults that were done there.

    LoadstoneError as `lab link set`, `lab host restart`, and as `deploy.restarted` and `configure`.
    """
    from loadstone.deploy import drain_now, load_site, part, restarted
    from loadstone.lab import load_topology, restart_host, restore_link
    from loadstone.ssh import ssh

    if not done:
        return
    found = load_topology(topology)
    of_hosts = {(fault.host, fault.what) for fault in done if fault.host}
    for host in sorted({host for host, what in of_hosts if what in ("cut", "mend", "link")}):
        restore_link(found, host)
    ended = sorted({host for host, what in of_hosts if what in ("kill", "restart", "repair")})
    for host in ended:
        restart_host(found.name, host, lambda _: None)
    site = load_site(topology)
    with ssh(site.topology) as hosts:
        again = [
            f"{one.name}@{host}" for one in site.services.values() for host in one.hosts if host in ended
        ]
        again += [
            fault.service for fault in done if fault.service and fault.what in ("kill", "stop", "restart")
        ]
        for name in dict.fromkeys(again):
            restarted(hosts, part(site, name))
        for name in dict.fromkeys(fault.service for fault in done if fault.service and "drain" in fault.what):
            drain_now(site, hosts, part(site, name).service)


def refuse_without_hosts(faults: Sequence[Fault]) -> None:
    """LoadstoneError `fault` when there are any, and no topology."""
    if faults:
        message = "the scenario has faults, and no hosts that they could be done to"
        raise LoadstoneError("fault", message, hint="name the topology that is up with --topology")


def _on_lab(lab: str) -> Act:
    """Carries faults out on the hosts of a lab."""
    from loadstone.lab import kill_host, repair_host, restart_host, set_link

    def act(fault: Fault) -> str:
        host = fault.host or ""
        match fault.what:
            case "kill":
                kill_host(lab, host)
                return "killed"
            case "restart":
                restart_host(lab, host, lambda _: None)
                return "restarted"
            case "repair":
                repair_host(lab, host)
                return "repaired"
            case "cut" | "mend":
                set_link(lab, host, {}, cut=fault.what == "cut")
                return "cut off" if fault.what == "cut" else "reachable again"
            case "link":
                return f"behind another link ({set_link(lab, host, fault.shape).link})"
        raise AssertionError(fault.what)

    return act


class _OnServices:
    """Carries faults out on the services of a topology, which it knows as earlier ones have left them."""

    def __init__(self, topology: Path, faults: Sequence[Fault]) -> None:
        """LoadstoneError `fault` when one of `faults`, in the order of their times, cannot be."""
        from loadstone.deploy import drained, load_site, part

        if not faults:
            return
        self._site = site = load_site(topology)
        for fault in faults:
            try:
                meant = part(site, fault.service or "")
                if fault.what in ("drain", "undrain"):
                    site = drained(site, meant, fault.what == "drain")
            except ScenarioError:
                raise
            except LoadstoneError as error:
                message = f"the fault at {fault.at_s:g} s: {error.message}"
                raise LoadstoneError("fault", message, hint=error.hint) from error

    def __call__(self, fault: Fault) -> str:
        """What has become of the service."""
        from loadstone.deploy import drain_now, drained, halt, part, restarted
        from loadstone.ssh import ssh

        meant = part(self._site, fault.service or "")
        with ssh(self._site.topology) as hosts:
            match fault.what:
                case "kill" | "stop":
                    halt(hosts, meant, "kill" if fault.what == "kill" else "stop")
                    return "killed" if fault.what == "kill" else "stopped"
                case "restart":
                    restarted(hosts, meant)
                    return "restarted"
                case "drain" | "undrain":
                    wanted = drained(self._site, meant, fault.what == "drain")
                    drain_now(wanted, hosts, meant.service)
                    self._site = wanted
                    return "drained" if fault.what == "drain" else "served with new users again"
        raise AssertionError(fault.what)
