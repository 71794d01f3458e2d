"""Hosts: namespaces of every kind around `host.sh`, in groups that bound their CPU and memory."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from importlib.resources import files as package_files
from pathlib import Path

from loadstone.lab import cgroups, keys
from loadstone.lab.folder import Folder, HostRecord, Record
from loadstone.lab.processes import expect, spawn

_SCRIPT = package_files("loadstone") / "data" / "lab" / "host.sh"
_ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1"; shift; done; shift; exec "$@"'
_NAMESPACES = ["--net", "--mount", "--uts", "--ipc", "--pid", "--propagation", "private"]

Host = tuple[HostRecord, "subprocess.Popen[bytes]"]


def own_folders() -> list[str]:
    """Where Loadstone and its interpreter lie: sites that Loadstone serves run from there on hosts."""
    package = Path(str(package_files("loadstone"))).resolve().parent
    return sorted({str(package), sys.prefix, sys.base_prefix})


def start(folder: Folder, record: Record, host: HostRecord) -> Host:
    """Starts a host up to where it waits for its network; its process is noted in the record."""
    own = folder.path / "hosts" / host.name
    (own / "root").mkdir()
    try:
        groups = cgroups.limit(record.name, host.name, host.cpus, host.memory_mib)
    except cgroups.QuotaError as error:
        groups = []
        record.notes.append(f"`{host.name}` has no quota: {error}")
    script = [
        "sh", str(_SCRIPT), str(own / "root"), str(keys.files(folder, host)), host.name,
        f"{host.address}/{record.subnet.partition('/')[2]}",
        f"{host.disk_mib}m" if host.disk_mib else "50%",
        record.congestion_control, *own_folders(),
    ]  # fmt: skip
    # unshare stays as the parent and holds the namespaces; with it dies the host.
    unshare = ["unshare", *_NAMESPACES, "--fork", "--kill-child", "--", *script]
    command = ["sh", "-c", _ENTER, "sh", *map(str, groups), "--", *unshare]
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
