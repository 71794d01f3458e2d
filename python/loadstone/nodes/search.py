"""The smallest number for which something holds, when it holds for every larger one."""

from __future__ import annotations

from collections.abc import Callable


def smallest(holds: Callable[[int], bool], most: int) -> int | None:
    """The least n in 0..`most` with `holds(n)`, or None; `holds` must never turn false again as n grows.

    Doubles until it holds, then halves the gap: about 2·log2(n) evaluations, none of them far above n.

    >>> smallest(lambda n: n * n >= 50, most=100)
    8
    """
    below, above = -1, 0
    while not holds(above):
        if above >= most:
            return None
        below, above = above, min(most, max(1, 2 * above))
    while above - below > 1:
        middle = (below + above) // 2
        if holds(middle):
            above = middle
        else:
            below = middle
    return above
