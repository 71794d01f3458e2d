"""What the drive stage needs of the load engine; the Rust seam has it, tests inject their own."""

from __future__ import annotations

from typing import Any, Protocol

from loadstone.errors import LoadstoneError


class EngineRun(Protocol):
    """One run under way, in threads of its own."""

    def next(self, timeout_s: float) -> dict[str, Any] | None:
        """The next one-second window; None after `timeout_s` or at the end."""

    def stop(self) -> None:
        """Ends the run early; windows up to now are still delivered."""

    def summary(self) -> dict[str, Any] | None:
        """How it ended, once it has and all windows were taken."""


class Engine(Protocol):
    """Starts runs and knows what a plan leads to expect."""

    def start(self, plan_json: str) -> EngineRun:
        """Starts a run. Error `plan-refused`."""

    def expectations(self, plan_json: str) -> dict[str, dict[str, float]]:
        """Stationary `mix` and `pace_mean_s` by operation. Error `plan-refused`."""


class RustEngine:
    """The engine behind the seam."""

    def start(self, plan_json: str) -> EngineRun:
        """Starts a run. Error `plan-refused`."""
        from loadstone import _core

        try:
            return _core.Run(plan_json)
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
