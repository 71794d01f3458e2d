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


def slowed(load: float, speed: Speed, others: Sequence[tuple[float, Speed]]) -> bool:
    """Whether something else than the load made the machine slow: as much load or more, in another run, went
    with the same work done `UNEVEN` times as fast.
    """
    as_loaded = [other for others_load, other in others if others_load >= load]
    return any(_ratio(speed, other, name) >= UNEVEN for other in as_loaded for name in _WORK)


def _ratio(one: Speed, other: Speed, name: str) -> float:
    """0 where either is not known."""
    us, least = getattr(one, name), getattr(other, name)
    return us / least if us and least else 0.0


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
