"""The switch as a process of its own: `python -m loadstone.lab.switch CONFIG.json`.

LOADSTONE_LINKSHAPE names a `loadstone-linkshape` program to run instead of the one built in.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.lab.folder import Folder

_PRIORITY = 50
"""Above everything that is not real-time, below the kernel's own threads of the same policy."""


_PATIENCE_S = 10.0


def ask(folder: Folder, request: dict[str, Any]) -> None:
    """Has the switch of a lab take over a change. LoadstoneError `lab-start` with its words."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_PATIENCE_S)
            line.connect(str(folder.path / "switch.sock"))
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile(encoding="utf-8") as answers:
                error = json.loads(answers.readline())["error"]
    except (OSError, ValueError) as problem:
        error = f"it does not answer: {problem}"
    if error:
        raise LoadstoneError("lab-start", f"the switch of `{folder.name}`: {error}")


def main(config: str) -> None:
    """Runs the switch with real-time priority, or says on stderr that it has none, until it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        # Its other threads only write counters: they stay ordinary.
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(_PRIORITY))
    except PermissionError:
        print(
            "the switch has no real-time priority: delays may exceed those asked for",
            file=sys.stderr,
            flush=True,
        )
    if program := os.environ.get("LOADSTONE_LINKSHAPE"):
        os.execv(program, [program, config])
    from loadstone._core import run_switch

    run_switch(Path(config).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1])
