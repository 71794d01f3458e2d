"""Private folders of a running command. What a killed command has left, the next one removes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

PLACE = Path("/tmp")
"""Paths here are short: a socket's may have 108 bytes."""

_PLAIN = ("ansible", "content", "learn")
"""Kinds that only have to be removed: any command does that, whatever it needs itself."""


def _nothing(_: Path) -> None:
    """There is nothing to do but to remove it."""


@contextlib.contextmanager
def scratch(kind: str, last: Callable[[Path], None] = _nothing) -> Iterator[Path]:
    """A folder `loadstone-KIND-...` that only we can read, removed at the end, after `last(folder)`.

    First the same is done to those whose command is gone. `last` must be nothing for the kinds of `_PLAIN`.
    """
    prefix = f"loadstone-{kind}-"
    for path in PLACE.glob(f"{prefix}*"):
        _sweep(path, last)
    for plain in _PLAIN:
        for path in PLACE.glob(f"loadstone-{plain}-*"):
            _sweep(path, _nothing)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=PLACE))
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(held, fcntl.LOCK_EX)
        if folder.exists():
            break
        os.close(held)  # swept away before we held it
    try:
        yield folder
    finally:
        last(folder)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _sweep(path: Path, last: Callable[[Path], None]) -> None:
    """Removes the folder, unless it is another user's or its command still runs: that holds it."""
    try:
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if os.fstat(held).st_uid != os.geteuid():
            return
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            last(path)
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(held)
