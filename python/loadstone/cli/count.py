"""How much of many small pieces of work is done, on stderr."""

from __future__ import annotations

import sys
import time

_FIRST_S = 2.0
"""What is done sooner needs no progress."""
_EVERY_S = {True: 0.5, False: 10.0}
"""Between lines: on a terminal they replace each other, elsewhere they stay."""


class Count:
    """`812 of 2,000 models`, now and then. A context manager, that clears its line at the end."""

    def __init__(self, what: str, total: int | None = None) -> None:
        """`what`: the pieces, in the plural; `total` None: not known beforehand."""
        self._what, self._of = what, f" of {total:,}" if total is not None else ""
        self._done, self._shown = 0, False
        self._live = sys.stderr.isatty()
        self._next = time.monotonic() + _FIRST_S

    def __enter__(self) -> Count:
        """Shows nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Clears the line of a terminal."""
        if self._live and self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def add(self, count: int) -> None:
        """So many more are done."""
        self._done += count
        now = time.monotonic()
        if now < self._next:
            return
        self._next, self._shown = now + _EVERY_S[self._live], True
        start, end = ("\r\033[K", "") if self._live else ("", "\n")
        print(f"{start}{self._done:,}{self._of} {self._what}", end=end, file=sys.stderr, flush=True)
