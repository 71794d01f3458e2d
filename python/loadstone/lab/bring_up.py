"""`lab up`: each step is recorded before it is taken, and all are undone when one fails."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.lab import fabric, hosts, keys
from loadstone.lab.folder import LABS, UP, Folder, Record, locked
from loadstone.lab.layout import lay_out
from loadstone.lab.processes import alive, marked, missing_tools
from loadstone.lab.take_down import tear_down
from loadstone.lab.topology import Topology

_TOOLS = ["ip", "tc", "unshare", "nsenter", "pivot_root", "ssh", "ssh-keygen", "sshd"]
_SSH_S = 15.0
_TCP = Path("/proc/sys/net/ipv4")


def up(topology: Topology, say: Callable[[str], None]) -> Record:
    """Brings the lab up and returns its record; one that is up already is left as it is.

    LoadstoneError `lab-unsupported`, `lab-exists`, `lab-busy`, or `lab-start` after everything was undone.
    """
    _check_machine(topology)
    folder = Folder(topology.name)
    digest = _digest(topology)
    with locked(folder.path, wait=False):
        if there := folder.read():
            return _as_it_is(there, digest)
        if any(marked(topology.name)):
            raise _left_over(topology.name)
        try:
            # Two labs that come up at once must not choose the same subnet: the routes of the first show
            # it only when its door is open.
            with locked(LABS, wait=True):
                record = lay_out(topology, digest, fabric.used_subnets())
                folder.write(record)
                if topology.hosts:
                    _step(folder, record, "network", say)
                    fabric.hold(folder, record)
                    folder.write(record)
                    fabric.open_door(record)
            _start(folder, record, topology, say)
        except BaseException:
            tear_down(topology.name)
            raise
    return record


def current(topology: Topology) -> Record:
    """The record of the lab that is up with these hosts and links; hosts of it may have died since.

    LoadstoneError `lab-missing` or `lab-exists`.
    """
    record = Folder(topology.name).read()
    if record is None:
        hint = f"loadstone lab up {topology.path}"
        raise LoadstoneError("lab-missing", f"the lab `{topology.name}` is not up", hint=hint)
    if record.stage != UP or (record.fabric_pid and not alive(record.name, record.fabric_pid)):
        raise _left_over(record.name)
    return _same(record, _digest(topology))


def running(record: Record) -> bool:
    """Whether the lab is up with every one of its processes."""
    pids = [host.pid for host in record.hosts if not host.real]
    pids += [record.fabric_pid] if pids else []
    pids += [record.switch_pid] if record.switch_pid else []
    return record.stage == UP and all(alive(record.name, pid) for pid in pids)


def _start(folder: Folder, record: Record, topology: Topology, say: Callable[[str], None]) -> None:
    _step(folder, record, "keys", say)
    keys.write(folder, record)
    _step(folder, record, "hosts", say)
    started = []
    for host in record.hosts:
        if not host.real:
            started.append(hosts.start(folder, record, host))
            folder.write(record)
    for one in started:
        hosts.await_root(folder, one)
    if started:
        _step(folder, record, "links", say)
        fabric.connect(folder, record, topology)
        _step(folder, record, "ssh", say)
        hosts.go(folder, started)
    for host, _ in started:
        _await_ssh(host.name, host.address)
    record.stage = UP
    folder.write(record)


def _step(folder: Folder, record: Record, stage: str, say: Callable[[str], None]) -> None:
    record.stage = stage
    folder.write(record)
    say(stage)


def _digest(topology: Topology) -> str:
    # What runs on the hosts does not change the hosts.
    return hashlib.sha256(topology.file.model_dump_json(exclude={"service"}).encode()).hexdigest()


def _check_machine(topology: Topology) -> None:
    if not topology.hosts:
        return
    if os.geteuid() != 0:
        raise LoadstoneError("lab-unsupported", "a lab on this machine needs root", hint="run it with sudo")
    if missing := missing_tools(_TOOLS):
        message = f"not installed: {', '.join(missing)}"
        raise LoadstoneError("lab-unsupported", message, hint="scripts/setup-lab installs what a lab needs")
    _check_congestion_control(topology.network.congestion_control)


def _check_congestion_control(wanted: str | None, tcp: Path = _TCP) -> None:
    """A host may have the machine's own, and those that the kernel allows to everybody."""

    def words(name: str) -> list[str]:
        return (tcp / name).read_text(encoding="utf-8").split()

    known, allowed = words("tcp_available_congestion_control"), words("tcp_allowed_congestion_control")
    if wanted is None or wanted in (*allowed, *words("tcp_congestion_control")):
        return
    if wanted not in known:
        message, hint = f"the kernel has no congestion control `{wanted}`", f"it has {', '.join(known)}"
    else:
        message = f"the kernel has the congestion control `{wanted}` and does not allow it to hosts of a lab"
        setting = f"net.ipv4.tcp_allowed_congestion_control='{' '.join([*allowed, wanted])}'"
        hint = f"`sysctl -w {setting}` allows it, or take {' or '.join(allowed)}"
    raise LoadstoneError("lab-unsupported", message, hint=hint)


def _as_it_is(record: Record, digest: str) -> Record:
    if not running(record):
        raise _left_over(record.name)
    return _same(record, digest)


def _same(record: Record, digest: str) -> Record:
    if record.digest != digest:
        message = f"the lab `{record.name}` is up from another topology, {record.topology}"
        raise LoadstoneError("lab-exists", message, hint=f"loadstone lab down {record.name}")
    return record


def _left_over(lab: str) -> LoadstoneError:
    hint = f"loadstone lab down {lab}"
    return LoadstoneError("lab-exists", f"parts of an earlier lab `{lab}` are left", hint=hint)


def _await_ssh(name: str, address: str) -> None:
    deadline = time.monotonic() + _SSH_S
    reason = "no answer"
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((address, 22), timeout=2) as connection:
                if connection.recv(4).startswith(b"SSH"):
                    return
        except OSError as error:
            reason = str(error)
        time.sleep(0.02)
    raise LoadstoneError("lab-start", f"`{name}` does not answer to ssh at {address}: {reason}")
