"""What faults do to deployed services: ended, restarted, or taken out of what their balancers serve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loadstone.deploy.operate import configure
from loadstone.deploy.remote import ask, at_once
from loadstone.deploy.role import Service
from loadstone.deploy.site import Site
from loadstone.errors import LoadstoneError
from loadstone.scenario.findings import listed, suggest
from loadstone.ssh import Ssh


@dataclass(frozen=True)
class Part:
    """A service, or those of its back ends that are meant."""

    service: Service
    hosts: tuple[str, ...]


def part(site: Site, name: str) -> Part:
    """What `NAME` or `NAME@HOST` means. LoadstoneError `service-name`, `service-host`."""
    known, _, host = name.partition("@")
    service = site.service(known)
    if host and host not in service.hosts:
        hint = suggest(host, service.hosts, f"it runs on {listed(service.hosts)}")
        raise LoadstoneError("service-host", f"`{known}` does not run on `{host}`", hint=hint)
    return Part(service, (host,) if host else service.hosts)


def halt(ssh: Ssh, ended: Part, how: Literal["kill", "stop"]) -> None:
    """Ends it on its hosts, all at once: `kill` as `kill -9` does, `stop` as it is asked to end.

    LoadstoneError `service-failed` when it does not run, and as `ask`.
    """
    at_once(lambda host: ask(ssh, host, "halt", ended.service.name, how), ended.hosts)


def restarted(ssh: Ssh, again: Part) -> None:
    """Ends it on its hosts, if it runs, and starts it. Errors as `ask`."""
    at_once(lambda host: ask(ssh, host, "restart", again.service.name), again.hosts)


def drained(site: Site, away: Part, drain: bool) -> Site:
    """The site whose balancers send no new users to these back ends, or send them again.

    LoadstoneError `service-setting` when no balancer is before it, or when it would have nobody left.
    """
    before = _balancers(site, away.service)
    if not before:
        message = f"no balancer sends users to `{away.service.name}`"
        raise LoadstoneError("service-setting", message, hint="only what is behind a balancer is drained")
    for name in before:
        asked = set(site.service(name).settings.drain)
        wanted = asked | set(away.hosts) if drain else asked - set(away.hosts)
        if wanted >= set(away.service.hosts):
            message = f"all hosts of `{away.service.name}` would be drained: no new user would be served"
            hint = f"name one of them, as in `{away.service.name}@{away.service.hosts[0]}`"
            raise LoadstoneError("service-setting", message, hint=hint)
        site = site.with_settings(name, drain=sorted(wanted))
    return site


def drain_now(site: Site, ssh: Ssh, service: Service) -> None:
    """Has the balancers before the service do as the site says. Errors as `configure`."""
    for name in _balancers(site, service):
        configure(site, ssh, name)


def _balancers(site: Site, service: Service) -> Sequence[str]:
    return [
        name for name, one in site.services.items() if getattr(one.settings, "backends", None) == service.name
    ]
