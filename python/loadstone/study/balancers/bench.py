"""The site under study: its balancers and servers, what they are set to, and how they are brought to it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadstone.deploy import Site, ask, configure, deploy, load_site, rendered, undeploy
from loadstone.drive import Engine
from loadstone.errors import LoadstoneError
from loadstone.lab import Folder, QuotaError, down, limit_host, up
from loadstone.reach import Reach, reach
from loadstone.study.balancers.offered import Target

Say = Callable[[str], None]

DIRECT = "none"
"""The variant without a balancer: requests go to the first server itself."""

SERVERS, UNEVEN, SMALL, SITE = "web", "uneven", "small", "olio"
"""Services of the topology by their part in the study; all but the first may be missing."""


@dataclass
class Bench:
    """A site that is up and deployed."""

    site: Site
    """As the topology says."""
    reach: Reach
    fleets: Callable[[int], Engine]
    """The agents on so many clients, as one engine."""
    _now: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings that a balancer has besides those of the topology."""
    _pids: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    @property
    def clients(self) -> list[str]:
        """Hosts that load comes from."""
        return [host.name for host in self.site.topology.file.host if host.kind == "client"]

    @property
    def balancers(self) -> list[str]:
        """Services that balance."""
        return balancers_of(self.site)

    def host(self, service: str) -> str:
        """The host of a balancer; the first server for `DIRECT`."""
        return self.site.service(SERVERS if service == DIRECT else service).hosts[0]

    def servers(self, service: str = SERVERS) -> tuple[str, ...]:
        """Hosts of a group of servers."""
        return self.site.service(service).hosts

    def target(self, service: str) -> Target:
        """Where to send requests for a balancer, or for `DIRECT`."""
        port = self.site.service(SERVERS if service == DIRECT else service).port
        return Target(self.reach.address(self.host(service)), port)

    def endpoints(self, service: str = SERVERS) -> dict[tuple[str, int], str]:
        """Hosts of a group of servers by address and port."""
        port = self.site.service(service).port
        return {(self.reach.address(host), port): host for host in self.servers(service)}

    def set(self, balancer: str, **settings: Any) -> None:
        """Brings a balancer to the settings of the topology with these changes, where it is not there yet.

        Errors as `loadstone.deploy.configure`.
        """
        if balancer == DIRECT or self._now.get(balancer, {}) == settings:
            return
        configure(with_settings(self.site, balancer, settings), self.reach, balancer)
        self._now[balancer] = settings
        self._pids.pop((balancer, self.host(balancer)), None)

    def reset(self) -> None:
        """Brings every balancer back to the settings of the topology. Errors as `set`."""
        for balancer in list(self._now):
            self.set(balancer)

    def pids(self, service: str, host: str | None = None) -> list[int]:
        """Processes of a service on its first or on that host; [] for what has none (the kernel balances)."""
        name = SERVERS if service == DIRECT else service
        where = host or self.host(name)
        if (name, where) not in self._pids:
            wanted = rendered(self.site.service(name), self.site.places(self.reach)[where])
            self._pids[name, where] = ask(self.reach, where, "status", name, wanted)["pids"]
        return self._pids[name, where]

    def restart(self, service: str, host: str) -> None:
        """Starts a service on one host again; returns when it is ready. Errors as `deploy.restart`."""
        ask(self.reach, host, "restart", service)
        self._pids.pop((service, host), None)

    @contextlib.contextmanager
    def limited(self, hosts: tuple[str, ...], cpus: float) -> Iterator[None]:
        """Gives hosts of the lab a quota of processors for a while."""
        lab = self.site.topology.name
        before = {host.name: host.cpus for host in self.site.topology.file.host if host.name in hosts}
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


def balancers_of(site: Site) -> list[str]:
    """Services that balance over the servers, in the order of the site."""
    return [name for name, one in site.services.items() if getattr(one.settings, "backends", "") == SERVERS]


def front_of(site: Site, service: str) -> str:
    """The first service that balances over another. KeyError without one."""
    for name, one in site.services.items():
        if getattr(one.settings, "backends", None) == service:
            return name
    raise KeyError(service)


def with_settings(site: Site, balancer: str, settings: Mapping[str, Any]) -> Site:
    """The site with one balancer changed. ScenarioError when its program cannot do that."""
    return site.with_settings(balancer, **settings) if settings else site


def can(site: Site, balancer: str, **settings: Any) -> bool:
    """Whether the balancer's program offers these settings."""
    try:
        with_settings(site, balancer, settings)
    except LoadstoneError:
        return False
    return True


def load_bench_site(path: Path) -> Site:
    """The site of a topology, with what the study needs of it.

    Errors as `load_site`; LoadstoneError `study-site`.
    """
    site = load_site(path)
    if SERVERS not in site.services:
        hint = f'add a [[service]] with name = "{SERVERS}"'
        raise LoadstoneError("study-site", f"`{path}` has no servers", hint=hint)
    if not balancers_of(site):
        hint = f'add a balancer with backends = "{SERVERS}"'
        raise LoadstoneError("study-site", f"`{path}` has no service with `backends`", hint=hint)
    if not any(host.kind == "client" for host in site.topology.file.host):
        raise LoadstoneError("study-site", f"`{path}` has no host to make load from", hint='kind = "client"')
    return site


@contextlib.contextmanager
def bench(site: Site, say: Say) -> Iterator[Bench]:
    """Brings the lab and its services up, and down again whatever happens. A lab that was up before stays up.

    Errors as `lab up`, `loadstone.deploy.deploy`, and `fleet`.
    """
    from loadstone.drive.agents import fleet

    with ExitStack() as stack:
        started = time.monotonic()
        own = Folder(site.topology.name).read() is None
        up(site.topology, lambda step: say(f"lab: {step}"))
        if own:
            stack.callback(down, site.topology.name)
        hosts = stack.enter_context(reach(site.topology))
        if not own or site.topology.machines:
            # What goes on without us is left as it was met.
            stack.callback(undeploy, site, hosts, lambda _: None)
        deploy(site, hosts, say)
        engines: dict[int, Engine] = {}
        clients = [host.name for host in site.topology.file.host if host.kind == "client"]

        def fleets(count: int) -> Engine:
            if count not in engines:
                engines[count] = stack.enter_context(fleet(hosts, clients[:count]))
            return engines[count]

        say(f"up after {time.monotonic() - started:.0f} s: {len(site.services)} services")
        yield Bench(site, hosts, fleets)
