"""The page of one run, in a process of its own beside it: `run --ui`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone.errors import LoadstoneError
from loadstone.scratch import scratch

if TYPE_CHECKING:
    from loadstone.ui.apart import Apart

_LOOK_S = 0.05
_PATIENCE_S = 60.0
"""Until the page can be asked for, on a busy machine."""


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Serves the page of the run that will be written into `folder`, and says on stderr where it is.

    The page stays when the context is left, until it is closed. LoadstoneError `internal` when it does not
    come.
    """
    from loadstone.ui.apart import Apart

    with scratch("page") as own:
        asked = [f"--show={folder.name}", f"--beside={os.getpid()}"]
        page = Apart(["ui", *asked, "--", os.fspath(folder.parent)], own / "said.txt")
        print(f"page: {_address(page)}", file=sys.stderr, flush=True)
        yield


def _address(page: Apart) -> str:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        lives = page.lives
        found = [line for line in page.said.splitlines() if line.startswith("http://")]
        if found:
            return found[0]
        if not lives:
            break
        time.sleep(_LOOK_S)
    raise LoadstoneError("internal", f"the page did not come up: {page.said}")
