"""What a quota takes from a group of processes: the kernel's counts of a cgroup, version 1 or 2.

A quota is so much processor time in each period of, mostly, 100 ms. Processes that have used it up stand
still until the next period begins: they are throttled, though the mean over a second stays below the quota.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, List, Optional, Tuple

from .home import read
from .rates import Figures, Rates

Mount = Tuple[int, str, Path]
"""Version, which part of the hierarchy is mounted, and where."""


class Quota:
    """The quota of one group, asked again and again."""

    def __init__(self, group: Path) -> None:
        """`group`: its folder."""
        self.group = group
        self._rates = Rates()

    def since(self, at: float) -> Figures:
        """Since the last time: `cpu_throttled_share`, of the periods those in which it was used up while
        processes wanted more; `cpu_throttled_cores`, seconds a second that they stood still, added up over
        processors. `cpu_quota_cores` is the quota. Nothing where there is none.
        """
        found = limit(self.group)
        if found is None:
            return {}
        quota_us, period_us = found
        sums = counts(self.group)
        rates = self._rates.since(
            {"share": sums.get("nr_throttled", 0.0) * period_us / 1e6, "cores": _stood_still_s(sums)}, at
        )
        # The kernel ends a period late now and then, and a second may have eleven of them.
        named = {f"cpu_throttled_{name}": value for name, value in rates.items()}
        if "cpu_throttled_share" in named:
            named["cpu_throttled_share"] = min(1.0, named["cpu_throttled_share"])
        return {"cpu_quota_cores": quota_us / period_us, **named}


def of_process(pid: int) -> Optional[Path]:
    """The nearest group around a process that has a quota; None where none has, or none can be seen."""
    for group in _groups(read(Path(f"/proc/{pid}/cgroup")), list(mounts(read(Path("/proc/self/mountinfo"))))):
        if limit(group):
            return group
    return None


def limit(group: Path) -> Optional[Tuple[int, int]]:
    """Quota and period in microseconds; None where the group has none."""
    words = read(group / "cpu.max").split()
    if not words:
        words = [read(group / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")]
    if len(words) != 2 or not (words[0].isdigit() and words[1].isdigit()):
        return None  # `max` or -1
    return int(words[0]), int(words[1])


def counts(group: Path) -> Figures:
    """The lines of `cpu.stat`."""
    lines = [line.split() for line in read(group / "cpu.stat").splitlines()]
    return {words[0]: float(words[1]) for words in lines if len(words) == 2}


def mounts(text: str) -> Iterator[Mount]:
    """Hierarchies that count processor time, in the words of /proc/self/mountinfo."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        words, kind = before.split(), after.split()
        if len(words) < 5 or len(kind) < 2:
            continue
        if kind[0] == "cgroup2":
            yield 2, words[3], Path(words[4])
        elif kind[0] == "cgroup" and "cpu" in kind[-1].split(","):
            yield 1, words[3], Path(words[4])


def _groups(text: str, seen: List[Mount]) -> Iterator[Path]:
    """From the process's own group upwards in each hierarchy; `text` as of /proc/PID/cgroup."""
    for line in text.splitlines():
        number, controllers, path = line.split(":", 2)
        version = 2 if number == "0" and not controllers else 1
        if version == 1 and "cpu" not in controllers.split(","):
            continue
        for mounted, root, where in seen:
            beneath = (
                path if root == "/" else path[len(root) :] if f"{path}/".startswith(f"{root}/") else None
            )
            if mounted != version or beneath is None or ".." in beneath:
                continue
            group = where / beneath.strip("/")
            yield from [group, *(above for above in group.parents if where in (above, *above.parents))]


def _stood_still_s(sums: Figures) -> float:
    return sums.get("throttled_usec", 0.0) / 1e6 + sums.get("throttled_time", 0.0) / 1e9
