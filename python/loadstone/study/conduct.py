"""Working through a schedule: one task after the other, each written down before the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt
from loadstone.record import now
from loadstone.study.results import Results
from loadstone.study.schedule import Task

_IN_A_ROW = 5
"""Tasks that fail one after the other before the study ends: then it is not the variant that is at fault."""

Perform = Callable[[Task], dict[str, Any]]
"""Makes one measurement; a LoadstoneError of it is noted, and the study goes on."""


class Watch(Protocol):
    """Is told how the study goes on, for people to see."""

    def begins(self, task: Task, number: int, of: int, left_s: float) -> None:
        """A task begins; about `left_s` seconds are left with it."""

    def ends(self, task: Task, measured: dict[str, Any]) -> None:
        """It was measured."""

    def failed(self, task: Task, error: str) -> None:
        """It could not be."""


def conduct(
    tasks: Sequence[Task], perform: Perform, results: Results, interrupt: Interrupt, watch: Watch
) -> str:
    """Performs what is not done yet; how it ended: `complete`, `interrupted` or `failing`.

    Ctrl-C lets the task under way end, and keeps it. LoadstoneError `cannot-write`, `disk-full`.
    """
    left = [task for task in tasks if not results.done(task)]
    in_a_row, slower = 0, _Slower()
    for number, task in enumerate(left):
        if interrupt.requested:
            return "interrupted"
        rest_s = sum(one.expected_s for one in left[number:]) * slower.factor
        watch.begins(task, len(tasks) - len(left) + number + 1, len(tasks), rest_s)
        at, started = now(), time.monotonic()
        try:
            measured = perform(task)
        except LoadstoneError as error:
            if interrupt.requested:
                return "interrupted"  # the signal reached what the task had started, too
            results.add(task, at, time.monotonic() - started, {"error": str(error)})
            watch.failed(task, str(error))
            in_a_row += 1
            if in_a_row == _IN_A_ROW:
                return "failing"
            continue
        in_a_row = 0
        took_s = time.monotonic() - started
        slower.saw(task.expected_s, took_s)
        results.add(task, at, took_s, {"measured": measured})
        watch.ends(task, measured)
    return "complete"


class _Slower:
    """How much longer tasks take here than by experience."""

    def __init__(self) -> None:
        self._expected = self._took = 0.0

    def saw(self, expected_s: float, took_s: float) -> None:
        self._expected += expected_s
        self._took += took_s

    @property
    def factor(self) -> float:
        return self._took / self._expected if self._expected else 1.0
