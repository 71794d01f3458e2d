"""What a lab could leave on a machine, as sets that are compared before and after."""

import json
import os
import subprocess
from pathlib import Path

KINDS = ("net", "mnt", "uts", "ipc", "pid")


def traces() -> dict[str, set[str]]:
    """Everything of this machine that a lab makes: all of it, not only what bears a lab's name."""
    numbers = {entry.name for entry in os.scandir("/proc") if entry.name.isdigit()}
    processes = {pid for pid in numbers if _lives(pid) and not _beside(pid)}
    return {
        "namespaces": {link for pid in processes for link in _namespaces(pid)},
        "mounts": _mounts(),
        "processes": {_told(pid) for pid in processes if _of_a_lab(pid)},
        "groups": {str(path) for path in Path("/sys/fs/cgroup").rglob("loadstone*")},
        "links": {link["ifname"] for link in json.loads(_out("ip", "-j", "link"))},
        "addresses": set(_out("ip", "-o", "-4", "address").split("\n")),
        "routes": set(_out("ip", "-4", "route").split("\n")),
        "files": {str(path) for kind in ("loadstone*", "loadstone/*") for path in Path("/run").glob(kind)},
        "netns": {str(path) for path in Path("/run").glob("netns/*")},
    }


def added(before: dict[str, set[str]]) -> dict[str, set[str]]:
    """What there is now that was not there before."""
    now = traces()
    return {kind: now[kind] - before[kind] for kind in now if now[kind] - before[kind]}


def _mounts() -> set[str]:
    """But for the small disks of `tests/parity/full_disk.py`, which may run beside a test of labs."""
    points = {line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    return {point for point in points if "/loadstone-small-" not in point}


def _lives(pid: str) -> bool:
    """Whether a process has not ended. The dead hold nothing, and wait only for the machine's own init."""
    return (stat := _stat(pid)) is not None and stat[0] not in "ZX"


def _beside(pid: str) -> bool:
    """Whether another run of tests has started it: the other half of the long tests has networks, too."""
    while pid not in ("0", "1", str(os.getpid())):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        if b"pytest" in command:
            return True
        if (stat := _stat(pid)) is None:
            return False
        pid = stat[1]
    return False


def _stat(pid: str) -> list[str] | None:
    """State, parent, and what follows; None when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None


def _namespaces(pid: str) -> list[str]:
    found = []
    for kind in KINDS:
        try:
            found.append(os.readlink(f"/proc/{pid}/ns/{kind}"))
        except OSError:
            continue  # it has ended
    return found


def _of_a_lab(pid: str) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"\0LOADSTONE_LAB=" in b"\0" + environment or b"/run/loadstone/" in command


def _told(pid: str) -> str:
    """Its number and command line: what a test shows of what is left."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return pid
    return f"{pid} {b' '.join(words).decode(errors='replace')}"


def _out(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
