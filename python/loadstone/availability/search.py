"""The smallest number for which something holds, when it holds for every larger one."""

from __future__ import annotations

from collections.abc import Callable


def smallest(holds: Callable[[int], bool], most: int, guess: int = 0) -> int | None:
    """The least n in 0..`most` with `holds(n)`, or None; `holds` must never turn false again as n grows.

    Goes from `guess` in steps that double until the edge is between two of them, then halves the gap: about
    2·log2 of the distance from the guess evaluations.

    >>> smallest(lambda n: n * n >= 50, most=100)
    8
    """
    at, step = min(guess, most), 1
    below, above = -1, most + 1
    if holds(at):
        above = at
        while above > 0 and holds(at := max(0, above - step)):
            above, step = at, 2 * step
        below = at if above > 0 else -1
    else:
        below = at
        while below < most and not holds(at := min(most, below + step)):
            below, step = at, 2 * step
        if below == most:
            return None
        above = at
    while above - below > 1:
        middle = (below + above) // 2
        if holds(middle):
            above = middle
        else:
            below = middle
    return above
