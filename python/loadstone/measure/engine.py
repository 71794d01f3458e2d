"""What the measuring stage needs of the load engine; the Rust seam has it, tests inject their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES
from loadstone.record.failures import EXAMPLE
from loadstone.scenario import hooks
from loadstone.scenario.secrets import Secrets

if TYPE_CHECKING:
    from loadstone import _core


class EngineRun(Protocol):
    """One run under way, in threads of its own."""

    def next(self, timeout_s: float) -> dict[str, Any] | None:
        """The next one-second window; None after `timeout_s` or at the end.

        Of a run on several hosts it also holds `agents`, the figures of each of them.
        """

    def stop(self) -> None:
        """Ends the run early; windows up to now are still delivered."""

    def summary(self) -> dict[str, Any] | None:
        """How it ended, once it has and all windows were taken."""

    def events(self) -> list[dict[str, Any]]:
        """What happened since this was asked last: `kind`, mostly a `note` for people, and what belongs to
        it."""


class Engine(Protocol):
    """Starts runs, and computes what a plan leads to expect."""

    def start(self, plan_json: str) -> EngineRun:
        """Starts a run. Error `plan-refused`."""

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        """Stationary `mix` and `pace_mean_s` by operation. Error `plan-refused`."""


def failures_told(summary: Mapping[str, Any]) -> list[str]:
    """The first failure of each operation and cause that a run's summary has, in the order of time.

    >>> one = {"operation": "Home", "of": "status", "at_s": 1.5, "said": "GET /: status 500, expected 200"}
    >>> failures_told({"examples": [one, one | {"of": "references_other_host"}]})
    ['Home: GET /: status 500, expected 200']
    """
    return [f"{one['operation']}: {one['said']}" for one in summary["examples"] if one["of"] in CAUSES]


class _LocalRun:
    """A run in threads of this process. Its events are the first examples of what fails."""

    def __init__(self, run: _core.Run, secrets: Secrets) -> None:
        self.next, self.stop, self.change = run.next, run.stop, run.change
        self._summary, self._examples, self._masked = run.summary, run.examples, secrets.masked
        self._told = set[tuple[str, str]]()

    def summary(self) -> dict[str, Any] | None:
        summary: dict[str, Any] | None = self._masked(self._summary())
        return summary

    def events(self) -> list[dict[str, Any]]:
        new = [one for one in self._examples() if (one["operation"], one["of"]) not in self._told]
        self._told |= {(one["operation"], one["of"]) for one in new}
        return [{"kind": EXAMPLE, **self._masked(one)} for one in new]


class RustEngine:
    """The engine behind the seam."""

    def start(self, plan_json: str) -> EngineRun:
        """Starts a run. Error `plan-refused`."""
        from loadstone import _core

        secrets, plan_json = revealed(plan_json)
        try:
            return _LocalRun(_core.Run(plan_json, functions=called(plan_json)), secrets)
        except ValueError as error:
            raise refused(error, secrets) from None

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        """Stationary `mix` and `pace_mean_s` by operation. Error `plan-refused`."""
        from loadstone import _core

        secrets, plan_json = revealed(plan_json)
        try:
            return _core.expectations(plan_json)
        except ValueError as error:
            raise refused(error, secrets) from None


def called(plan_json: str) -> list[Callable[..., object]]:
    """The functions that a plan calls, in its order. Error `hook`."""
    return hooks.functions(json.loads(plan_json)) if '"functions"' in plan_json else []


def revealed(plan_json: str) -> tuple[Secrets, str]:
    """The secrets of a plan, and the plan with them in it. Error `secret`."""
    if '"secrets"' not in plan_json:
        return Secrets({}), plan_json
    plan = json.loads(plan_json)
    secrets = Secrets(plan)
    return secrets, json.dumps(secrets.revealed(plan))


def refused(error: ValueError, secrets: Secrets) -> LoadstoneError:
    """The engine's refusal of a plan as an error."""
    return LoadstoneError("plan-refused", secrets.masked(f"the engine refuses the plan: {error}"))
