"""What studies say on the terminal while they measure and when they end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loadstone.errors import OUR_FAULT
from loadstone.leave import INTERRUPTED

Json = dict[str, Any]


def say(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


def going_on(name: str, folder: Path) -> str:
    """How an interrupted study is taken up."""
    return f"`loadstone study {name} --resume {folder}` goes on"


def conclude(content: Json, folder: Path) -> int:
    """The exit code: 0 when everything was measured. Says on stderr what was not."""
    failed = content["tasks"]["failed"]
    for one in failed:
        say(f"not measured: {one['part']} {case_words(one['case'])}: {one['error'].splitlines()[0]}")
    if content["outcome"] == "interrupted":
        say(f"interrupted; {going_on(content['name'], folder)}")
        return INTERRUPTED
    if content["outcome"] == "parts-left":
        say(f"parts of it are not measured to their end; {going_on(content['name'], folder)}")
    return OUR_FAULT if failed or content["outcome"] not in ("complete", "parts-left") else 0


def case_words(case: Json) -> str:
    """A case in a line."""
    return " ".join(str(value) for value in case.values())


class Progress:
    """A line for each measurement on stderr; `told` says of its figures what a line has room for."""

    def __init__(self, told: Callable[[Json], str]) -> None:
        """Nothing is said yet."""
        self._told = told
        self._before = ""

    def begins(self, task: Any, number: int, of: int, left_s: float) -> None:
        """Remembers what the line begins with."""
        self._before = f"{number}/{of}  {left_s / 60:4.1f} min left  {task.part:<10}  {case_words(task.case)}"

    def ends(self, task: Any, measured: Json) -> None:
        """Shows what was measured."""
        say(f"{self._before}  {self._told(measured)}")

    def failed(self, task: Any, error: str) -> None:
        """Shows why it was not."""
        say(f"{self._before}  {error.splitlines()[0]}")
