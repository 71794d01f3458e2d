"""The switch as a process of its own: `python -m loadstone.lab.switch CONFIG.json`.

LOADSTONE_LINKSHAPE names a `loadstone-linkshape` program to run instead of the one built in.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

_PRIORITY = 50
"""Above everything that is not real-time, below the kernel's own threads of the same policy."""


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
