"""CPU and memory quotas by cgroup, version 1 or 2, whichever the machine has mounted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

_PERIOD_US = 100_000


class QuotaError(Exception):
    """Why a quota cannot be set, in words."""


def limit(lab: str, host: str, cpus: float | None, memory_mib: int | None) -> list[Path]:
    """Makes the host's groups; the files that a process writes its number to, to enter them.

    QuotaError when a controller is not there or not ours; groups made until then remain for `remove`.
    """
    settings: dict[str, dict[str, str]] = {}
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
            raise QuotaError(f"{controller}: {error.strerror}: {error.filename}") from error
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
        for file, value in values.items():
            if (group / file).exists():
                (group / file).write_text(value, encoding="utf-8")
        return group / "cgroup.procs"
    raise QuotaError(f"{controller}: this machine has no such cgroup controller mounted")
