"""Hosts: namespaces of every kind around `host.sh`, in groups that bound their CPU and memory."""

from __future__ import annotations

import contextlib
import io
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from importlib.resources import files as package_files
from pathlib import Path

from loadstone.lab import cgroups, keys
from loadstone.lab.folder import Folder, HostRecord, Record
from loadstone.lab.processes import expect, run, spawn

_DATA = Path(str(package_files("loadstone"))) / "data" / "lab"
_ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1"; shift; done; shift; exec "$@"'
_NAMESPACES = ["--net", "--mount", "--uts", "--ipc", "--pid", "--propagation", "private"]

Host = tuple[HostRecord, "subprocess.Popen[bytes]"]


def own_folders() -> list[str]:
    """Where Loadstone and its interpreter lie: sites that Loadstone serves run from there on hosts."""
    package = Path(str(package_files("loadstone"))).resolve().parent
    return sorted({str(package), sys.prefix, sys.base_prefix})


def give_disks(folder: Folder, record: Record) -> None:
    """Gives every host a disk in memory, which the lab's middle holds: it outlives the host."""
    lines = ["set -e"]
    for host in record.hosts:
        if not host.real:
            root = _disk(folder, host)
            root.mkdir()
            size = f"size={_size(host)},mode=0755"
            lines.append(f"mount -t tmpfs -o {size} loadstone {shlex.quote(str(root))}")
    run(record.name, [*_beside(record), "sh"], "\n".join(lines))


def start(folder: Folder, record: Record, host: HostRecord) -> Host:
    """Starts a host up to where it waits for its network; its process is noted in the record."""
    own = folder.path / "hosts" / host.name
    try:
        groups = cgroups.limit(record.name, host.name, host.cpus, host.memory_mib)
    except cgroups.QuotaError as error:
        groups = []
        record.notes.append(f"`{host.name}` has no quota: {error}")
    script = [
        "sh", str(_DATA / "host.sh"), str(_disk(folder, host)), str(keys.files(folder, host)), host.name,
        _address(record, host), _size(host), record.congestion_control, *own_folders(),
    ]  # fmt: skip
    # unshare stays as the parent and holds the namespaces; with it dies the host.
    unshare = ["unshare", *_NAMESPACES, "--fork", "--kill-child", "--", *script]
    command = ["sh", "-c", _ENTER, "sh", *map(str, groups), "--", *_beside(record), *unshare]
    process = spawn(record.name, command, own / "log")
    host.pid = process.pid
    return host, process


def await_root(folder: Folder, host: Host) -> None:
    """Waits until the host has its namespaces and its root."""
    record, process = host
    expect(process, "rooted", f"`{record.name}`", folder.path / "hosts" / record.name / "log")


def go(folder: Folder, hosts: list[Host]) -> None:
    """Lets hosts use the devices they were given; returns when all have started sshd."""
    for _, process in hosts:
        if process.stdin:
            # One that has died meanwhile says why below.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(b"go\n")
                process.stdin.close()
    for record, process in hosts:
        expect(process, "ready", f"`{record.name}`", folder.path / "hosts" / record.name / "log")


def within(record: Record, host: HostRecord, command: Sequence[str]) -> list[str]:
    """The command as a process of the host, under its quota, whether it can be reached or not."""
    own = f"/proc/{host.pid}/ns"
    enter = ["nsenter", "-t", str(host.pid), "--net", "--mount", "--uts", "--ipc"]
    groups = map(str, cgroups.entries(record.name, host.name))
    # The process that holds the namespaces is itself outside that of the processes.
    words = ["sh", "-c", _ENTER, "sh", *groups, "--", *enter, f"--pid={own}/pid_for_children"]
    return [*words, "--", *command]


def reach(folder: Folder, record: Record, host: HostRecord) -> None:
    """Gives a running host its address and its sshd anew, with the files that these need."""
    tree = keys.files(folder, host)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as files:
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                files.add(path, path.relative_to(tree), filter=_as_root)
    # Unpacked in there: a symbolic link of the host must not lead to a file of this machine.
    unpack = within(record, host, ["tar", "-x", "--unlink-first", "-C", "/"])
    run(record.name, unpack, archive.getvalue())
    script = (_DATA / "reach.sh").read_text(encoding="utf-8")
    words = ["sh", "-s", _address(record, host), record.congestion_control]
    run(record.name, within(record, host, words), script)


def _as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    return entry


def _beside(record: Record) -> list[str]:
    """What makes a command see the disks of the hosts."""
    return ["nsenter", f"--mount=/proc/{record.fabric_pid}/ns/mnt", "--"]


def _disk(folder: Folder, host: HostRecord) -> Path:
    return folder.path / "hosts" / host.name / "root"


def _size(host: HostRecord) -> str:
    return f"{host.disk_mib}m" if host.disk_mib else "50%"


def _address(record: Record, host: HostRecord) -> str:
    return f"{host.address}/{record.subnet.partition('/')[2]}"
