"""The record of a run under way, as it would be if the run ended now: verdicts as they form."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from loadstone.record import journal, recover
from loadstone.record.folder import WORKLOAD
from loadstone.scratch import scratch
from loadstone.stages.run import Run

_FIRST = ("scenario.toml", WORKLOAD, "machine.json", "rules.json")
"""What a run folder has before its journal, and what its completion needs."""

_SHARE = 0.05
"""Of one processor: a judgement takes longer as the journal grows, and then is made more rarely."""

_LEAST_S = 2.0


class SoFar:
    """Completes copies of one run's folder as the run's own end does: nothing is computed twice over."""

    def __init__(self, folder: Path) -> None:
        """Nothing is made yet."""
        self._folder = folder
        self._due = 0.0

    @property
    def is_due(self) -> bool:
        """Whether the last record is old enough for what a new one costs."""
        return time.monotonic() >= self._due

    def record(self) -> Run | None:
        """The record up to now; None once the run has ended, and completes its folder itself.

        LoadstoneError as of `record.recover`.
        """
        used = time.process_time()
        with scratch("so-far") as place:
            try:
                for name in _FIRST:
                    shutil.copyfile(self._folder / name, place / name)
                _copy_lines(self._folder / journal.NAME, place / journal.NAME)
            except FileNotFoundError:
                return None
            found = recover(place)
        # Of all threads: DuckDB has its own.
        self._due = time.monotonic() + max(_LEAST_S, (time.process_time() - used) / _SHARE)
        return found


def _copy_lines(source: Path, target: Path) -> None:
    """The whole lines of a journal that grows meanwhile."""
    with source.open("rb") as file, target.open("wb") as copy:
        length = os.fstat(file.fileno()).st_size
        while length > 0 and (piece := file.read(min(length, 1 << 20))):
            copy.write(piece)
            length -= len(piece)
