"""Progress of a run on stderr: live lines on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live as Shown
from rich.text import Text

from loadstone.cli.live_text import lines, one_line
from loadstone.cli.terminal import plain
from loadstone.live import Follower, Live
from loadstone.unit import Unit

_PLAIN_EVERY_S = 10


class RunProgress:
    """What the run's folder says of the seconds so far: phase, time left, load, response times, failures."""

    def __init__(self, title: str = "") -> None:
        """`title` is the beginning of every line, for a run that is one of several."""
        self._console = Console(stderr=True, highlight=False)
        self._title = title
        self._shown: Shown | None = None
        self._run: tuple[Live, Follower] | None = None

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """Shows where the run is written."""
        self._run = Live(plan), Follower(folder)
        self.note(f"{self._title}{plan['name']}: {_load(plan['load'])} into {folder}")
        if self._console.is_terminal:
            self._shown = Shown(console=self._console, refresh_per_second=2, transient=True)
            self._shown.start()

    def window(self, window: Mapping[str, Any]) -> None:
        """Shows the second, which is in the journal by now."""
        assert self._run, "a run starts before its first second"
        live, follower = self._run
        for line in follower.read():
            live.take(line)
        if not live.seconds:
            return
        if self._shown:
            self._shown.update(Text(plain(self._title + "\n".join(lines(live)))))
        elif (window["second"] + 1) % _PLAIN_EVERY_S == 0:
            print(f"{self._title}{one_line(live)}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """A line that stays."""
        self._console.print(Text(plain(text)))

    def ended(self) -> None:
        """Removes the live lines."""
        if self._run:
            self._run[1].close()
        if self._shown:
            self._shown.stop()
            self._shown = None


class LoadingProgress:
    """Progress of a data set on its way in."""

    def __init__(self, what: str) -> None:
        """`what` is being loaded."""
        self._console = Console(stderr=True, highlight=False)
        self._what = what
        self._shown = -1
        self._begun_s = time.monotonic()

    def __call__(self, done: int, of: int) -> None:
        """Shows the share done; without a live terminal, a line for each tenth."""
        tenth = 10 * done // max(1, of)
        if tenth == self._shown:
            return
        self._shown = tenth
        end = "\r" if self._console.is_terminal and done < of else "\n"
        if self._console.is_terminal or done >= of:
            took_s = time.monotonic() - self._begun_s
            left = _left(done, of, took_s) if self._console.is_terminal else ""
            self._console.print(Text(f"loading {plain(self._what)}: {10 * tenth} %{left}"), end=end)


def _left(done: int, of: int, took_s: float) -> str:
    """How long the rest takes if it goes on so; blanks wipe off a longer text before.

    >>> _left(20, 100, 5.0), _left(100, 100, 5.0).strip()
    (', about 20 s left  ', '')
    """
    return f", about {took_s * (of - done) / done:.0f} s left  " if 0 < done < of else " " * 24


def _load(load: Mapping[str, Any]) -> str:
    unit = Unit.of(load)
    return f"{load[unit]:.15g} {unit.words}"
