"""What a deployment would change, without changing it: actions, differences, and what would be lost."""

from __future__ import annotations

import difflib
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from loadstone.deploy.deploy import chosen
from loadstone.deploy.host.home import UNIT
from loadstone.deploy.outcome import Outcome, SiteError, Step, refusal
from loadstone.deploy.remote import Consent, ask, at_once
from loadstone.deploy.render import render, shown
from loadstone.deploy.site import Site
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh


@dataclass
class Planned(Step):
    """A step that would be done: `action` is what would come of it."""

    difference: str = ""
    """Unified diff from the configuration in use on the host to the one of the site."""
    missing: str = ""
    """Programs that would be installed."""
    secrets: str = ""
    """Files with secrets that would change."""
    loses: str = ""
    """What would be lost, where that is consented to."""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        own = {"difference": self.difference, "missing": self.missing, "secrets": self.secrets}
        return super().as_json() | own | {"loses": self.loses}


def planned(site: Site, ssh: Ssh, only: Collection[str] | None = None, consent: Consent = "keep") -> Outcome:
    """What `deploy` would do to services (all, or `only` those); nothing is written anywhere.

    SiteError as `deploy`, of what can be known before: `service-owned`, `data-loss`, hosts that are not
    reached. LoadstoneError `service-name`.
    """
    started = time.monotonic()
    places = site.places(ssh)
    pairs = [(one, host) for one in chosen(site, only) for host in one.hosts]

    def look(pair: tuple[Any, str]) -> Planned:
        one, host = pair
        step = Planned(one.name, host)
        wanted = render(one, places[host])
        try:
            found = ask(ssh, host, "plan", one.name, wanted)
        except LoadstoneError as error:
            step.error = error
            return step
        step.difference = compared(found["files"], shown(wanted))
        step.secrets = ", ".join(found["secrets"])
        step.missing = ", ".join(found["missing"])
        step.changed = found["action"] != "unchanged"
        if loses := found.get("loses"):
            step.owner = found["owner"] if loses["refused"] == "service-owned" else ""
            step.loses = loses["message"]
            if consent == "keep":
                step.error = refusal(loses, one.name, host)
                return step
        step.action = found["action"]
        return step

    outcome = Outcome(list(at_once(look, pairs)), time.monotonic() - started)
    if outcome.failed:
        raise SiteError(outcome)
    return outcome


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Unified diff of two configurations, `unit.json` last."""
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys(), key=lambda name: (name == UNIT, name)):
        old, new = (one.get(name, "").splitlines(keepends=True) for one in (before, after))
        lines += difflib.unified_diff(old, new, f"used/{name}", f"wanted/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
