"""How far the reading of logs is, on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from loadstone.cli.count import Count, Elapsed


class Told:
    """Bytes of the logs with the time left, then for how long they are looked at. A context manager."""

    def __init__(self, logs: Sequence[str]) -> None:
        """`logs`: as they were asked for; one that is absent is told by whoever reads it."""
        self._stack = ExitStack()
        self._count = Count("bytes read", _bytes_of(logs))

    def __enter__(self) -> Told:
        """Reading begins."""
        self._stack.enter_context(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        """Clears the line of a terminal."""
        self._stack.close()

    def read(self, count: int) -> None:
        """So many more bytes."""
        self._count.add(count)

    def looks(self) -> None:
        """All is read."""
        self._stack.close()
        self._stack.enter_context(Elapsed("looking for sessions, pauses and classes of users"))


def _bytes_of(logs: Sequence[str]) -> int | None:
    """All together, packed as they are; None where one of them is standard input, whose end nobody knows."""
    if "-" in logs:
        return None
    try:
        return sum(Path(log).stat().st_size for log in logs)
    except (OSError, ValueError):
        return None
