"""The log of a console: files of a bounded size, the older ones renamed."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

KEPT = 3
"""Older files beside the one that is written."""


class ConsoleLog:
    """Lines with their time, in `FILE`; what was in it before is in `FILE.1`, `FILE.2` and so on."""

    def __init__(self, file: Path, most_bytes: int) -> None:
        """Goes on behind what is there. OSError."""
        self._file = file
        self._most = most_bytes
        self._alone = threading.Lock()
        self._open()

    def write(self, line: str) -> None:
        """Adds a line. A full disk loses lines, not the instance."""
        raw = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {line}\n".encode("utf-8", "backslashreplace")
        with self._alone, contextlib.suppress(OSError):
            if self._stream.closed:
                self._open()
            if self._bytes and self._bytes + len(raw) > self._most:
                self._rotate()
            self._stream.write(raw)
            self._bytes += len(raw)

    def close(self) -> None:
        """Ends it."""
        with self._alone:
            self._stream.close()

    def _rotate(self) -> None:
        self._stream.close()
        for number in range(KEPT, 0, -1):
            older = self._named(number - 1) if number > 1 else self._file
            if older.exists():
                older.replace(self._named(number))
        self._open()

    def _open(self) -> None:
        # Unbuffered: what a machine said last is what explains its end.
        self._stream = self._file.open("ab", buffering=0)
        self._bytes = self._file.stat().st_size

    def _named(self, number: int) -> Path:
        return self._file.with_name(f"{self._file.name}.{number}")
