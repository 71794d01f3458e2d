"""Goals of a run in words: what each asks for, what was measured, and its verdict."""

from __future__ import annotations

from loadstone.report import format
from loadstone.stages.run import GoalFigures


def amount(goal: GoalFigures, value: float | None) -> str:
    """A figure in the goal's unit.

    >>> amount(GoalFigures(name="SLA-1", verdict="met", limit=0.9), 0.9573)
    '95.7 %'
    """
    if goal.unit == "share":
        return format.share(value)
    figure = format.figure(value)
    return figure if value is None else f"{figure} a second"


def asked(goal: GoalFigures) -> str:
    """What the goal asks for.

    >>> asked(GoalFigures(name="SLA-1", verdict="met", limit=0.9))
    'at least 90 %'
    """
    return f"{'at least' if goal.at_least else 'at most'} {amount(goal, goal.limit)}"


def interval(goal: GoalFigures) -> str | None:
    """The interval of what was measured; None where the record has none."""
    if goal.low is None and goal.high is None:
        return None
    by = " by the spread of its response times" if goal.by == "spread" else ""
    return f"{amount(goal, goal.low)} to {amount(goal, goal.high)}{by}"


def seen(goal: GoalFigures) -> str:
    """What was measured with its interval, in a clause.

    >>> seen(GoalFigures(name="SLA-1", verdict="met", limit=0.9, measured=0.957, low=0.951, high=0.963))
    '95.7 % (95.1 % to 96.3 %)'
    """
    span = interval(goal)
    return amount(goal, goal.measured) + (f" ({span})" if span else "")
