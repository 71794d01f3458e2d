"""Which lab a command is about, and what it tells on the way."""

from __future__ import annotations

import sys
from pathlib import Path


def lab_name(topology: str | None) -> str:
    """The name of a lab: that in a file, or the word itself; of the only lab there is without a word."""
    from loadstone.lab import load_topology, only_lab

    if topology is None:
        return only_lab()
    return load_topology(Path(topology)).name if "/" in topology or Path(topology).suffix else topology


def say(step: str) -> None:
    """Tells a step that is under way."""
    print(f"  {step}", file=sys.stderr, flush=True)
