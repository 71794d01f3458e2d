"""Whether a run's figures mean what they say: every check that a run must pass to be evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from loadstone.stages.run import Check

About = Literal["generator", "service", "load"]

GENERATOR_BUSY = "generator-cpu"
"""Fails when the generator's own threads were the limit."""

STARTED_LATE = "late-starts"
"""Fails when the generator waited for a processor that something else held."""


def failed(checks: Sequence[Check], about: About) -> list[str]:
    """Names of the required checks that failed for this reason."""
    return [check.name for check in checks if check.required and not check.passed and check.about == about]
