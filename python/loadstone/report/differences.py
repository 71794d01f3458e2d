"""Comparisons in words: figures with their intervals, differences, and the sentence that sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadstone.stages.compare import Compared, Comparison, Interval, Unjudged

HEAD = ["operation", "figure", "old", "new", "new / old", "p", ""]
"""Above the cells of `row`."""
NUMBERS = {"old", "new", "new / old", "p"}
"""Columns set to the right."""
_WHOLE = "all"
"""How all operations together are shown."""


def row(one: Compared) -> list[str]:
    """The cells of a comparison."""
    change = one.ratio or one.difference
    assert change is not None
    p = one.p_corrected
    return [
        operation_of(one),
        one.figure,
        level(one.old, one.unit),
        level(one.new, one.unit),
        ratio(change) if one.ratio else points(change),
        "" if p is None else f"{p:.2g}" if p >= 1e-4 else "<0.0001",
        one.said,
    ]


def operation_of(one: Compared | Unjudged) -> str:
    """Its operation's name."""
    return _WHOLE if one.operation == "*" else one.operation


def level(found: Interval, unit: str) -> str:
    """A figure with half the width of its interval; with its ends where they are far and not as far.

    >>> from loadstone.stages.compare import Interval
    >>> level(Interval(value=41.237, low=40.5, high=42.0), "ms")
    '41.2 ± 0.8 ms'
    >>> level(Interval(value=41.237, low=20, high=85), "ms")
    '41.2 (20.0–85.0) ms'
    """
    digits = 2 if unit == "%" else 1 if found.value >= 10 else 2
    shown = f"{found.value:.{digits}f}"
    if found.low is not None and found.high is not None:
        half = (found.high - found.low) / 2
        wide = half > found.value / 4 and unit != "%"
        ends = f"({found.low:.{digits}f}–{found.high:.{digits}f})"
        shown += f" {ends}" if wide else f" ± {half:.{digits}f}"
    return f"{shown} {'/s' if unit == 'operations/s' else unit}"


def ratio(found: Interval) -> str:
    """new ÷ old with its interval.

    >>> from loadstone.stages.compare import Interval
    >>> ratio(Interval(value=1.05, low=1.02, high=1.081))
    '1.050 (1.020–1.081)'
    """
    if found.low is None or found.high is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"


def points(found: Interval) -> str:
    """new - old in percentage points.

    >>> from loadstone.stages.compare import Interval
    >>> points(Interval(value=-0.5, low=-0.75, high=-0.25))
    '-0.50 points (-0.75 to -0.25)'
    """
    if found.low is None or found.high is None:
        return f"{found.value:+.2f} points"
    return f"{found.value:+.2f} points ({found.low:+.2f} to {found.high:+.2f})"


def sentence(result: Comparison) -> str:
    """What is different beyond chance, the worse first."""
    told = [one for one in result.rows if one.said != "~"]
    if not told:
        return "no difference shown"
    worse = result.worse()
    found = []
    for word, rows in (("worse", worse), ("better", [one for one in told if one not in worse])):
        if rows:
            which = dict.fromkeys(f"{operation_of(one)} {one.figure}" for one in rows)
            found.append(f"{word}: {', '.join(which)}")
    return "; ".join(found)
