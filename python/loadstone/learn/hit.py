"""One request of a log, whatever the format of its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Hit(NamedTuple):
    """One request of the log."""

    address: str
    agent: str
    user: str
    """Of the field that tells people apart, where one was named; else empty."""
    at_s: float
    method: str
    target: str
    """Path and query."""
    status: int
    took_s: float | None


Parser = Callable[[bytes], Hit | None]
"""None of a line that is not of the format."""
