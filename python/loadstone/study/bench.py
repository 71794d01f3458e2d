"""A bench on hosts: a site that is up and deployed, set as a study wants it, and agents that make load."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from loadstone.deploy import Service, Site, ask, configure, deploy, rendered, undeploy
from loadstone.errors import LoadstoneError
from loadstone.lab import Folder, QuotaError, down, limit_host, up
from loadstone.measure import Engine
from loadstone.ssh import Ssh, ssh
from loadstone.study.offered import Target

Say = Callable[[str], None]


@contextlib.contextmanager
def bench(site: Site, say: Say, stands_for: Mapping[str, str] | None = None) -> Iterator[Bench]:
    """Brings the lab and its services up, and down again whatever happens. A lab that was up before stays up.

    Errors as `lab up`, `loadstone.deploy.deploy`, and `fleet`.
    """
    from loadstone.measure.agents import fleet

    with ExitStack() as stack:
        started = time.monotonic()
        own = Folder(site.topology.name).read() is None
        up(site.topology, lambda step: say(f"lab: {step}"))
        if own:
            stack.callback(down, site.topology.name)
        hosts = stack.enter_context(ssh(site.topology))
        if not own or site.topology.machines:
            # What goes on without us is left as it was met.
            stack.callback(undeploy, site, hosts, lambda _: None)
        with at_ease(site):
            deploy(site, hosts, say)
        engines: dict[int, Engine] = {}
        clients = [host.name for host in site.topology.file.host if host.kind == "client"]

        def fleets(count: int) -> Engine:
            if count not in engines:
                engines[count] = stack.enter_context(fleet(hosts, clients[:count]))
            return engines[count]

        say(f"up after {time.monotonic() - started:.0f} s: {len(site.services)} services")
        yield Bench(site, hosts, fleets, stands_for or {})


@dataclass
class Bench:
    """A site that is up and deployed."""

    site: Site
    """As the topology says."""
    ssh: Ssh
    fleets: Callable[[int], Engine]
    """The agents on this number of clients, as one engine."""
    stands_for: Mapping[str, str] = field(default_factory=dict)
    """Names that a study has for services which have another one in the topology."""
    _now: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings that a service has besides those of the topology."""
    _pids: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    @property
    def clients(self) -> list[str]:
        """Hosts that load comes from."""
        return [host.name for host in self.site.topology.file.host if host.kind == "client"]

    def host(self, service: str) -> str:
        """The first host of a service."""
        return self._named(service).hosts[0]

    def servers(self, service: str) -> tuple[str, ...]:
        """All hosts of a service."""
        return self.site.service(service).hosts

    def target(self, service: str) -> Target:
        """Where to send requests for a service: to its first host."""
        return Target(self.ssh.address(self.host(service)), self._named(service).port)

    def endpoints(self, service: str) -> dict[tuple[str, int], str]:
        """Hosts of a service by address and port."""
        port = self.site.service(service).port
        return {(self.ssh.address(host), port): host for host in self.servers(service)}

    def set(self, service: str, **settings: Any) -> None:
        """Brings a service to the settings of the topology with these changes, where it is not there yet.
        What stands for another service has no settings of its own.

        Errors as `loadstone.deploy.configure`.
        """
        if service in self.stands_for or self._now.get(service, {}) == settings:
            return
        configure(with_settings(self.site, service, settings), self.ssh, service)
        self._now[service] = settings
        self._pids.pop((service, self.host(service)), None)

    def reset(self) -> None:
        """Brings every service back to the settings of the topology. Errors as `set`."""
        for service in list(self._now):
            self.set(service)

    def pids(self, service: str, host: str | None = None) -> list[int]:
        """Processes of a service on its first or on that host; [] for what has none (the kernel balances)."""
        name = self.stands_for.get(service, service)
        where = host or self.host(name)
        if (name, where) not in self._pids:
            wanted = rendered(self.site.service(name), self.site.places(self.ssh)[where])
            self._pids[name, where] = ask(self.ssh, where, "status", name, wanted)["pids"]
        return self._pids[name, where]

    def restart(self, service: str, host: str) -> None:
        """Starts a service on one host again; returns when it is ready. Errors as `deploy.restart`."""
        ask(self.ssh, host, "restart", service)
        self._pids.pop((service, host), None)

    @contextlib.contextmanager
    def limited(self, hosts: tuple[str, ...], cpus: float) -> Iterator[None]:
        """Gives hosts of the lab a quota of processors for a while."""
        with _limited(self.site, hosts, cpus):
            yield

    def _named(self, service: str) -> Service:
        return self.site.service(self.stands_for.get(service, service))


def with_settings(site: Site, service: str, settings: Mapping[str, Any]) -> Site:
    """The site with one service changed. ScenarioError when its program cannot do that."""
    return site.with_settings(service, **settings) if settings else site


@contextlib.contextmanager
def at_ease(site: Site) -> Iterator[None]:
    """Hosts of the lab that have a quota do as if they had none: for what is not measured, such as filling a
    database or starting a server. Errors as `Bench.limited`.
    """
    hosts = tuple(host.name for host in site.topology.file.host if host.cpus and not host.real)
    with _limited(site, hosts, os.cpu_count() or 1):
        yield


@contextlib.contextmanager
def _limited(site: Site, hosts: tuple[str, ...], cpus: float) -> Iterator[None]:
    lab = site.topology.name
    before = {host.name: host.cpus for host in site.topology.file.host if host.name in hosts}
    try:
        for host in hosts:
            limit_host(lab, host, cpus, None)
        yield
    except QuotaError as error:
        raise LoadstoneError("study-quota", f"no quota of processors on this machine: {error}") from error
    finally:
        for host, quota in before.items():
            with contextlib.suppress(QuotaError):
                limit_host(lab, host, quota, None)
