"""What a server's processes use: CPU time and resident memory, as the kernel tells them."""

from __future__ import annotations

import os
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def family(root: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for process in found:
        found.extend(children.get(process, []))
    return found


def cpu_s(root: int) -> tuple[float, float]:
    """User and system seconds so far of a process, its living descendants and those it has waited for."""
    user = system = 0.0
    for process in family(root):
        if fields := _stat(process):
            user += (int(fields[11]) + int(fields[13])) * TICK_S
            system += (int(fields[12]) + int(fields[14])) * TICK_S
    return user, system


def resident_bytes(root: int) -> int:
    """Main memory that a process and its descendants have mapped: VmRSS."""
    return sum(int(fields[21]) * PAGE for process in family(root) if (fields := _stat(process)))


def _stat(process: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the state on, none for a process that has gone."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()
