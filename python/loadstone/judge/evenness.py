"""Whether the machine was as fast in all of several runs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

UNEVEN = 1.5
"""Times the least that the same work took; from here on a run says as much of the machine as of the service.
"""
_WORK = {"compute_us": "arithmetic", "memory_us": "reads of memory"}


@dataclass(frozen=True)
class Speed:
    """How long the same pieces of work took in a run, as its `noise` has it."""

    run: str
    compute_us: float | None
    memory_us: float | None


def uneven(runs: Sequence[Speed]) -> list[str]:
    """A warning, where the same piece of work took much longer in some runs than in others; else nothing."""
    ranges = []
    for name, work in _WORK.items():
        known = sorted((us, one.run) for one in runs if (us := getattr(one, name)))
        if known:
            ranges.append((known[-1][0] / known[0][0], work, known[0], known[-1]))
    ratio, work, (least, fast), (most, slow) = max(ranges, default=(0.0, "", (0.0, ""), (0.0, "")))
    if ratio < UNEVEN:
        return []
    return [
        f"the machine was not equally fast: the same {work} took {least:.0f} µs in {fast} and {most:.0f} µs "
        f"in {slow}; what else uses the machine or shares its hardware makes a service look worse than it is"
    ]
