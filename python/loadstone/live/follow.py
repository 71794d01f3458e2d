"""Reads the journal of a run while the run writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from loadstone.intake.logs import object_of
from loadstone.record import journal

_MOST = 8 << 20
"""Bytes taken at once: a long journal that is met late is read in pieces."""


class Follower:
    """The lines of one journal, each once, as they come whole."""

    def __init__(self, folder: Path) -> None:
        """From the first line on; nothing is read yet."""
        self._path = folder / journal.NAME
        self._file: BinaryIO | None = None
        self._at = 0

    def close(self) -> None:
        """Reads no more."""
        if self._file is not None:
            self._file.close()

    def read(self) -> list[dict[str, Any]]:
        """What has come since the last call; nothing if there is no journal yet.

        It stays open: a run that is over removes it, and what came last can still be read.
        """
        if self._file is None:
            try:
                self._file = self._path.open("rb")
            except FileNotFoundError:
                return []
        self._file.seek(self._at)
        text = self._file.read(_MOST)
        while text and b"\n" not in text and (more := self._file.read(_MOST)):
            text += more
        whole = text[: text.rfind(b"\n") + 1]
        self._at += len(whole)
        lines = []
        for line in whole.splitlines():
            # Zeros of a power cut are none: that second is lost, not the run.
            if (found := object_of(line)) is not None:
                lines.append(found)
        return lines
