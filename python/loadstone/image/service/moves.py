"""Moves of an instance while it serves: to another port, its disk to another file, itself to another process.

All of them run on the instance's thread.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import replace
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.image.guest import Guest
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import HTTP_PORT
from loadstone.image.relocate import Relocation, relocate
from loadstone.image.service.instance import Instance
from loadstone.image.service.life import Life

_JOB = "loadstone-move"
_LOOK_S = 0.05
_OPEN_S = 2.0
_MOVE_S = 60.0


def move_port(instance: Instance, port: int) -> str:
    """Connections that there are go on, new ones are taken at the new port only.

    LoadstoneError `image-state`, `guest-refused`, `guest-silent`: it is where it was.
    """
    life, before = _serving(instance), instance.port
    life.serve_at(port)
    instance.machine = replace(instance.machine, ports={HTTP_PORT: port})
    return f"{instance.place.number}: now at {instance.machine.url(port)}, no longer at {before}"


def move_disk(instance: Instance, to: Path) -> str:
    """QEMU copies the disk while the instance serves and writes, and goes on with the copy. The old file is
    named `FILE.moved`: whoever starts with the old name is refused, and does not get what is out of date.

    LoadstoneError `image-options`, `image-disk`: it goes on with the old one.
    """
    life, disk = _serving(instance), instance.machine.disk
    if not disk:
        raise LoadstoneError("image-options", f"instance {instance.place.number} has no disk")
    if os.path.lexists(to):
        raise LoadstoneError("image-disk", f"{to} is there already", hint="choose another name")
    partial = to.with_name(f"{to.name}.partial")
    assert life.machine.monitor
    try:
        with Monitor(life.machine.monitor, _OPEN_S) as monitor:
            _mirror(monitor, partial)
    except (LoadstoneError, OSError) as error:
        partial.unlink(missing_ok=True)
        raise LoadstoneError("image-disk", f"{to}: {error}") from error
    # From here on this file is the disk, whatever becomes of its name.
    try:
        partial.rename(to)
    except OSError as error:
        instance.tell(f"its disk keeps the name {partial}: {error}")
        to = partial
    instance.machine = replace(instance.machine, disk=replace(disk, file=to))
    left = disk.file.with_name(f"{disk.file.name}.moved")
    if disk.file.is_file():
        disk.file.rename(left)
    else:
        left = disk.file
    return f"{instance.place.number}: its disk is now {to}; what it was until then is {left}"


def move_live(instance: Instance) -> str:
    """The running machine, with its memory, goes on in a process of QEMU that starts now: the way to a new
    version of QEMU without a boot.

    QEMU's own network does not move connections. So nobody gets new ones, and those that there are have the
    time of an orderly end to be done. LoadstoneError as `relocate`: it goes on in the old process.
    """
    life = _serving(instance)
    life.close_door(instance.port)
    try:
        _await_quiet(life, instance.policy.grace_s)
        return _live(instance, life)
    except (LoadstoneError, OSError):
        if instance.life is life:
            life.open_door(instance.port)
        raise


def _live(instance: Instance, life: Life) -> str:
    target = instance.prepared(instance.machine)
    costs: list[Relocation] = []

    def arrive() -> Guest:
        arrived, cost = relocate(life.guest, target, instance.said, timeout_s=_MOVE_S)
        costs.append(cost)
        return arrived

    new = instance.begin(target, arrive)
    # Until its process had ended, the port was the old one's.
    life.gone()
    instance.take(new, instance.machine)
    new.serve_at(instance.port)
    cost = costs[0]
    return (
        f"{instance.place.number}: goes on in process {new.guest.pid}; it stood still for"
        f" {cost.downtime_ms:.0f} ms, and {cost.moved_bytes:,} bytes were moved"
    )


def _await_quiet(life: Life, most_s: float) -> None:
    deadline = time.monotonic() + most_s
    while time.monotonic() < deadline:
        said = life.guest.order("status", "^status: ")
        if re.search(r", 0 connections,", said):
            return
        time.sleep(_LOOK_S)


def _serving(instance: Instance) -> Life:
    life = instance.life
    if life is None or not life.served:
        raise LoadstoneError(
            "image-state", f"instance {instance.place.number} is {instance.state}: only one that serves moves"
        )
    return life


def _mirror(monitor: Monitor, to: Path) -> None:
    """LoadstoneError: the machine still has its old disk."""
    disks = [one for one in monitor.ask("query-block") if one.get("device") == "disk0" and "inserted" in one]
    with to.open("wb") as file:
        file.truncate(disks[0]["inserted"]["image"]["virtual-size"])
    # The node remains, as the disk: a later move needs another name.
    node = f"disk-{time.monotonic_ns()}"
    monitor.ask(
        "blockdev-add", node_name=node, driver="raw", file={"driver": "file", "filename": str(to.absolute())}
    )
    try:
        monitor.ask(
            "blockdev-mirror", job_id=_JOB, device="disk0", target=node, sync="full", auto_dismiss=False
        )
        if _await(monitor, "ready", "concluded")["status"] == "ready":
            monitor.ask("job-complete", id=_JOB)
        job = _await(monitor, "concluded")
        monitor.ask("job-dismiss", id=_JOB)
        if "error" in job:
            raise LoadstoneError("image-disk", f"{to}: {job['error']}")
    except LoadstoneError:
        with contextlib.suppress(LoadstoneError):
            monitor.ask("blockdev-del", node_name=node)
        raise


def _await(monitor: Monitor, *states: str) -> dict[str, str]:
    while True:
        job: dict[str, str] = next(one for one in monitor.ask("query-jobs") if one["id"] == _JOB)
        if job["status"] in states:
            return job
        time.sleep(_LOOK_S)
