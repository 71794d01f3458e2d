"""Services that are deployed: configured, restarted, asked, removed; each host in one step over open ssh."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

from loadstone.deploy.bring import bring
from loadstone.deploy.certificates import forget_certificates
from loadstone.deploy.deploy import Say, chosen
from loadstone.deploy.outcome import Outcome, SiteError, Step
from loadstone.deploy.reach import reach
from loadstone.deploy.remote import Consent, ask, at_once
from loadstone.deploy.render import render
from loadstone.deploy.role import Service
from loadstone.deploy.secrets import forget
from loadstone.deploy.site import Site
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

_AWAY = ("removed", "absent", "left")
"""Actions after which there is nothing to reach."""


@dataclass(frozen=True)
class Change:
    """What a new configuration did."""

    changed: bool
    took_s: float


@dataclass(frozen=True)
class State:
    """A service on a host as it is."""

    service: str
    host: str
    role: str
    state: str
    """running, silent (lives, does not answer), behind (a replica that has not caught up), failed (should
    run, does not), absent, foreign (another topology's), unreachable."""
    address: str
    port: int
    pids: list[int]
    version: str
    digest: str
    """Of the configuration in use."""
    wanted: bool
    """Whether that is the configuration that the site asks for."""
    why: str = ""
    """Why it is in that state, where that is known."""
    lag_s: float | None = None
    """How far a replica is behind its primary, seconds; None of others, and where that is not known."""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


def configure(site: Site, ssh: Ssh, service: str, consent: Consent = "keep") -> Change:
    """Gives a deployed service the configuration of the site, on all its hosts at once; nothing changes when
    it has it already. Returns when the new configuration serves.

    SiteError with `data-loss` without `consent`, `service-owned`, `config-refused` (the old one goes on),
    `service-failed` (the old one was put back), `service-missing`, `host-write` or as `Ssh.run`;
    LoadstoneError `service-name`.
    """
    outcome = reconfigure(site, ssh, lambda _: None, [service], consent)
    return Change(outcome.changed > 0, outcome.took_s)


def reconfigure(
    site: Site, ssh: Ssh, say: Say, only: Collection[str] | None = None, consent: Consent = "keep"
) -> Outcome:
    """`configure` for several services (all, or `only` those), in the order of the site."""
    places = site.places(ssh)

    def work(service: str, host: str) -> dict[str, Any]:
        one = site.services[service]
        bring(one, places[host], ssh, say, consent, deployed=True)
        return ask(ssh, host, "configure", service, render(one, places[host]), consent)

    return _on_all(site, ssh, chosen(site, only), work, say)


def restart(site: Site, ssh: Ssh, say: Say, only: Collection[str] | None = None) -> Outcome:
    """Ends and starts services as they are configured on their hosts. Errors as `configure`."""
    return _on_all(site, ssh, chosen(site, only), lambda name, host: ask(ssh, host, "restart", name), say)


def undeploy(site: Site, ssh: Ssh, say: Say, only: Collection[str] | None = None) -> Outcome:
    """Ends services and removes all that is theirs on their hosts; packages stay, and what is another
    topology's. Errors as `Ssh.run`.
    """
    services = list(reversed(chosen(site, only)))
    outcome = _on_all(site, ssh, services, lambda name, host: ask(ssh, host, "remove", name), say)
    for one in services:
        if all(step.action in ("removed", "absent") for step in outcome.steps if step.service == one.name):
            forget(site.topology.name, site.topology.path.parent, one.name)
            forget_certificates(site.topology.name, site.topology.path.parent, one.name)
    return outcome


def status(site: Site, ssh: Ssh) -> list[State]:
    """Every service on every host as it is now; `unreachable` where the host does not let us see."""
    places = site.places(ssh)
    wanted = [(one, host) for one in site.services.values() for host in one.hosts]

    def state(pair: tuple[Service, str]) -> State:
        one, host = pair
        known = (one.name, host, one.role)
        try:
            found = ask(ssh, host, "status", one.name, render(one, places[host]))
        except LoadstoneError as error:
            address = places[host].addresses[host]
            return State(*known, "unreachable", address, one.port, [], "", "", False, error.message)
        return State(
            *known, found["state"], places[host].addresses[host], one.port, found["pids"],
            found["version"], found.get("digest", ""), found.get("wanted", False), found.get("why", ""),
            found.get("lag_s"),
        )  # fmt: skip

    return at_once(state, wanted)


def _on_all(
    site: Site, ssh: Ssh, services: list[Service], work_of: Callable[[str, str], dict[str, Any]], say: Say
) -> Outcome:
    """Each service in turn, on all its hosts at once; what fails does not keep the others from being done."""
    started = time.monotonic()
    steps = []
    for one in services:

        def work(host: str, one: Service = one) -> Step:
            try:
                answer = work_of(one.name, host)
            except LoadstoneError as error:
                say(f"{host} {one.name}: {error.slug}")
                return Step(one.name, host, error=error)
            step = Step(one.name, host)
            step.take(answer)
            say(f"{host} {one.name}: {step.words}")
            return step

        if one.kind.one_by_one(one):
            steps += [work(host) for host in one.hosts]
        else:
            steps += at_once(work, one.hosts)
    reach(site, ssh, [step for step in steps if step.changed and step.action not in _AWAY])
    outcome = Outcome(steps, time.monotonic() - started)
    if outcome.failed:
        raise SiteError(outcome)
    return outcome
