"""Copies of what is on disks: checked, exported as SQLite files, backed up while a machine runs, restored."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from loadstone import _core
from loadstone.errors import LoadstoneError
from loadstone.image.disks import Form, blank, copied
from loadstone.image.monitor import Monitor

_SQLITE = b"SQLite format 3\0"
_LOOK_S = 0.05
_NODE = "loadstone-backup"


@dataclass(frozen=True)
class Checked:
    """A database on a disk."""

    name: str
    bytes: int
    faults: list[str]
    """A sentence each; none where every page is as it was written and the tables agree."""


def check(disk: Path) -> list[Checked]:
    """Reads every page of every database on a disk that nobody else has.

    LoadstoneError `image-disk`, also where the disk as a whole is damaged.
    """
    try:
        return [Checked(*one) for one in _core.check_disk(str(disk))]
    except (OSError, ValueError) as error:
        raise LoadstoneError("image-disk", str(error)) from error


def export(disk: Path, to: Path, name: str | None = None) -> str:
    """Copies a database, the only one or that of this name, into a new SQLite file; its name.

    LoadstoneError `image-disk`.
    """
    _new(to)
    try:
        return _core.export_database(str(disk), name, str(to.absolute()))
    except (OSError, ValueError) as error:
        to.unlink(missing_ok=True)
        raise LoadstoneError("image-disk", f"{disk}: {error}") from error


def back_up(disk: Path, to: Path) -> list[Checked]:
    """Copies a disk that nobody else has, and checks the copy. LoadstoneError `image-disk`."""
    _new(to)
    # Opening it for the check brings its log into place, and shows that no machine has it.
    check(disk)
    copied(disk, to)
    return check(to)


def back_up_running(monitor: Path, to: Path) -> list[Checked]:
    """Copies the disk of a running machine as it is at one instant, while it serves, and checks the copy: of
    what is under way there is all or nothing, as after a power cut.

    LoadstoneError `image-disk`, `guest-silent`, `guest-refused`, `guest-ended`.
    """
    _new(to)
    try:
        with Monitor(monitor, timeout_s=1.0) as machine:
            _copy_by(machine, to)
    except LoadstoneError:
        to.unlink(missing_ok=True)
        raise
    return check(to)


def _copy_by(machine: Monitor, to: Path) -> None:
    disks = [one for one in machine.ask("query-block") if one.get("device") == "disk0" and "inserted" in one]
    if not disks:
        raise LoadstoneError("image-disk", "this machine has no disk")
    with to.open("wb") as file:
        file.truncate(disks[0]["inserted"]["image"]["virtual-size"])
    target = {"driver": "file", "filename": str(to.absolute())}
    machine.ask("blockdev-add", node_name=_NODE, driver="raw", file=target)
    try:
        machine.ask(
            "blockdev-backup", job_id=_NODE, device="disk0", target=_NODE, sync="full", auto_dismiss=False
        )
        while (job := _job(machine))["status"] != "concluded":
            time.sleep(_LOOK_S)
        machine.ask("job-dismiss", id=_NODE)
        if "error" in job:
            raise LoadstoneError("image-disk", f"{to}: {job['error']}")
    finally:
        machine.ask("blockdev-del", node_name=_NODE)


def _job(machine: Monitor) -> dict[str, str]:
    return next(job for job in machine.ask("query-jobs") if job["id"] == _NODE)


def restore(source: Path, disk: Path, size_mib: int, form: Form, name: str | None = None) -> list[str]:
    """Makes a new disk with the databases of a backup, or of any other disk of whatever format, or with a
    SQLite file as the database `name`; their names. What is not used takes no room on it.

    LoadstoneError `image-disk`.
    """
    if not source.is_file() and not source.is_block_device():
        raise LoadstoneError("image-disk", f"there is no file {source}")
    with source.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if is_sqlite != (name is not None):
        why = "is a SQLite file: name the database" if is_sqlite else "is a disk, its databases have names"
        raise LoadstoneError("image-disk", f"{source} {why}", hint="--name olio.db, for an image of Olio")
    _new(disk)
    blank(disk, size_mib, form)
    try:
        return _core.restore_disk(str(source.absolute()), name, str(disk))
    except (OSError, ValueError) as error:
        disk.unlink()
        raise LoadstoneError("image-disk", f"{source}: {error}") from error


def _new(file: Path) -> None:
    if os.path.lexists(file):
        raise LoadstoneError("image-disk", f"{file} is there already", hint="choose another name")
