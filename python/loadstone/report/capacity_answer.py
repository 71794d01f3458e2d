"""A capacity search: its verdict as a badge, what it found out as a clause, its key figures.

What the search did not decide is said to be open, with the reason. It is never 0, and nothing stands on it.
"""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.stages.capacity import Capacity, Held
from loadstone.unit import Unit

ENDED = {
    "noisy": "runs at the same load do not agree",
    "too-few": "too few operations came in a run",
    "ceiling": "it was not to try more",
    "generator": "the load generator was at its limit",
    "invalid": "its runs stayed invalid",
    "max-runs": "it had made all the runs that it was allowed",
    "interrupted": "it was interrupted",
    "searching": "it has not ended",
    "not-searched": "it searched other goals",
}
"""Why a search knows no more, by `ended_by`."""


def capacity_badge(capacity: Capacity) -> Badge:
    """Whether a load is known that the service holds, and which runs are no evidence."""
    rows = capacity.runs
    out = [row for row in rows if not row.judged]
    reasons = (f"{len(out)} of {len(rows)} runs were invalid and not judged",) if out else ()
    if rows and len(out) == len(rows):
        return Badge("bad", "invalid", ("every run of the search was invalid",))
    goals = capacity.named()
    known = [name for name, held in goals.items() if held.load]
    if goals and len(known) == len(goals):
        return Badge("good", "met", reasons)
    if known:
        return Badge("warn", "; ".join(f"{name} {_state(held)}" for name, held in goals.items()), reasons)
    if any(held.verdict == "missed" for held in goals.values()):
        return Badge("bad", "missed", reasons)
    return Badge("warn", "open: nothing was decided", reasons)


def capacity_clause(name: str, capacity: Capacity) -> str:
    """What the search found out of each goal."""
    goals, unit = capacity.named(), capacity.unit
    if not any(held.load or held.verdict == "missed" for held in goals.values()):
        return _undecided(name, goals, unit)
    found = [_goal(goal, held, unit, first=index == 0) for index, (goal, held) in enumerate(goals.items())]
    return f"{name} on this machine holds {' and '.join(found)}"


def capacity_tiles(capacity: Capacity) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the key figures."""
    unit = capacity.unit
    tiles = [_tile(goal, held, unit) for goal, held in capacity.named().items()]
    first = next((held for held in capacity.named().values() if held.throughput_ops_per_s is not None), None)
    if first and first.load:
        load = f"at {unit.amount(first.load)}"
        tiles.append(("Throughput", format.figure(first.throughput_ops_per_s), "operations/s", load))
    return tiles


def ended(held: Held) -> str:
    """Why the search of this goal knows no more; "" when it is as narrow as was asked for."""
    if held.ended_by in (None, "tolerance", "least"):
        return ""
    return ENDED.get(held.ended_by, f"it ended with {held.ended_by}")


def _undecided(name: str, goals: dict[str, Held], unit: Unit) -> str:
    """Of no goal a load is known that holds it."""
    held = next(iter(goals.values()), Held())
    why = ended(held)
    because = f": the search ended because {why}" if why else ""
    bound = _bound(held, unit)
    known = f" (known is only: {bound})" if bound else ""
    return f"how many {unit.words} {name} holds on this machine was not decided{known}{because}"


def _goal(goal: str, held: Held, unit: Unit, *, first: bool) -> str:
    if held.load:
        load = unit.amount(held.load) if first else unit.number(held.load)
        return f"{load} at {goal} ({_span(held, unit)})"
    if held.verdict == "missed":
        return f"not even {unit.least_words} at {goal}"
    return f"an undecided number at {goal}" + (f" ({bound})" if (bound := _bound(held, unit)) else "")


def _bound(held: Held, unit: Unit) -> str:
    """What is known though no load is confirmed."""
    low = f"at least {unit.amount(held.low)}" if held.low else ""
    high = f"fewer than {unit.amount(held.high)}" if held.high else ""
    return " and ".join(filter(None, (low, high)))


def _span(held: Held, unit: Unit) -> str:
    if held.high is None:
        return f"no number of {unit.words} tried breaks it"
    low = format.UNKNOWN if held.low is None else unit.number(held.low)
    return f"{low} to {unit.number(held.high)}"


def _tile(goal: str, held: Held, unit: Unit) -> tuple[str, str, str, str]:
    label = f"{unit.words.capitalize()} at {goal}"
    if held.load:
        return (label, unit.number(held.load), "", _span(held, unit))
    if held.verdict == "missed":
        return (label, "none", "", f"not even {unit.least_words} holds it")
    return (label, "open", "", _bound(held, unit) or "nothing is known")


def _state(held: Held) -> str:
    return "met" if held.load else held.verdict
