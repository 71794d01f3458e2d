"""Runs followed to their end, with a generous end to every wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from loadstone.measure import EngineRun

PATIENCE_S = 90.0

Json = dict[str, Any]


def follow(run: EngineRun, seen: Callable[[Json], None] = lambda window: None) -> tuple[list[Json], Json]:
    """All windows and the summary; `seen` is told every window as it comes."""
    windows: list[Json] = []
    deadline = time.monotonic() + PATIENCE_S
    while (summary := run.summary()) is None:
        assert time.monotonic() < deadline, "the run does not end"
        if (window := run.next(0.2)) is not None:
            windows.append(window)
            seen(window)
    assert [window["second"] for window in windows] == list(range(len(windows))), "in order, none missing"
    return windows, summary


def eventually(condition: Callable[[], bool], what: str) -> None:
    """Waits until it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def counted(windows: list[Json], key: str = "ok") -> int:
    """A count of operations, summed."""
    return int(sum(operation[key] for window in windows for operation in window["operations"]))


def total(windows: list[Json], kind: str) -> dict[int, int]:
    """A histogram of all operations, summed bucket by bucket."""
    sums: dict[int, int] = {}
    for window in windows:
        for operation in window["operations"]:
            for bucket, count in zip(operation[kind]["bucket"], operation[kind]["count"], strict=True):
                sums[bucket] = sums.get(bucket, 0) + count
    return sums
