"""Every second of a run of an engine, as it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loadstone.measure import EngineRun

Json = dict[str, Any]

_LOOK_S = 0.1


def take_all(run: EngineRun, on_look: Callable[[int], None] | None = None) -> tuple[list[Json], Json]:
    """The seconds of a run and its summary, when it has ended; `on_look` is told several times a second how
    many there are. Stops the run when interrupted.
    """
    windows: list[Json] = []
    try:
        while True:
            window = run.next(_LOOK_S)
            if window is not None:
                windows.append(window)
            elif (summary := run.summary()) is not None:
                return windows, summary
            if on_look:
                on_look(len(windows))
    except BaseException:
        run.stop()
        raise
