"""Progress of many small pieces of work, on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from loadstone.remaining import in_words

_FIRST_S = 2.0
"""What is done sooner needs no progress."""
_EVERY_S = {True: 0.5, False: 10.0}
"""Between lines: on a terminal they replace each other, elsewhere they stay."""


class Count:
    """`812 of 2,000 models in 9 s, about 13 s to go`, now and then. A context manager, which clears its
    line at the end.
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        """`what`: the pieces, in the plural; `total` None: not known beforehand."""
        self._what, self._of = what, f" of {total:,}" if total is not None else ""
        self._total, self._done, self._shown = total, 0, False
        self._began = time.monotonic()
        self._live = sys.stderr.isatty()
        self._next = self._began + _FIRST_S

    def __enter__(self) -> Count:
        """Shows nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Clears the line of a terminal."""
        if self._live and self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def add(self, count: int) -> None:
        """Adds to the number of those that are done."""
        self._done += count
        now = time.monotonic()
        if now < self._next:
            return
        self._next, self._shown = now + _EVERY_S[self._live], True
        start, end = ("\r\033[K", "") if self._live else ("", "\n")
        said = f"{self._done:,}{self._of} {self._what} in {now - self._began:.0f} s{self._left(now)}"
        print(f"{start}{said}", end=end, file=sys.stderr, flush=True)

    def _left(self, now: float) -> str:
        """About how long the rest takes, if the total is known."""
        if self._total is None or not self._done:
            return ""
        left = (now - self._began) / self._done * (self._total - self._done)
        return f", about {left:.0f} s to go"


class Elapsed:
    """`solving for 20 s`, now and then, of work whose end nobody can tell beforehand.

    A context manager, which clears its line at the end.
    """

    def __init__(self, what: str, most_s: float | None = None) -> None:
        """`what` is going on; `most_s`: seconds after which it gives up."""
        self._what = what
        self._most = "" if most_s is None else f", at most {in_words(most_s)}"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Elapsed:
        """Shows nothing yet."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Clears the line of a terminal."""
        self._ended.set()
        self._thread.join()

    def _tell(self) -> None:
        began, live, shown = time.monotonic(), sys.stderr.isatty(), False
        wait_s = _FIRST_S if live else _EVERY_S[False]
        while not self._ended.wait(wait_s):
            start, end = ("\r\033[K", "") if live else ("", "\n")
            took = in_words(time.monotonic() - began)
            print(f"{start}{self._what} for {took}{self._most}", end=end, file=sys.stderr, flush=True)
            wait_s, shown = _EVERY_S[live], True
        if live and shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


@contextmanager
def models_counted() -> Iterator[None]:
    """Says on stderr how many models are evaluated and for how long, also while a single one takes long."""
    from loadstone.availability.down import watched

    with Count("models") as count, watched(lambda _: count.add(1)):
        ended = threading.Event()
        thread = threading.Thread(target=_told, args=(count, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _told(count: Count, ended: threading.Event) -> None:
    while not ended.wait(_EVERY_S[True]):
        count.add(0)
