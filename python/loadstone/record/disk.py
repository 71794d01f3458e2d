"""Writing what must survive: whole or not at all, and a full disk is an error of its own."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from loadstone.errors import LoadstoneError
from loadstone.stages.base import Stage

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def disk_full(path: Path) -> LoadstoneError:
    """The error of a disk that took no more of `path`."""
    return LoadstoneError(
        "disk-full",
        f"no space left to write {path}; what was written before stays readable",
        hint="free some space, then `loadstone report` on the folder completes it from its journal",
    )


def require_unused(folder: Path) -> None:
    """Refuses `folder` if nothing new can be made there, before any work is done. Makes nothing itself.

    Errors: `folder-in-use` when it holds something or is a file, `cannot-write` when it cannot be made,
    `run-folder` when its name is not text: DuckDB, which makes the tables, cannot open such a file.
    """
    try:
        str(folder.absolute()).encode()
    except UnicodeEncodeError as error:
        raise LoadstoneError("run-folder", f"the name of {folder} is not UTF-8") from error
    if folder.is_file():
        raise LoadstoneError("folder-in-use", f"{folder} is a file", hint="give a new folder with --out")
    with naming_disk_errors(folder):
        with contextlib.suppress(FileNotFoundError):
            if any(folder.iterdir()):
                raise LoadstoneError(
                    "folder-in-use", f"{folder} is not empty", hint="give a new folder with --out"
                )
        place = folder.absolute()
        while not place.exists():
            place = place.parent
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))


@contextlib.contextmanager
def naming_disk_errors(path: Path) -> Iterator[None]:
    """Turns a full disk met while writing `path` into `disk-full`, other failures into `cannot-write`."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise disk_full(path) from error
        raise LoadstoneError(
            "cannot-write", f"cannot write {path}: {error.strerror}", hint="choose another folder with --out"
        ) from error
    except duckdb.IOException as error:
        # DuckDB gives no errno, only the system's words for it.
        if any(os.strerror(number) in str(error) for number in _FULL):
            raise disk_full(path) from error
        raise


def make_folder(folder: Path) -> None:
    """Makes `folder` and its parents, unless they exist. Errors: `disk-full`, `cannot-write`."""
    with naming_disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)


def write_text(path: Path, text: str) -> None:
    """Replaces `path` by `text`, whole or not at all. Errors: `disk-full`, `cannot-write`."""
    draft = path.with_name(path.name + ".tmp")
    with naming_disk_errors(path):
        try:
            # A byte of the command line that is not text becomes `\\udcXX`, which JSON reads back.
            with draft.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise


def write_json(path: Path, content: dict[str, Any]) -> None:
    """`write_text` of an object, indented; NaN is refused, an unknown figure is None."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_stage(folder: Path, record: Stage) -> Path:
    """Writes the record into `folder` under its own name; returns the file. Errors as `write_json`."""
    path = folder / record.FILE
    write_json(path, record.content())
    return path
