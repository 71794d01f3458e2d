"""Bringing services to their hosts: what is there already stays, what fails stays alone.

Each host is asked what of it is as the site says, which is left out. Where a package is to be installed or
a role has tasks of its own, Ansible does the rest; where not, the same files go over the open connections,
which is much quicker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from loadstone.deploy.bring import bring
from loadstone.deploy.outcome import Outcome, SiteError, Step, host_error, refusal, without_traces
from loadstone.deploy.playbook import events
from loadstone.deploy.reach import reach
from loadstone.deploy.remote import Consent, ask, at_once
from loadstone.deploy.render import render
from loadstone.deploy.role import Place, Service
from loadstone.deploy.site import Site
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

Say = Callable[[str], None]

_LAST_TASK = "service"
"""Of `roles/service`: with it a service is up."""
_NO_SPACE = ("no space left on device", "disk quota exceeded")


def deploy(
    site: Site, ssh: Ssh, say: Say, only: Collection[str] | None = None, consent: Consent = "keep"
) -> Outcome:
    """Brings services (all, or `only` those) up as the site says; a second time it changes nothing. What is
    another topology's, and data that would be lost, give way only with `consent`.

    SiteError, after all other steps were done, with `service-owned`, `data-loss` (no consent),
    `host-unreachable`, `host-refused`, `host-write`, `config-refused`, `program-missing`, `service-failed`,
    `service-unreachable`, `task-failed`. LoadstoneError `ansible-missing`, `ansible-failed`, `service-name`.
    """
    started = time.monotonic()
    services = chosen(site, only)
    places = site.places(ssh)
    steps = {(one.name, host): Step(one.name, host) for one in services for host in one.hosts}
    broken = ssh.check([host for _, host in steps])
    for (_, host), step in steps.items():
        step.error = broken.get(host)
    for host, error in broken.items():
        say(f"{host}: {error.slug}")
    asked = [(one, host) for one in services for host in one.hosts if host not in broken]
    plans = at_once(lambda pair: _plan(*pair, places, ssh), asked)
    left = [pair for pair, found in zip(asked, plans, strict=True) if not _settled(found)]
    by_ansible = any(
        one.kind.tasks or (found.get("missing") and one.kind.packages)
        for (one, host), found in zip(asked, plans, strict=True)
        if (one, host) in left
    )
    for one, host in asked:
        if (one, host) not in left:
            steps[one.name, host].take({"action": "unchanged", "changed": False})
            say(f"{host} {one.name}: unchanged")

    def brought(pair: tuple[Service, str]) -> None:
        one, host = pair
        try:
            bring(one, places[host], ssh, say, consent)
        except LoadstoneError as error:
            steps[one.name, host].error = error
            say(f"{host} {one.name}: {error.slug}")

    at_once(brought, [(one, host) for one, host in left if one.content])
    hosts = {
        one.name: [host for host in one.hosts if (one, host) in left and not steps[one.name, host].error]
        for one in services
    }
    if by_ansible:
        for event in events(services, hosts, places, ssh, consent):
            _take(steps[event["service"], event["host"]], event, say)
    else:
        for one in services:
            _place(one, [steps[one.name, host] for host in hosts[one.name]], places, ssh, say, consent)
    _complete(steps.values())
    reach(site, ssh, list(steps.values()))
    outcome = Outcome(list(steps.values()), time.monotonic() - started)
    if outcome.failed:
        raise SiteError(outcome)
    return outcome


def chosen(site: Site, only: Collection[str] | None) -> list[Service]:
    """Services in the order of the site. LoadstoneError `service-name`."""
    wanted = [site.service(name) for name in only] if only else list(site.services.values())
    return [service for service in site.services.values() if service in wanted]


def _plan(one: Service, host: str, places: Mapping[str, Place], ssh: Ssh) -> Mapping[str, Any]:
    """What the host says that it would do; nothing where it cannot tell."""
    try:
        return ask(ssh, host, "plan", one.name, render(one, places[host]))
    except LoadstoneError:
        return {}


def _settled(found: Mapping[str, Any]) -> bool:
    """Whether the service is there, runs, and is as the site says."""
    return found.get("action") == "unchanged" and not found["missing"] and "loses" not in found


def _place(
    one: Service, steps: Sequence[Step], places: Mapping[str, Place], ssh: Ssh, say: Say, consent: Consent
) -> None:
    """Brings a service up over the open connections, on all its hosts at once where that may be."""

    def work(step: Step) -> None:
        try:
            step.take(ask(ssh, step.host, "place", one.name, render(one, places[step.host]), consent))
        except LoadstoneError as error:
            step.error = error
        say(f"{step.host} {one.name}: {step.error.slug if step.error else step.words}")

    if one.kind.one_by_one(one):
        for step in steps:
            work(step)
    else:
        at_once(work, steps)


def _take(step: Step, event: Mapping[str, Any], say: Say) -> None:
    """Notes what a task did, and tells it when it is news."""
    where, task = f"{step.host} {step.service}", event["task"]
    if event["outcome"] in ("failed", "unreachable"):
        step.error = failure(step, event)
        say(f"{where}: {task}: {step.error.slug}")
        return
    step.changed |= event["changed"]
    if task == _LAST_TASK and not event["own"]:
        step.take(event["answer"])
        say(f"{where}: {step.words}")
    elif event["changed"]:
        took = f", {event['took_s']:.1f} s" if event["took_s"] is not None else ""
        say(f"{where}: {task}{took}")


def failure(step: Step, event: Mapping[str, Any]) -> LoadstoneError:
    """Why a task failed, by its event: what `host/` refused, a disk without room, Ansible's own words."""
    if not event.get("own") and event["answer"] and "refused" in event["answer"]:
        return refusal(event["answer"], step.service, step.host)
    words = without_traces(event["message"] or "").strip() or "no reason given"
    if any(sign in words.lower() for sign in _NO_SPACE):
        slug = "host-write"
    else:
        slug = "host-unreachable" if event["outcome"] == "unreachable" else "task-failed"
    return host_error(slug, f"{event['task']}: {words[-600:]}", step.service, step.host)


def _complete(steps: Collection[Step]) -> None:
    """What neither succeeded nor failed was not done."""
    for step in steps:
        if not step.action and step.error is None:
            message = f"Ansible ended without a result for `{step.service}` on `{step.host}`"
            raise LoadstoneError("ansible-failed", message)
