"""Progress of a run on stderr: a live line on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from loadstone.cli.terminal import plain
from loadstone.judge import Histogram
from loadstone.unit import Unit

_PLAIN_EVERY_S = 10
_RECENT_S = 5
"""Rates and percentiles on show are those of the last seconds: steadier to read than of one."""


class RunProgress:
    """Phase, users, operations a second, p90 and failures."""

    def __init__(self, title: str = "") -> None:
        """`title` is the beginning of every line, for a run that is one of several."""
        self._console = Console(stderr=True, highlight=False)
        self._title = title
        self._live: Live | None = None
        self._load: Mapping[str, float] = {}
        self._recent: deque[Mapping[str, Any]] = deque(maxlen=_RECENT_S)
        self._failed = 0

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """Shows where the run is written."""
        self._load = plan["load"]
        self._recent.clear()
        self._failed = 0
        self.note(f"{self._title}{plan['name']}: {_load(self._load)} into {folder}")
        if self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=2, transient=True)
            self._live.start()

    def window(self, window: Mapping[str, Any]) -> None:
        """Shows the second."""
        self._recent.append(window)
        self._failed += sum(sum(operation["failed"]) for operation in window["operations"])
        if self._live:
            self._live.update(Text(plain(self._line(window))))
        elif (window["second"] + 1) % _PLAIN_EVERY_S == 0:
            print(self._line(window), file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """A line that stays."""
        self._console.print(Text(plain(text)))

    def ended(self) -> None:
        """Removes the live line."""
        if self._live:
            self._live.stop()
            self._live = None

    def _line(self, window: Mapping[str, Any]) -> str:
        second = window["second"] + 1
        operations = [operation for one in self._recent for operation in one["operations"]]
        rate = sum(operation["ok"] for operation in operations) / len(self._recent)
        p90 = _p90_ms(operations)
        unit = Unit.of(self._load)
        who = "requests waiting or under way" if unit is Unit.REQUESTS else unit.things
        return (
            f"{self._title}{self._phase(window['second'])}  {second} s of {self._total():.0f}  "
            f"{window['users']} {who}  {rate:.1f} ops/s  p90 {'-' if p90 is None else f'{p90:.1f} ms'}  "
            f"{self._failed} failed"
        )

    def _phase(self, second: float) -> str:
        if second < self._load["ramp_up_s"]:
            return "ramp-up  "
        return "steady   " if second < self._load["ramp_up_s"] + self._load["steady_s"] else "ramp-down"

    def _total(self) -> float:
        return self._load["ramp_up_s"] + self._load["steady_s"] + self._load["ramp_down_s"]


class LoadingProgress:
    """Progress of a data set on its way in."""

    def __init__(self, what: str) -> None:
        """`what` is being loaded."""
        self._console = Console(stderr=True, highlight=False)
        self._what = what
        self._shown = -1

    def __call__(self, done: int, of: int) -> None:
        """Shows the share done; without a live terminal, a line for each tenth."""
        tenth = 10 * done // max(1, of)
        if tenth == self._shown:
            return
        self._shown = tenth
        end = "\r" if self._console.is_terminal and done < of else "\n"
        if self._console.is_terminal or done >= of:
            self._console.print(Text(f"loading {plain(self._what)}: {10 * tenth} %"), end=end)


def _load(load: Mapping[str, Any]) -> str:
    unit = Unit.of(load)
    return f"{load[unit]:.15g} {unit.words}"


def _p90_ms(operations: list[Mapping[str, Any]]) -> float | None:
    buckets: list[int] = []
    counts: list[int] = []
    for operation in operations:
        buckets += operation["response"]["bucket"]
        counts += operation["response"]["count"]
    if not buckets:
        return None
    value = Histogram.of(np.array(buckets), np.array(counts)).quantile_us(0.9)
    return None if value is None else value / 1000
