"""Loadstone's own command, run in the checkout, so that records do not say where that lies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def loadstone(*words: object, good: tuple[int, ...] = (0,)) -> str:
    """Standard output of the command; all ends here where its exit code is not one of `good`."""
    program = ROOT / ".venv/bin/loadstone"
    arguments = [str(one) for one in words]
    print("loadstone", *arguments, flush=True)
    # The builds ask `python3` for pip.
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [program, *arguments], cwd=ROOT, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, text=True
    )
    if done.returncode not in good:
        sys.exit(f"loadstone {arguments[0]} ended with {done.returncode}")
    return done.stdout
