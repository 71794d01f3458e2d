"""The user's cache of data sets: a few whole ones, and working folders that do not outlive their process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from loadstone.errors import LoadstoneError

KEPT = 5
"""Whole data sets that stay: those used last."""

_WORKING = "."
"""What the names of working folders begin with."""

_YOUNG_S = 60.0
"""A working folder younger than this may not have its lock yet."""


def home() -> Path:
    """`$XDG_CACHE_HOME/loadstone/data`."""
    above = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(above) / "loadstone" / "data"


@contextlib.contextmanager
def working_folder(purpose: str) -> Iterator[Path]:
    """A folder in the cache that is removed after the block, whatever happened to its content.

    It is locked as long as this process lives: `prune` removes those of processes that were killed.
    Error `load-data` when it cannot be made.
    """
    with naming_errors(home()):
        home().mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{_WORKING}{purpose}-", dir=home()))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def used(folder: Path) -> None:
    """Notes that the data set `folder` was used now."""
    with contextlib.suppress(OSError):
        os.utime(folder)


def prune() -> None:
    """Removes what killed processes left, and all data sets except the `KEPT` used last. Never raises."""
    found = [(_used_at(path), path) for path in home().glob("*")]
    abandoned = [
        path
        for at, path in found
        if path.name.startswith(_WORKING) and time.time() - at > _YOUNG_S and not _locked(path)
    ]
    whole = sorted(((at, path) for at, path in found if not path.name.startswith(_WORKING)), reverse=True)
    for path in [*abandoned, *(path for _, path in whole[KEPT:])]:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def naming_errors(folder: Path) -> Iterator[None]:
    """Turns what keeps the cache from being written into `load-data`."""
    try:
        yield
    except OSError as error:
        # `shutil.Error` is a list of what went wrong with each file; the first tells enough.
        why = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror or error
        raise LoadstoneError(
            "load-data",
            f"cannot write the data set to {folder}: {why}",
            hint="make room there, or let XDG_CACHE_HOME name another place",
        ) from error


def _used_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _locked(path: Path) -> bool:
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
