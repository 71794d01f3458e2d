"""When an instance that ended is started again, and how long one may say nothing."""

from __future__ import annotations

from dataclasses import dataclass

# As the supervisor of deployed programs does it, but for the longest pause: a machine that boots costs more.
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 30.0
LONG_S = 10.0
"""An instance that served so long has not ended because of how it was started."""


@dataclass(frozen=True)
class Policy:
    """What the supervisor goes by; the same for all instances."""

    path: str = "/"
    """What is asked for to see whether an instance is well."""
    patience_s: float = 60.0
    """An instance that has not answered for so long is started again; also one that boots."""
    restarts: int = 10
    """In a row; then it is given up."""
    grace_s: float = 10.0
    """For an instance that was told to shut down."""
    log_bytes: int = 1 << 20
    """Of a file of its console's log."""


def pause_s(failures: int) -> float:
    """Seconds before the next start, after so many ends in a row.

    >>> [pause_s(failures) for failures in (1, 2, 3, 20)]
    [0.1, 0.2, 0.4, 30.0]
    """
    return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (failures - 1))
