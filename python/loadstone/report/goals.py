"""Goals of a run in words: what each asks for, what was measured, and its verdict."""

from __future__ import annotations

from loadstone.report import format
from loadstone.stages.run import GoalFigures

_LEAST = 1e-5
"""A share that is nearer to none or all than this is told as such."""


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


def bound(goal: GoalFigures, value: float | None) -> str:
    """An end of the interval of what was measured, with no more digits of a share than samples can tell.

    >>> goal = GoalFigures(name="SLA-2", verdict="met", limit=0.99)
    >>> bound(goal, 0.99731), bound(goal, 0.9999999), bound(goal, 1.0), bound(goal, 1e-9)
    ('99.73 %', 'over 99.999 %', '100 %', 'under 0.001 %')
    """
    if goal.unit == "share" and value is not None:
        if 0 < 1 - value < _LEAST:
            return f"over {format.share(1 - _LEAST)}"
        if 0 < value < _LEAST:
            return f"under {format.share(_LEAST)}"
    return amount(goal, value)


def interval(goal: GoalFigures) -> str | None:
    """The interval of what was measured; None where the record has none."""
    if goal.low is None and goal.high is None:
        return None
    by = " by the spread of its response times" if goal.by == "spread" else ""
    return f"{bound(goal, goal.low)} to {bound(goal, goal.high)}{by}"


def seen(goal: GoalFigures) -> str:
    """What was measured with its interval, in a clause.

    >>> seen(GoalFigures(name="SLA-1", verdict="met", limit=0.9, measured=0.957, low=0.951, high=0.963))
    '95.7 % (95.1 % to 96.3 %)'
    """
    span = interval(goal)
    return amount(goal, goal.measured) + (f" ({span})" if span else "")
