"""`results.ndjson`: a line for each measurement, on disk before the next one begins."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loadstone.intake import Kind, json_of, read_bytes
from loadstone.record.disk import naming_disk_errors
from loadstone.study.schedule import Task

NAME = "results.ndjson"

Row = dict[str, Any]
"""`key`, `part`, `case`, `repetition`, `order`, `at`, `took_s`, and `measured` or `error`."""


_KIND = Kind("study-resume", "the lines of a study", 1 << 30)
_KEYS = {"key", "part", "case", "repetition", "order"}


class Results:
    """The rows of a study, those of an interrupted one included."""

    def __init__(
        self, folder: Path, finished: Callable[[Mapping[str, Any]], bool] = lambda measured: True
    ) -> None:
        """Reads what there is. A last line that was cut off is removed: it was not measured to its end.

        `finished`: as `Study.finished`. LoadstoneError `cannot-write`, `disk-full`.
        """
        self.path = folder / NAME
        self.rows: list[Row] = []
        self._finished = finished
        self._cut()
        self._done: set[str] = set()
        for row in self.rows:
            self._note(row)

    def done(self, task: Task) -> bool:
        """Whether it was measured to its end, without an error."""
        return task.key in self._done

    def add(self, task: Task, at: str, took_s: float, outcome: Mapping[str, Any]) -> None:
        """Writes one measurement down; `outcome` is `{"measured": ...}` or `{"error": ...}`.

        LoadstoneError `cannot-write`, `disk-full`.
        """
        row: Row = {
            "key": task.key,
            "part": task.part,
            "case": dict(task.case),
            "repetition": task.repetition,
            "order": len(self.rows) + 1,
            "at": at,
            "took_s": round(took_s, 3),
            **outcome,
        }
        with naming_disk_errors(self.path), self.path.open("ab") as file:
            # Commands that measure other parts of the study may write, too.
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)
        self._note(row)

    def measured(self, part: str) -> list[Row]:
        """The good rows of a part, the last of each task, in the order they were made."""
        last = {row["key"]: row for row in self.rows if row["part"] == part and "error" not in row}
        return sorted(last.values(), key=lambda row: int(row["order"]))

    def failed(self) -> list[Row]:
        """Measurements whose last try ended in an error; what an earlier one found still counts."""
        last = {row["key"]: row for row in self.rows}
        return [row for row in last.values() if "error" in row]

    def _note(self, row: Row) -> None:
        if "error" in row:
            return
        # Gone on with, it may no longer be an answer, or become one.
        if self._finished(row["measured"]):
            self._done.add(row["key"])
        else:
            self._done.discard(row["key"])

    def _cut(self) -> None:
        if not self.path.is_file():
            return
        with naming_disk_errors(self.path), self.path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._read()

    def _read(self) -> None:
        content = read_bytes(self.path, _KIND)
        whole = 0
        for line in content.splitlines(keepends=True):
            try:
                row = json_of(line) if line.endswith(b"\n") else None
            except ValueError:
                row = None
            if not isinstance(row, dict) or not row.keys() >= _KEYS:
                break
            self.rows.append(row)
            whole += len(line)
        if whole < len(content):
            with naming_disk_errors(self.path):
                os.truncate(self.path, whole)
