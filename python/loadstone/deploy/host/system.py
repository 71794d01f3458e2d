"""What the kernel counts of this host and of processes, read from /proc: sums and levels, no rates."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Dict, Iterable, List, Tuple

from .home import read
from .processes import Table

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SECTOR = 512
_KINDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_PASSED_ON = ("loop", "ram", "zram", "dm-", "md", "sr")
"""Devices that only pass on what others do, or that are no disks."""

Figures = Dict[str, float]


def processor() -> Figures:
    """Processor seconds of the whole machine by kind, since it started."""
    words = read(Path("/proc/stat")).split("\n", 1)[0].split()[1:]
    used = {kind: int(word) / _TICKS for kind, word in zip(_KINDS, words)}
    return {
        "cpu_user": used["user"] + used["nice"],
        "cpu_system": used["system"],
        "cpu_irq": used["irq"] + used["softirq"],
        "cpu_iowait": used["iowait"],
        "steal": used["steal"],
        "idle": used["idle"],
    }


def memory() -> Figures:
    """Bytes of the whole machine, now."""
    lines = [line.split() for line in read(Path("/proc/meminfo")).splitlines()]
    found = {words[0].rstrip(":"): float(words[1]) * 1024 for words in lines}
    available = found.get("MemAvailable", found["MemFree"])
    return {
        "memory_used_bytes": found["MemTotal"] - available,
        "swap_used_bytes": found.get("SwapTotal", 0.0) - found.get("SwapFree", 0.0),
    }


def room(folder: Path) -> Figures:
    """Of the disk that has the folder, or its nearest ancestor that exists: bytes in use, and left for us."""
    while not folder.exists():
        folder = folder.parent
    found = os.statvfs(folder)
    return {
        "disk_used_bytes": float((found.f_blocks - found.f_bfree) * found.f_frsize),
        "disk_free_bytes": float(found.f_bavail * found.f_frsize),
    }


def memory_bytes() -> int:
    """All that the machine has."""
    return os.sysconf("SC_PHYS_PAGES") * _PAGE


def disks() -> Tuple[Figures, Dict[str, float]]:
    """Bytes read and written by all disks, and by disk the seconds in which it was busy."""
    names = {name for name in _listed("/sys/block") if not name.startswith(_PASSED_ON)}
    sums, busy = {"read_bytes": 0.0, "write_bytes": 0.0}, {}
    for line in read(Path("/proc/diskstats")).splitlines():
        words = line.split()
        if words[2] in names:
            sums["read_bytes"] += int(words[5]) * _SECTOR
            sums["write_bytes"] += int(words[9]) * _SECTOR
            busy[words[2]] = int(words[12]) / 1000
    return sums, busy


def network() -> Figures:
    """Bytes, packets and what was dropped on the way; of real devices where there are any."""
    lines = [line.replace(":", " ").split() for line in read(Path("/proc/net/dev")).splitlines()[2:]]
    rows = {words[0]: [float(word) for word in words[1:]] for words in lines if words and words[0] != "lo"}
    real = {name for name in rows if os.path.exists(f"/sys/class/net/{name}/device")}
    sums = {"rx_bytes": 0.0, "tx_bytes": 0.0, "rx_packets": 0.0, "tx_packets": 0.0, "dropped_packets": 0.0}
    for name in real or rows:
        row = rows[name]
        for key, at in (("rx_bytes", 0), ("rx_packets", 1), ("tx_bytes", 8), ("tx_packets", 9)):
            sums[key] += row[at]
        sums["dropped_packets"] += row[3] + row[11]
    return sums


def sockets() -> Tuple[Figures, Figures]:
    """Sockets now; and since the start, segments sent anew and connections refused for a full queue."""
    levels: Figures = {}
    for file in ("/proc/net/sockstat", "/proc/net/sockstat6"):
        for line in read(Path(file)).splitlines():
            words = line.split()
            if words[0] in ("TCP:", "TCP6:"):
                pairs = dict(zip(words[1::2], map(float, words[2::2])))
                levels["tcp_sockets"] = levels.get("tcp_sockets", 0.0) + pairs["inuse"]
                if "tw" in pairs:
                    levels["tcp_time_wait"] = pairs["tw"]
    tcp, extended = _table("/proc/net/snmp", "Tcp:"), _table("/proc/net/netstat", "TcpExt:")
    sums = {"retransmits": tcp.get("RetransSegs", 0.0), "listen_drops": extended.get("ListenDrops", 0.0)}
    return levels, sums


def used(pids: Iterable[int], every: Table) -> Tuple[Figures, Figures]:
    """Memory of processes now (pages that they share count once); what they and those that they outlived
    have used of the processor and of disks.
    """
    resident = common = 0.0
    sums = {"cpu": 0.0, "read_bytes": 0.0, "write_bytes": 0.0}
    count = 0
    for pid in pids:
        one = every[pid]
        sums["cpu"] += (one["ticks"] + one["reaped"]) / _TICKS
        words = read(Path(f"/proc/{pid}/statm")).split()
        if not words:
            continue  # it has just ended
        count += 1
        resident += (int(words[1]) - int(words[2])) * _PAGE
        common = max(common, int(words[2]) * _PAGE)
        for line in read(Path(f"/proc/{pid}/io")).splitlines():
            name, _, value = line.partition(": ")
            if name in sums:
                sums[name] += float(value)
    return {"rss_bytes": resident + common, "processes": float(count)}, sums


def _table(file: str, head: str) -> Figures:
    """A pair of lines with that head: names, then values."""
    lines: List[List[str]] = [line.split() for line in read(Path(file)).splitlines() if line.startswith(head)]
    return dict(zip(lines[0][1:], map(float, lines[1][1:]))) if len(lines) == 2 else {}


def _listed(folder: str) -> List[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)
    return []
