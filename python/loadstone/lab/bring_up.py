"""`lab up`: each step is recorded before it is taken, and all are undone when one fails."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.lab import fabric, hosts, keys
from loadstone.lab.folder import LABS, UP, Folder, HostRecord, Record, locked
from loadstone.lab.layout import lay_out
from loadstone.lab.processes import alive, marked, missing_tools
from loadstone.lab.take_down import tear_down
from loadstone.lab.topology import Topology
from loadstone.scenario.findings import listed
from loadstone.sources import script

_TOOLS = ["ip", "tc", "unshare", "nsenter", "pivot_root", "ssh", "ssh-keygen", "sshd"]
_SSH_S = 15.0
_CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


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
            _start(folder, record, say)
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


def start(folder: Folder, record: Record, wanted: Sequence[HostRecord], step: Callable[[str], None]) -> None:
    """Brings hosts of a lab up, with their links, until they answer to ssh: all of them, or some that died.

    LoadstoneError `lab-start`.
    """
    step("hosts")
    started = []
    for host in wanted:
        started.append(hosts.start(folder, record, host))
        folder.write(record)
    for one in started:
        hosts.await_root(folder, one)
    step("links")
    fabric.connect(folder, record, wanted)
    folder.write(record)
    step("ssh")
    hosts.go(folder, started)
    for host in wanted:
        if not host.cut:
            await_ssh(host)


def _start(folder: Folder, record: Record, say: Callable[[str], None]) -> None:
    _step(folder, record, "keys", say)
    keys.write(folder, record)
    if ours := [host for host in record.hosts if not host.real]:
        hosts.give_disks(folder, record)
        start(folder, record, ours, lambda stage: _step(folder, record, stage, say))
    record.stage = UP
    folder.write(record)


def _step(folder: Folder, record: Record, stage: str, say: Callable[[str], None]) -> None:
    record.stage = stage
    folder.write(record)
    say(stage)


def _digest(topology: Topology) -> str:
    # What runs on the hosts, and how, does not change the hosts.
    others = {"roles", "service", "tls"}
    return hashlib.sha256(topology.file.model_dump_json(exclude=others).encode()).hexdigest()


def _check_machine(topology: Topology) -> None:
    if not topology.hosts:
        return
    if os.geteuid() != 0:
        raise LoadstoneError("lab-unsupported", "a lab on this machine needs root", hint="run it with sudo")
    if missing := missing_tools(_TOOLS):
        message = f"not installed: {', '.join(missing)}"
        raise LoadstoneError(
            "lab-unsupported", message, hint=f"{script('setup-lab')} installs what a lab needs"
        )
    wanted = topology.network.congestion_control
    if wanted and wanted not in (known := _CONTROLS.read_text(encoding="utf-8").split()):
        hint = f"it has {', '.join(known)}"
        raise LoadstoneError("lab-unsupported", f"the kernel has no congestion control `{wanted}`", hint=hint)


def _as_it_is(record: Record, digest: str) -> Record:
    if not running(record):
        raise _broken(record)
    return _same(record, digest)


def _same(record: Record, digest: str) -> Record:
    if record.digest != digest:
        message = f"the lab `{record.name}` is up from another topology, {record.topology}"
        raise LoadstoneError("lab-exists", message, hint=f"loadstone lab down {record.name}")
    return record


def _left_over(lab: str) -> LoadstoneError:
    hint = f"loadstone lab down {lab}"
    return LoadstoneError("lab-exists", f"parts of an earlier lab `{lab}` are left", hint=hint)


def _broken(record: Record) -> LoadstoneError:
    """What to do about a lab of which not everything runs."""
    middle = [record.fabric_pid, *([record.switch_pid] if record.switch_pid else [])]
    dead = [host.name for host in record.hosts if not host.real and not alive(record.name, host.pid)]
    if record.stage != UP or not dead or not all(alive(record.name, pid) for pid in middle):
        return _left_over(record.name)
    hint = f"loadstone lab host restart {dead[0]} --lab {record.name}"
    message = f"the lab `{record.name}` is up, but not all of its hosts: {listed(dead)}"
    return LoadstoneError("lab-exists", message, hint=hint)


def await_ssh(host: HostRecord) -> None:
    """Waits until a host answers to ssh. LoadstoneError `lab-start`."""
    deadline = time.monotonic() + _SSH_S
    reason = "no answer"
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((host.address, 22), timeout=2) as connection:
                if connection.recv(4).startswith(b"SSH"):
                    return
        except OSError as error:
            reason = str(error)
        time.sleep(0.02)
    raise LoadstoneError("lab-start", f"`{host.name}` does not answer to ssh at {host.address}: {reason}")
