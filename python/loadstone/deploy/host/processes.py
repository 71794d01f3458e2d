"""Processes of this host: which are a service's, and who listens on a port. Read from /proc."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple

from .home import Home, read

Table = Dict[int, Dict[str, int]]
"""Every process by its number: parent, session, when it started, and processor time in clock ticks: its own,
and that of children that have ended (`reaped`).
"""


def running(home: Home, every: Optional[Table] = None) -> bool:
    """Whether its first process lives; `every` as of `table`, where it was read already."""
    pid, started = identity(home)
    return pid > 0 and (every or table()).get(pid, {}).get("started") == started


def members(home: Home, every: Optional[Table] = None) -> List[int]:
    """Those of the first one's session, and what they have started; `every` as of `running`."""
    pid, started = identity(home)
    every = every or table()
    if not pid or (pid in every and every[pid]["started"] != started):
        return []  # a number that is in use as a session is not given to another process
    found = {number for number, one in every.items() if one["session"] == pid}
    while more := {number for number, one in every.items() if one["parent"] in found} - found:
        found |= more
    return sorted(found)


def starts(pids: List[int]) -> Dict[int, int]:
    """When each of these processes started, which with its number tells it from all others."""
    every = table()
    return {pid: every[pid]["started"] for pid in pids if pid in every}


def identity(home: Home) -> Tuple[int, int]:
    """Number and start (clock ticks since boot) of the first process; zeros without one."""
    words = read(home.run / "first").split()
    if len(words) != 3 or words[2] != read(Path("/proc/sys/kernel/random/boot_id")):
        return 0, 0
    return int(words[0]), int(words[1])


def age_s(home: Home) -> float:
    """Seconds since its first process started."""
    ticks = os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - identity(home)[1] / ticks


def table() -> Table:
    """All processes of this host that have not ended."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            # After the name in brackets, which may hold anything: state, parent, group, session, ..., start.
            fields = read(Path("/proc", entry, "stat")).rpartition(")")[2].split()
            # Of a program with threads the first one may have ended before the others, which hold its ports.
            if fields and (fields[0] not in "ZX" or int(fields[17]) > 1):
                found[int(entry)] = {
                    "parent": int(fields[1]), "session": int(fields[3]), "started": int(fields[19]),
                    "ticks": int(fields[11]) + int(fields[12]), "reaped": int(fields[13]) + int(fields[14]),
                }  # fmt: skip
    return found


def listening(home: Home, port: int) -> Set[int]:
    """Which of its processes listen on the port."""
    wanted = {f"socket:[{inode}]" for inode in _inodes(port)}
    return {pid for pid in members(home) if wanted & _sockets(pid)} if wanted else set()


def listener(port: int) -> str:
    """Who listens on a port, in words; empty when nobody does."""
    wanted = {f"socket:[{inode}]" for inode in _inodes(port)}
    for pid in table() if wanted else ():
        if wanted & _sockets(pid):
            return f"process {pid} ({read(Path('/proc', str(pid), 'comm'))})"
    return "another process" if wanted else ""


def _inodes(port: int) -> List[str]:
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in read(Path(table)).splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                found.append(fields[9])
    return found


def _sockets(pid: int) -> Set[str]:
    found = set()
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                found.add(os.readlink(entry.path))
    return found
