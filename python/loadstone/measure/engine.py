"""What the measuring stage needs of the load engine; the Rust seam has it, tests inject their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES
from loadstone.record.failures import EXAMPLE

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

    def __init__(self, run: _core.Run) -> None:
        self.next, self.stop, self.summary, self.change = run.next, run.stop, run.summary, run.change
        self._examples = run.examples
        self._told = set[tuple[str, str]]()

    def events(self) -> list[dict[str, Any]]:
        new = [one for one in self._examples() if (one["operation"], one["of"]) not in self._told]
        self._told |= {(one["operation"], one["of"]) for one in new}
        return [{"kind": EXAMPLE, **one} for one in new]


class RustEngine:
    """The engine behind the seam."""

    def start(self, plan_json: str) -> EngineRun:
        """Starts a run. Error `plan-refused`."""
        from loadstone import _core

        try:
            return _LocalRun(_core.Run(plan_json))
        except ValueError as error:
            raise _refused(error) from error

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        """Stationary `mix` and `pace_mean_s` by operation. Error `plan-refused`."""
        from loadstone import _core

        try:
            return _core.expectations(plan_json)
        except ValueError as error:
            raise _refused(error) from error


def _refused(error: ValueError) -> LoadstoneError:
    return LoadstoneError("plan-refused", f"the engine refuses the plan: {error}")
