"""The journal: one JSON object a line, each line whole on disk before the next second.

One writer at a time holds a lock on it, so that the journal of a run in progress is never converted.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.record.disk import naming_disk_errors

NAME = "journal.ndjson"

_BLOCK = 1 << 16


class Journal:
    """Appends lines; every method raises `disk-full` when the disk takes no more."""

    def __init__(self, folder: Path) -> None:
        """Starts the journal of `folder`."""
        self._path = folder / NAME
        with naming_disk_errors(self._path):
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._length = os.fstat(self._file).st_size

    def window(self, window: Mapping[str, Any]) -> None:
        """One second as the engine saw it, and as each of its agents saw it, if there are any."""
        own = {key: value for key, value in window.items() if key != "agents"}
        agents = window.get("agents")
        self._append(
            {"window": own} | ({"agents": {"second": own["second"], "of": agents}} if agents else {})
        )

    def hosts(self, second: int, metrics: Mapping[str, Mapping[str, float]]) -> None:
        """One second as this machine saw it: value by role and metric."""
        self._append({"hosts": {"second": second, "metrics": metrics}})

    def seen(
        self,
        second: int,
        host: str,
        metrics: Mapping[str, float],
        services: Mapping[str, Mapping[str, float]],
    ) -> None:
        """One second of a host of the topology: of the whole, and by service on it."""
        self._append({"seen": {"second": second, "host": host, "metrics": metrics, "services": services}})

    def event(self, kind: str, **details: Any) -> None:
        """Something that happened once."""
        self._append({"event": {"kind": kind, **details}})

    def close(self) -> None:
        """Ends writing and gives the lock back."""
        os.close(self._file)

    def _append(self, line: dict[str, Any]) -> None:
        # One object, one write: a crash can cut the last line, never mix two.
        with naming_disk_errors(self._path):
            try:
                self._write(line)
            except OSError:
                # The cut line goes, and the space it leaves usually holds the reason.
                os.ftruncate(self._file, self._length)
                self._explain()
                raise

    def _explain(self) -> None:
        try:
            self._write({"event": {"kind": "disk-full"}})
        except OSError:
            os.ftruncate(self._file, self._length)

    def _write(self, line: dict[str, Any]) -> None:
        text = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        left = memoryview(text)
        while left:
            left = left[os.write(self._file, left) :]
        self._length += len(text)


def repair(path: Path) -> None:
    """Cuts what follows the last whole line: a process that died in the middle of a write leaves half a line.

    Error `run-going-on` while another process writes it.
    """
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LoadstoneError(
                "run-going-on",
                f"the run in {path.parent} is still going on",
                hint="wait until it ends, or stop it with Ctrl-C",
            ) from error
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - _BLOCK)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        file.truncate(end)
