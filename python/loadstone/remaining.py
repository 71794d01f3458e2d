"""How long work still takes, by the pieces of it that are done; and durations in words."""

from __future__ import annotations

import time
from collections.abc import Callable


def in_words(seconds: float) -> str:
    """A duration for people.

    >>> in_words(42), in_words(400), in_words(9000)
    ('42 s', '7 min', '2 h 30 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Remaining:
    """Counts from when it is made. An estimate for pieces that are about alike, in the mean."""

    def __init__(self, pieces: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`pieces`: how many there are; `clock` tells seconds."""
        self._pieces, self._clock = pieces, clock
        self._began = clock()

    def after(self, done: float) -> str:
        """`, about 7 min left`; empty before anything is done, and when all is.

        >>> times = iter([100.0, 130.0])
        >>> Remaining(10, lambda: next(times)).after(3)
        ', about 70 s left'
        """
        if not 0 < done < self._pieces:
            return ""
        left_s = (self._clock() - self._began) / done * (self._pieces - done)
        return f", about {in_words(left_s)} left"
