"""Data that runs have changed, brought back to what Loadstone loaded: of a service and those behind it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loadstone.deploy.remote import ask, at_once
from loadstone.deploy.role import Service
from loadstone.deploy.site import Site, references
from loadstone.ssh import Ssh


@dataclass(frozen=True)
class Worn:
    """A service whose data, or what it remembers of them, are no longer as loaded."""

    service: Service
    hosts: tuple[str, ...]
    data: bool
    """Whether it has the data; else it only remembers them, and is started anew."""

    @property
    def words(self) -> str:
        """What is going to be done, for people."""
        where = ", ".join(self.hosts)
        what = (
            "data are made as Loadstone loaded them" if self.data else "is restarted, it remembers old data"
        )
        return f"reset: `{self.service.name}` on {where}: {what}"


def worn(site: Site, ssh: Ssh, service: str) -> list[Worn]:
    """What a reset before a run against `service` must do; from now on a run uses these data.

    Nothing when no run has used them since they were loaded. What Loadstone has not loaded is never among
    them. LoadstoneError `service-missing`, or as `Ssh.run`.
    """
    services = behind(site, service)
    pairs = [(one.name, host) for one in services for host in one.hosts]
    answers = dict(zip(pairs, at_once(lambda pair: ask(ssh, pair[1], "use", pair[0]), pairs), strict=True))
    if not any(answer["used"] and answer["resets"] == "data" for answer in answers.values()):
        return []
    found = []
    for one in services:
        kinds = {
            host: answers[one.name, host]["resets"] for host in one.hosts if answers[one.name, host]["resets"]
        }
        if kinds:
            found.append(Worn(one, tuple(kinds), "data" in kinds.values()))
    return found


def reset(site: Site, ssh: Ssh, one: Worn) -> list[dict[str, Any]]:
    """Does it on all hosts of a service; by host `action` (copied, loaded, restarted) and `took_s`.

    LoadstoneError `service-failed`, `service-owned`, or as `Ssh.run`.
    """

    def work(host: str) -> dict[str, Any]:
        began = time.monotonic()
        answer = ask(ssh, host, "reset", one.service.name)
        took_s = round(time.monotonic() - began, 3)
        return {"service": one.service.name, "host": host, "action": answer["action"], "took_s": took_s}

    each: Callable[..., Any] = map if one.service.kind.one_by_one(one.service) else at_once
    return list(each(work, one.hosts))


def behind(site: Site, service: str) -> list[Service]:
    """The service and those that it needs, directly or not, each after those it needs itself."""
    wanted, left = set[str](), [service]
    while left:
        name = left.pop()
        if name not in wanted:
            wanted.add(name)
            left += references(site.service(name)).values()
    return [one for one in site.services.values() if one.name in wanted]
