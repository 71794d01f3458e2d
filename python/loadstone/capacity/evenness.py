"""Whether the machine was as fast in all runs of a search. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.stages.capacity import SearchRun

UNEVEN = 1.5
"""Times the least that the same work took; from here on a run says as much of the machine as of the service.
"""


def uneven(rows: Sequence[SearchRun]) -> list[str]:
    """A warning, where the same piece of work took much longer in some runs than in others; else nothing."""
    worst: tuple[float, str] | None = None
    for name, figures in (
        ("arithmetic", [row.compute_us for row in rows]),
        ("reads of memory", [row.memory_us for row in rows]),
    ):
        known = [(value, row) for value, row in zip(figures, rows, strict=True) if value]
        if not known:
            continue
        low, high = min(known, key=_value), max(known, key=_value)
        ratio = high[0] / low[0]
        if ratio >= UNEVEN and (worst is None or ratio > worst[0]):
            text = (
                f"the machine was not equally fast: the same {name} took {low[0]:.0f} µs in {low[1].folder} "
                f"and {high[0]:.0f} µs in {high[1].folder}; what else uses the machine, or shares its "
                "hardware, makes a service look worse than it is"
            )
            worst = ratio, text
    return [worst[1]] if worst else []


def _value(one: tuple[float, SearchRun]) -> float:
    return one[0]
