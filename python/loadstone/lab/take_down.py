"""`lab down`: removes what there is of a lab, whatever state it was left in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.lab import cgroups, fabric, processes
from loadstone.lab.folder import Folder, locked, names
from loadstone.lab.model import NAME, NAME_HINT
from loadstone.lab.state import forget
from loadstone.scenario.findings import suggest


@dataclass(frozen=True)
class Removed:
    """What a lab has left behind."""

    name: str
    processes: int
    there: bool
    """Whether there was anything."""


def down(lab: str) -> Removed:
    """Takes a lab down; one that is not there is no error.

    LoadstoneError `bad-name`, `lab-busy` or `lab-stop`.
    """
    if not NAME.fullmatch(lab):
        # The name leads to what is removed: it must not lead anywhere else.
        raise LoadstoneError("bad-name", f"`{lab}` is not a lab's name", hint=NAME_HINT)
    folder = Folder(lab)
    there = folder.path.exists() or any(processes.marked(lab)) or bool(cgroups.left(lab))
    if not there:
        return Removed(lab, 0, False)
    with locked(folder.path, wait=False):
        record = folder.read()
        removed = Removed(lab, tear_down(lab), True)
        # Its services are gone with its hosts, but not those on real machines.
        if record and not any(host.real for host in record.hosts):
            forget(lab, Path(record.topology).parent)
        return removed


def tear_down(lab: str) -> int:
    """Removes everything that bears the lab's name; how many processes there were.

    Only processes, one device, control groups and the folder are in sight of this machine: mounts, other
    devices and namespaces end with the processes that hold them.
    """
    killed = processes.kill(lab)
    fabric.close_door(lab)
    cgroups.remove(lab)
    Folder(lab).remove()
    return killed


def require(lab: str) -> None:
    """LoadstoneError `lab-missing` when no lab has this name."""
    if lab not in (known := names()):
        hint = suggest(lab, known, f"there are {', '.join(known)}" if known else "none is up")
        raise LoadstoneError("lab-missing", f"there is no lab `{lab}`", hint=hint)


def only() -> str:
    """The lab that there is, for commands that need not be told which. LoadstoneError `lab-missing`."""
    known = names()
    if len(known) == 1:
        return known[0]
    message = f"there are several labs: {', '.join(known)}" if known else "no lab is up"
    hint = "say which: --lab NAME" if known else "loadstone lab up TOPOLOGY.toml"
    raise LoadstoneError("lab-missing", message, hint=hint)
