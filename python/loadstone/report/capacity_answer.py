"""A capacity search: its verdict as a badge, what it found out as a clause, its key figures.

What the search did not decide is said to be open, with the reason. It is never 0, and nothing stands on it.
"""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.stages.capacity import Capacity, Held

ENDED = {
    "noisy": "runs at the same load do not agree",
    "ceiling": "it was not to try more users",
    "generator": "the load generator was at its limit",
    "invalid": "its runs stayed invalid",
    "max-runs": "it had made all the runs that it was allowed",
    "interrupted": "it was interrupted",
    "searching": "it has not ended",
}
"""Why a search knows no more, by `ended_by`."""


def capacity_badge(capacity: Capacity) -> Badge:
    """Whether users are known that the service holds, and which runs are no evidence."""
    rows = capacity.runs
    out = [row for row in rows if not row.judged]
    reasons = (f"{len(out)} of {len(rows)} runs were invalid and not judged",) if out else ()
    if rows and len(out) == len(rows):
        return Badge("bad", "invalid", ("every run of the search was invalid",))
    goals = capacity.named()
    known = [name for name, held in goals.items() if held.users]
    if goals and len(known) == len(goals):
        return Badge("good", "met", reasons)
    if known:
        return Badge("warn", "; ".join(f"{name} {_state(held)}" for name, held in goals.items()), reasons)
    if any(held.verdict == "missed" for held in goals.values()):
        return Badge("bad", "missed", reasons)
    return Badge("warn", "open: nothing was decided", reasons)


def capacity_clause(name: str, capacity: Capacity) -> str:
    """What the search found out of each goal."""
    goals = capacity.named()
    if not any(held.users or held.verdict == "missed" for held in goals.values()):
        return _undecided(name, goals)
    found = [_goal(goal, held, first=index == 0) for index, (goal, held) in enumerate(goals.items())]
    return f"{name} on this machine holds {' and '.join(found)}"


def capacity_tiles(capacity: Capacity) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the key figures."""
    tiles = [_tile(goal, held) for goal, held in capacity.named().items()]
    first = next((held for held in capacity.named().values() if held.throughput_ops_per_s is not None), None)
    if first and first.users:
        users = f"at {format.whole(first.users)} users"
        tiles.append(("Throughput", format.figure(first.throughput_ops_per_s), "operations/s", users))
    return tiles


def ended(held: Held) -> str:
    """Why the search of this goal knows no more; "" when it is as narrow as was asked for."""
    if held.ended_by in (None, "tolerance", "least"):
        return ""
    return ENDED.get(held.ended_by, f"it ended with {held.ended_by}")


def _undecided(name: str, goals: dict[str, Held]) -> str:
    """Of no goal users are known that hold it."""
    held = next(iter(goals.values()), Held())
    why = ended(held)
    because = f": the search ended because {why}" if why else ""
    bound = _bound(held)
    known = f" (known is only: {bound})" if bound else ""
    return f"how many users {name} holds on this machine was not decided{known}{because}"


def _goal(goal: str, held: Held, *, first: bool) -> str:
    if held.users:
        unit = " users" if first else ""
        return f"{format.whole(held.users)}{unit} at {goal} ({_span(held)})"
    if held.verdict == "missed":
        return f"not even one user at {goal}"
    return f"an undecided number at {goal}" + (f" ({bound})" if (bound := _bound(held)) else "")


def _bound(held: Held) -> str:
    """What is known though no users are confirmed."""
    low = f"at least {format.whole(held.low)} users" if held.low else ""
    high = f"fewer than {format.whole(held.high)} users" if held.high else ""
    return " and ".join(filter(None, (low, high)))


def _span(held: Held) -> str:
    if held.high is None:
        return "no number of users tried breaks it"
    return f"{format.whole(held.low)} to {format.whole(held.high)}"


def _tile(goal: str, held: Held) -> tuple[str, str, str, str]:
    label = f"Users at {goal}"
    if held.users:
        return (label, format.whole(held.users), "", _span(held))
    if held.verdict == "missed":
        return (label, "none", "", "not even one user holds it")
    return (label, "open", "", _bound(held) or "nothing is known")


def _state(held: Held) -> str:
    return "met" if held.users else held.verdict
