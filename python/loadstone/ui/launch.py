"""Runs started from the page: `loadstone run` in processes of their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.stages.run import Run
from loadstone.ui.apart import Apart


class Launcher:
    """Starts one run at a time: two at once would disturb each other on one machine."""

    def __init__(self, logs: Path, named: Callable[[str], Path]) -> None:
        """`logs`: where what the commands say is kept. `named`: a fresh folder name for a scenario."""
        self._logs, self._named = logs, named
        self._alone = threading.Lock()
        self._last: tuple[Path, Apart] | None = None

    def start(self, place: Path, scenario: str, arguments: Sequence[str]) -> tuple[Path, Apart]:
        """A run beneath `place`: the folder that it will make, and its process.

        LoadstoneError `run-going-on` while one that was started here goes on.
        """
        with self._alone:
            # One that has its record only says what it found.
            if self._last and self._last[1].lives and not (self._last[0] / Run.FILE).is_file():
                raise LoadstoneError(
                    "run-going-on",
                    "a run that was started here is still going on",
                    hint="stop it, or wait until it ends: two at once would disturb each other",
                )
            folder = self._unused(place / self._named(Path(scenario).stem).name)
            self._last = (
                folder,
                Apart(["run", f"--out={os.fspath(folder)}", *arguments], self._log(folder)),
            )
            return self._last

    def _log(self, folder: Path) -> Path:
        return self._logs / f"{folder.name}.log"

    def _unused(self, folder: Path) -> Path:
        """The folder, or one with a number behind its name: the time in it has only seconds.

        A run that failed before it measured anything has left no folder, but pages know it by its name:
        its log tells.
        """
        found, number = folder, 2
        while found.exists() or self._log(found).exists():
            found, number = folder.with_name(f"{folder.name}-{number}"), number + 1
        return found
