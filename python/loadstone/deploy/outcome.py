"""What came of a deployment: a step for each service and host, and errors that name both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadstone.errors import LoadstoneError

HINTS = {
    "config-refused": "the service goes on with its configuration before",
    "data-loss": "`--replace-data` makes new data and keeps these on the host; `--no-backup` drops them",
    "helper-killed": "is the host short of memory?",
    "program-missing": "install it on the host",
    "service-unreachable": "does a firewall, on that host or between, let it through?",
    "service-missing": "loadstone deploy brings it there",
    "service-owned": (
        "give yours another `name`, undeploy the other, or take it over with `--replace-data`;"
        " if it is yours, from another checkout: `owner` in the topology keeps it as it is"
    ),
}


@dataclass
class Step:
    """One service on one host."""

    service: str
    host: str
    action: str = ""
    """started, restarted, reloaded, applied, unchanged, removed, absent, left (another topology's); empty
    when it failed."""
    changed: bool = False
    error: LoadstoneError | None = None
    backups: list[str] = field(default_factory=list)
    """Folders on the host with data that gave way to new ones."""
    owner: str = ""
    """The topology that it was left to."""

    def take(self, answer: Mapping[str, Any]) -> None:
        """What `host/control.py` did."""
        self.action = answer["action"]
        self.changed |= answer["changed"]
        self.backups, self.owner = answer.get("backups", []), answer.get("owner", "")

    @property
    def words(self) -> str:
        """What was done, for people."""
        kept = "".join(f"; data from before are in {folder}" for folder in self.backups)
        return f"{self.action}, it belongs to `{self.owner}`" if self.owner else f"{self.action}{kept}"

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        error = {"slug": self.error.slug, "message": str(self.error)} if self.error else None
        return {
            "service": self.service, "host": self.host, "action": self.action, "changed": self.changed,
            "error": error, "backups": self.backups, "owner": self.owner,
        }  # fmt: skip


@dataclass
class Outcome:
    """All steps, in the order of the site."""

    steps: list[Step] = field(default_factory=list)
    took_s: float = 0.0

    @property
    def changed(self) -> int:
        """How many steps changed something."""
        return sum(step.changed for step in self.steps)

    @property
    def failed(self) -> list[Step]:
        """Steps that did not succeed."""
        return [step for step in self.steps if step.error]

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "took_s": round(self.took_s, 3),
            "changed": self.changed,
            "failed": len(self.failed),
            "steps": [step.as_json() for step in self.steps],
        }


class SiteError(LoadstoneError):
    """Steps that failed, while the others were done; `outcome` has both."""

    def __init__(self, outcome: Outcome) -> None:
        """At least one failed step."""
        errors = list(dict.fromkeys(str(step.error) for step in outcome.failed))
        Exception.__init__(self, "\n".join(errors))
        slugs = [step.error for step in outcome.failed if step.error]
        self.slug = slugs[0].slug
        self.slugs = [error.slug for error in slugs]
        self.exit_code = max(error.exit_code for error in slugs)
        self.outcome = outcome


def without_traces(words: str) -> str:
    """What a program says, but of each Python traceback only its last line, the reason."""
    kept, within = [], False
    for line in words.splitlines():
        if line.lstrip().startswith("Traceback (most recent call last)"):
            within = True
        elif not within or not line.startswith(" "):
            within = within and not line.strip()
            kept.append(line)
    return "\n".join(kept)


def refusal(answer: Mapping[str, Any], service: str, host: str) -> LoadstoneError:
    """What `host/control.py` refused, with the last lines of the log it sent."""
    return _error(answer["refused"], answer["message"], service, host, answer.get("log", ()))


def host_error(slug: str, message: str, service: str, host: str) -> LoadstoneError:
    """A failure that is the host's."""
    return _error(slug, message, service, host, ())


def _error(slug: str, message: str, service: str, host: str, log: Sequence[str]) -> LoadstoneError:
    lines = "".join(f"\n  | {line}" for line in log)
    return LoadstoneError(slug, f"`{service}` on `{host}`: {message}{lines}", hint=HINTS.get(slug))
