"""`injections.ndjson`: what the campaign is in the first line, then a line for each injection as it ends."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.intake.files import read_bytes
from loadstone.intake.records import json_lines

NAME = "injections.ndjson"
Json = dict[str, Any]
_KIND = Kind("inject-folder", "a journal of injections", 4 << 30, "give a new folder with --out")


class Journal:
    """The lines of a campaign, those of an earlier command that was ended included."""

    def __init__(self, folder: Path, identity: Json) -> None:
        """Opens or makes it. Raises `inject-folder` when another campaign is there, and those of folders."""
        path = folder / NAME
        self.lines: list[Json] = []
        if path.is_file():
            self.lines = _earlier(path, identity)
            whole = read_bytes(path, _KIND).rfind(b"\n") + 1
            os.truncate(path, whole)
        else:
            record.require_unused(folder)
            record.make_folder(folder)
        self._file: IO[str] = path.open("a", encoding="utf-8")
        if path.stat().st_size == 0:
            self._write({"campaign": identity})

    def add(self, line: Json) -> None:
        """Writes an injection; it is with the operating system when this returns."""
        self.lines.append(line)
        self._write(line)

    def close(self) -> None:
        """Nothing more comes."""
        self._file.close()

    def missing(self, runs: int) -> list[int]:
        """Numbers of injections, of so many, that are not there."""
        there = {line["index"] for line in self.lines}
        return [index for index in range(runs) if index not in there]

    def _write(self, content: Json) -> None:
        print(json.dumps(content, separators=(",", ":")), file=self._file, flush=True)


def read_lines(folder: Path) -> list[Json]:
    """The injections in a folder; those of a record without a journal: none. Raises `inject-folder`."""
    path = folder / NAME
    if not path.is_file():
        return []
    return list(json_lines(path, _KIND, read_bytes(path, _KIND)))[1:]


def _earlier(path: Path, identity: Json) -> list[Json]:
    lines = list(json_lines(path, _KIND, read_bytes(path, _KIND)))
    if not lines:
        return []
    known = lines[0].get("campaign")
    if not isinstance(known, dict):
        raise LoadstoneError("inject-folder", "its first line is no campaign", place=str(path))
    for key, value in identity.items():
        if known.get(key) != value:
            raise LoadstoneError(
                "inject-folder", f"another campaign is there: `{key}` is {known.get(key)!r}, not {value!r}",
                place=str(path), hint="give a new folder with --out",
            )  # fmt: skip
    return lines[1:]
