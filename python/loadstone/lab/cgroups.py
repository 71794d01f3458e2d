"""CPU and memory of hosts by cgroup, version 1 or 2, whichever the machine has mounted: quotas, and the
weight of the lab against other work.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

_PERIOD_US = 100_000

_WEIGHT = 16
"""Of all hosts of a lab together, in processes of ordinary priority. A group has the weight of one process
unless it is told otherwise, so a lab would starve beside a few compilers. It is no more than this because the
commands that steer the lab are ordinary processes: on a processor that a lab fills they keep a seventeenth.
"""
_ONE = {"cpu.shares": 1024, "cpu.weight": 100}
"""The weight of one process by file, of version 1 and 2."""


class QuotaError(Exception):
    """Why a quota cannot be set, in words."""


def limit(lab: str, host: str, cpus: float | None, memory_mib: int | None) -> list[Path]:
    """Makes the host's groups; the files that a process writes its number to, to enter them.

    QuotaError when a controller is not there or not ours; groups made until then remain for `remove`.
    """
    # Without a quota a host is in a group for its part of the lab's weight.
    settings: dict[str, dict[str, str]] = {"cpu": {}}
    if cpus is not None:
        quota = str(max(1000, round(cpus * _PERIOD_US)))
        settings["cpu"] = {
            "cpu.cfs_period_us": str(_PERIOD_US),
            "cpu.cfs_quota_us": quota,
            "cpu.max": f"{quota} {_PERIOD_US}",
        }
    if memory_mib is not None:
        most = str(memory_mib << 20)
        settings["memory"] = {"memory.limit_in_bytes": most, "memory.max": most}
    mounts = list(_mounts(Path("/proc/mounts").read_text(encoding="utf-8")))
    entries = []
    for controller, values in settings.items():
        try:
            entries.append(_group(controller, values, mounts, lab, host))
        except OSError as error:
            if values:
                raise QuotaError(f"{controller}: {error.strerror}: {error.filename}") from error
        except QuotaError:
            if values:
                raise
    return list(dict.fromkeys(entries))


def entries(lab: str, host: str) -> list[Path]:
    """The files that a process writes its number to, to enter the groups that the host has."""
    mounts = _mounts(Path("/proc/mounts").read_text(encoding="utf-8"))
    found = [mount / _name(lab) / host / "cgroup.procs" for _, mount, _ in mounts]
    return [entry for entry in found if entry.exists()]


def counted(lab: str, host: str) -> Path | None:
    """The group that counts what the quota of a host's processors takes; None where the host has none."""
    mounts = _mounts(Path("/proc/mounts").read_text(encoding="utf-8"))
    groups = (mount / _name(lab) / host for _, mount, controllers in mounts if "cpu" in controllers)
    return next((group for group in groups if (group / "cpu.stat").exists()), None)


def remove(lab: str) -> None:
    """Removes the groups of all hosts of a lab; their processes must have ended."""
    for _, mount, _ in _mounts(Path("/proc/mounts").read_text(encoding="utf-8")):
        top = mount / _name(lab)
        if top.is_dir():
            for group in [*(path for path in top.iterdir() if path.is_dir()), top]:
                with contextlib.suppress(OSError):
                    group.rmdir()


def left(lab: str) -> list[Path]:
    """Groups of the lab that exist."""
    mounts = _mounts(Path("/proc/mounts").read_text(encoding="utf-8"))
    return [mount / _name(lab) for _, mount, _ in mounts if (mount / _name(lab)).is_dir()]


def _name(lab: str) -> str:
    return f"loadstone.{lab}"


def _mounts(text: str) -> Iterator[tuple[int, Path, set[str]]]:
    """(version, where, controllers) of each hierarchy in the words of /proc/mounts.

    >>> list(_mounts("cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\\n"))[0][:2]
    (1, PosixPath('/sys/fs/cgroup/cpu'))
    """
    for line in text.splitlines():
        _, where, kind, options, *_ = line.split(" ")
        if kind == "cgroup":
            yield 1, Path(where), set(options.split(","))
        elif kind == "cgroup2":
            with contextlib.suppress(OSError):
                controllers = Path(where, "cgroup.controllers").read_text(encoding="utf-8").split()
                yield 2, Path(where), set(controllers)


def _group(
    controller: str, values: dict[str, str], mounts: list[tuple[int, Path, set[str]]], lab: str, host: str
) -> Path:
    for version, mount, controllers in mounts:
        if controller not in controllers:
            continue
        group = mount / _name(lab) / host
        if version == 2:
            # A controller reaches a group only when every group above it passes it on.
            group.parent.mkdir(exist_ok=True)
            for above in (mount, group.parent):
                (above / "cgroup.subtree_control").write_text(f"+{controller}", encoding="utf-8")
        group.mkdir(parents=True, exist_ok=True)
        _write(group.parent, {file: str(_WEIGHT * one) for file, one in _ONE.items()})
        _write(group, values)
        return group / "cgroup.procs"
    raise QuotaError(f"{controller}: this machine has no such cgroup controller mounted")


def _write(group: Path, values: dict[str, str]) -> None:
    """Only of files that the version and the controller have."""
    for file, value in values.items():
        if (group / file).exists():
            (group / file).write_text(value, encoding="utf-8")
