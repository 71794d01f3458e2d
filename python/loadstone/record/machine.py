"""The machine a run was made on, as far as the operating system describes it."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil


def machine() -> dict[str, Any]:
    """Host name, processor, usable cores, memory, operating system and kernel."""
    return {
        "hostname": platform.node(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": psutil.virtual_memory().total,
        "os": _os(),
        "kernel": platform.release(),
    }


def versions() -> dict[str, str | None]:
    """The versions of Loadstone (None when it is not installed) and of its Python."""
    try:
        own: str | None = metadata.version("loadstone")
    except metadata.PackageNotFoundError:
        own = None
    return {"loadstone": own, "python": platform.python_version()}


def _cpu() -> str:
    for line in _lines("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model"):
            return value.strip()
    return platform.machine()


def _os() -> str:
    for line in _lines("/etc/os-release"):
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            return value.strip().strip('"')
    return platform.system()


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []
