"""Processor time and memory of a service's processes, and of its whole machine, read over ssh."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from loadstone.ssh import Ssh

_TICK_US = 10_000
"""Of the kernel's clock for user programs: USER_HZ is 100 on every Linux that Debian builds."""

_BUSY = ("user", "nice", "system", "irq", "softirq", "steal")
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True)
class Counters:
    """What the kernel has counted up to now."""

    user_us: int
    """Of the processes and those of their children that have ended."""
    sys_us: int
    machine_us: dict[str, int]
    """Of all processors of the machine by kind of work; hosts of a lab share one machine."""
    pss_bytes: int | None = None
    """Memory of the processes, what they share counted once; None when not asked for."""


@dataclass(frozen=True)
class Used:
    """Between two readings."""

    user_us: int
    sys_us: int
    busy_us: int
    """Of the whole machine."""
    softirq_us: int
    idle_share: float
    """Of the machine's processors."""


def read(ssh: Ssh, host: str, pids: Collection[int], *, memory: bool = False) -> Counters:
    """The counters of `pids` (numbers there) with all their children. Errors as `Ssh.run`."""
    script = "head -1 /proc/stat; cat /proc/[0-9]*/stat 2>/dev/null"
    if memory and pids:
        files = " ".join(f"/proc/{pid}/smaps_rollup" for pid in pids)
        script += f"; grep -hs ^Pss: {files}"
    command = [*ssh.as_root(host), "sh", "-c", script + "; true"]
    return parse(ssh.run(host, command).out, pids)


def parse(text: str, pids: Collection[int]) -> Counters:
    """The counters in the words of /proc."""
    machine: dict[str, int] = {}
    parents: dict[int, int] = {}
    times: dict[int, tuple[int, int]] = {}
    memory: int | None = None
    for line in text.splitlines():
        if line.startswith("cpu "):
            values = [int(word) * _TICK_US for word in line.split()[1:9]]
            machine = dict(zip(_FIELDS, values, strict=False))
        elif line.startswith("Pss:"):
            memory = (memory or 0) + int(line.split()[1]) * 1024
        elif line[:1].isdigit():
            # The name in parentheses may hold anything, also parentheses.
            rest = line.rpartition(")")[2].split()
            pid = int(line.split(" ", 1)[0])
            parents[pid] = int(rest[1])
            user, system, child_user, child_system = (int(word) for word in rest[11:15])
            times[pid] = (user + child_user, system + child_system)
    tree = _family(pids, parents)
    user_us, sys_us = (sum(times[pid][kind] for pid in tree) * _TICK_US for kind in (0, 1))
    return Counters(user_us, sys_us, machine, memory)


def used(before: Counters, after: Counters) -> Used:
    """What was used in between."""
    spent = {kind: after.machine_us[kind] - before.machine_us[kind] for kind in after.machine_us}
    total = sum(spent.values())
    return Used(
        user_us=after.user_us - before.user_us,
        sys_us=after.sys_us - before.sys_us,
        busy_us=sum(spent.get(kind, 0) for kind in _BUSY),
        softirq_us=spent.get("softirq", 0) + spent.get("irq", 0),
        idle_share=(spent.get("idle", 0) + spent.get("iowait", 0)) / total if total else 0.0,
    )


def _family(pids: Iterable[int], parents: dict[int, int]) -> set[int]:
    """The processes that live, with all that descend from them."""
    family = {pid for pid in pids if pid in parents}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return family
