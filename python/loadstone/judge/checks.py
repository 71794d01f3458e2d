"""Whether a run's figures mean what they say: every check that a run must pass to be evidence."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.stages.run import Check
from loadstone.stages.verdict import About, Verdict

GENERATOR_BUSY = "generator-cpu"
"""Fails when the generator's own threads were the limit."""

HOOKS_BUSY = "hooks"
"""Fails when functions that steps call needed so much that they held the load back."""

STARTED_LATE = "late-starts"
"""Fails when the generator waited for a processor that something else held."""

SESSIONS_DROPPED, SESSIONS_LATE = "sessions", "arrivals"
"""Fail when sessions that should have arrived found no socket, or were not begun when they were due."""

NOISY, CROWDED = "noise", "foreign-cpu"
"""Missed when the machine stood still, or worked for others, so that a verdict could hang on it."""

TOO_FEW = "enough-operations"
"""Open when a run has too few operations to show what SLA-2 asks of each."""

ONLY_SLOWER = {STARTED_LATE, NOISY, CROWDED}
"""Each of these can only make a service look worse than it is."""


def met_if(met: bool) -> Verdict:
    """The verdict of a check that is never in doubt."""
    return "met" if met else "missed"


def at_its_limit(checks: Sequence[Check]) -> bool:
    """Whether the generator could not make the load: it, or its functions, were busy, or it had no room."""
    return bool(
        {GENERATOR_BUSY, HOOKS_BUSY, SESSIONS_DROPPED, SESSIONS_LATE} & set(missed(checks, "generator"))
    )


def missed(checks: Sequence[Check], about: About) -> list[str]:
    """Names of the checks that were missed for this reason."""
    return [check.name for check in checks if check.verdict == "missed" and check.about == about]
