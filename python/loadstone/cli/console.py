"""What is typed while a command runs: orders for the machines that it has started."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator

_LOOK_S = 0.2
_MOST = 4096


@contextlib.contextmanager
def typed_lines(obey: Callable[[str], None]) -> Iterator[None]:
    """Hands each line of standard input to `obey`, on a thread of its own, until the context is left.

    A command in the background of a terminal reads nothing: the terminal would stop it.
    """
    done = threading.Event()
    reader = threading.Thread(target=_read, args=(obey, done), daemon=True)
    reader.start()
    try:
        yield
    finally:
        done.set()
        reader.join()


def _read(obey: Callable[[str], None], done: threading.Event) -> None:
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return
    rest = b""
    while not done.is_set():
        try:
            ready = select.select([descriptor], [], [], _LOOK_S)[0]
            if not ready:
                continue
            if os.isatty(descriptor) and os.tcgetpgrp(descriptor) != os.getpgrp():
                done.wait(_LOOK_S)
                continue
            read = os.read(descriptor, _MOST)
        except OSError:
            return
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            obey(line.decode("utf-8", "replace").strip())
        if not read:
            return
