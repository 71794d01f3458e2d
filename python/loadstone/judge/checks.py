"""Whether a run's figures mean what they say: every check that a run must pass to be evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

About = Literal["generator", "service", "load"]

GENERATOR_BUSY = "generator-cpu"
"""Fails when the generator's own threads were the limit."""

STARTED_LATE = "late-starts"
"""Fails when the generator waited for a processor that something else held."""


@dataclass(frozen=True)
class Check:
    """One check. Invalid is a run that fails a required one."""

    name: str
    passed: bool
    measured: str
    expected: str
    hint: str
    """What to do when it failed."""
    about: About
    """Who is at fault when it fails: the load generator, the service, or the load as it was asked for."""
    required: bool = True

    def record(self) -> dict[str, Any]:
        """As `run.json` holds it; a hint only where there is something to do."""
        return {**asdict(self), "hint": "" if self.passed else self.hint}


def failed(checks: list[Mapping[str, Any]], about: About) -> list[str]:
    """Names of the required checks of `run.json` that failed for this reason."""
    return [c["name"] for c in checks if c["required"] and not c["passed"] and c["about"] == about]
