"""Processor, memory, disk and network of the processes a run touches, once a second.

Roles: `sut` (its processes with all they started), `database`, `generator` (this process alone: a service
that it started is not its load) and `host`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import psutil

from loadstone._core import Yardstick
from loadstone.errors import LoadstoneError

Metrics = dict[str, dict[str, float]]
"""Value by role and metric."""

_FAMILY_S = 5.0
"""Looking for new child processes walks the whole process table, so it is done this often only."""

_SHORTEST_S = 0.2
"""Rates over less than this would mostly show the granularity of the kernel's clocks."""


class Observer:
    """Samples rates since the last sample; the first one is empty."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        """`roots`: the first process of the roles `sut` and `database`, where there are any.

        Error `no-process` when one does not exist.
        """
        self._families = [_Family("generator", _process("generator", os.getpid()), with_children=False)]
        self._families += [
            _Family(role, _process(role, pid), with_children=True) for role, pid in roots.items()
        ]
        self._host: dict[str, float] = {}
        self._yardstick = Yardstick()
        self._at = time.monotonic()
        self._ahead = _time_of_day_ahead()
        self.sample()

    def sample(self) -> Metrics:
        """Rates since the last sample and sizes now; empty when that was a moment ago. Never raises."""
        now = time.monotonic()
        elapsed = now - self._at
        if self._host and elapsed < _SHORTEST_S:
            return {}
        self._at = now
        metrics = {family.role: family.sample(now, elapsed) for family in self._families}
        before, self._host = self._host, _host_totals()
        if not before:
            return {}
        host = metrics["host"] = _rates(before, self._host, elapsed)
        if metrics.get("sut"):
            ours = sum(values.get("cpu_cores", 0.0) for role, values in metrics.items() if role != "host")
            # Interrupts are mostly the load's own network.
            rest = host["cpu_cores"] - host["steal_cores"] - host["interrupt_cores"] - ours
            host["foreign_cores"] = max(0.0, rest)
        ahead, self._ahead = self._ahead, _time_of_day_ahead()
        host["clock_step_s"] = self._ahead - ahead
        host["memory_used_bytes"] = float(psutil.virtual_memory().used)
        host["compute_us"], host["memory_us"] = self._yardstick.measure()
        return {role: values for role, values in metrics.items() if values}


@dataclass
class _Family:
    """A process and those it started, with what each had used when last seen."""

    role: str
    root: psutil.Process
    with_children: bool
    members: dict[int, psutil.Process] = field(default_factory=dict)
    used: dict[int, dict[str, float]] = field(default_factory=dict)
    looked_at: float = -_FAMILY_S

    def sample(self, now: float, elapsed: float) -> dict[str, float]:
        if now - self.looked_at >= _FAMILY_S:
            self._look(now)
        sums: dict[str, float] = {}
        for pid, process in list(self.members.items()):
            try:
                used, resident = _process_totals(process)
            except psutil.Error:
                # It ended; what it used since the last sample is lost, at most a second of one process.
                del self.members[pid]
                self.used.pop(pid, None)
                continue
            rates = _rates(self.used.get(pid, used), used, elapsed)
            self.used[pid] = used
            for metric, value in [*rates.items(), ("rss_bytes", resident)]:
                sums[metric] = sums.get(metric, 0.0) + value
        return sums

    def _look(self, now: float) -> None:
        self.looked_at = now
        found = [self.root]
        if self.with_children:
            try:
                found += self.root.children(recursive=True)
            except psutil.Error:
                return
        for process in found:
            self.members.setdefault(process.pid, process)


def _process(role: str, pid: int) -> psutil.Process:
    try:
        return psutil.Process(pid)
    except psutil.Error as error:
        raise LoadstoneError(
            "no-process", f"there is no process {pid} to observe as {role}", hint="check the number with `ps`"
        ) from error


def _process_totals(process: psutil.Process) -> tuple[dict[str, float], float]:
    """What a process has used so far, and the memory it holds."""
    with process.oneshot():
        times = process.cpu_times()
        totals = {"cpu_cores": times.user + times.system}
        resident = float(process.memory_info().rss)
    try:
        io = process.io_counters()
    except psutil.AccessDenied:
        # The disk counters of another user's process are secret; its processor time is not.
        return totals, resident
    totals["read_bytes_per_s"], totals["write_bytes_per_s"] = float(io.read_bytes), float(io.write_bytes)
    return totals, resident


def _host_totals() -> dict[str, float]:
    times = psutil.cpu_times()
    # The kernel counts guest time in user time already.
    idle = (
        times.idle
        + getattr(times, "iowait", 0.0)
        + getattr(times, "guest", 0.0)
        + getattr(times, "guest_nice", 0.0)
    )
    totals = {
        "cpu_cores": sum(times) - idle,
        "idle_cores": times.idle + getattr(times, "iowait", 0.0),
        "steal_cores": getattr(times, "steal", 0.0),
        "interrupt_cores": getattr(times, "irq", 0.0) + getattr(times, "softirq", 0.0),
    }
    if disk := psutil.disk_io_counters():
        totals["read_bytes_per_s"], totals["write_bytes_per_s"] = (
            float(disk.read_bytes),
            float(disk.write_bytes),
        )
    if network := psutil.net_io_counters():
        totals["rx_bytes_per_s"], totals["tx_bytes_per_s"] = (
            float(network.bytes_recv),
            float(network.bytes_sent),
        )
    return totals


def _time_of_day_ahead() -> float:
    """The time of day minus the monotonic clock, seconds, by the quickest of several readings."""
    readings = [(time.monotonic(), time.time(), time.monotonic()) for _ in range(5)]
    low, day, high = min(readings, key=lambda reading: reading[2] - reading[0])
    return day - (low + high) / 2


def _rates(before: Mapping[str, float], after: Mapping[str, float], elapsed: float) -> dict[str, float]:
    # Counters of the host can step back when a disk or an interface goes away.
    return {name: max(0.0, after[name] - before.get(name, after[name])) / elapsed for name in after}
