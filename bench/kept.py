"""Where a benchmark keeps its figures, and what its record says of the machine."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path
from typing import Any

RUNS = Path(__file__).resolve().parent / "runs"


def folder(name: str = "", out: str | Path | None = None) -> Path:
    """`out`, or else bench/runs/<date>-<machine>/<name>; made if it is not there."""
    today = datetime.datetime.now(datetime.UTC).date()
    found = Path(out) if out else RUNS / f"{today}-{platform.machine()}-{os.cpu_count()}core" / name
    found.mkdir(parents=True, exist_ok=True)
    return found


def head(command: str) -> dict[str, Any]:
    """The first entries of a record: what was run, when and where."""
    return {
        "command": command,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "kernel": platform.release(), "cpu": processor()},
        "load_average": os.getloadavg(),
    }


def line(head: dict[str, Any]) -> str:
    """Command, day and processor, above a table."""
    return f"{head['command']}, {head['date'][:10]}, {head['machine']['cpu']}"


def processor() -> str:
    """The processor's name as the kernel tells it."""
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
