"""The folder of a lab: its record, its keys, its lock. What is in it is all that a lab leaves on disk.

/run/loadstone/NAME/
  lab.json                 the record, written before each step
  ssh_config known_hosts   for `ssh -F`
  id_ed25519               the lab's own key
  hosts/HOST/              files laid over the host's root; its log
  switch.json ...          the switch's configuration, counters, log and socket
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.scenario.findings import suggest

_OWN = Path(os.environ.get("XDG_RUNTIME_DIR") or Path.home() / ".cache")
LABS = Path("/run/loadstone") if os.geteuid() == 0 else _OWN / "loadstone" / "labs"
"""Root's labs; another user's can only hold real machines."""
UP = "up"


@dataclass
class HostRecord:
    """One host of a lab, as it was laid out and as it runs."""

    name: str
    kind: str
    address: str
    link: str
    """The shape in words; `plain` without one."""
    shape: dict[str, Any] = field(default_factory=dict)
    """The shape as a table of the topology file has it; another one since `link set`."""
    cut: bool = False
    """Whether nothing passes the link."""
    carrier: str = ""
    """Its carrier: `veth`, `netem` or `switch`; empty before that is chosen, and for real machines."""
    cpus: float | None = None
    memory_mib: int | None = None
    disk_mib: int | None = None
    real: bool = False
    pid: int = 0
    """The process that holds the host's namespaces; 0 before there is one."""
    device_full: int = 0
    """Frames that the kernel dropped before the switch read them, in former lives of the host."""


@dataclass
class Record:
    """A lab: everything that is needed to use it, and to find what is left of it."""

    name: str
    topology: str
    digest: str
    """SHA-256 of what the topology file says of hosts and links."""
    subnet: str
    gateway: str
    """This machine's address in the lab."""
    congestion_control: str
    hosts: list[HostRecord]
    stage: str = "planned"
    """The step under way, or `up`."""
    fabric_pid: int = 0
    switch_pid: int = 0
    notes: list[str] = field(default_factory=list)
    """What the machine could not give, in sentences."""

    def host(self, name: str) -> HostRecord:
        """The host of that name. LoadstoneError `lab-host`."""
        found = next((host for host in self.hosts if host.name == name), None)
        if found is None:
            known = [host.name for host in self.hosts]
            hint = suggest(name, known, f"it has {', '.join(known)}")
            raise LoadstoneError("lab-host", f"the lab `{self.name}` has no host `{name}`", hint=hint)
        return found


class Folder:
    """A lab's folder."""

    def __init__(self, name: str) -> None:
        """Of the lab of that name, whether it exists or not."""
        self.name = name
        self.path = LABS / name

    def write(self, record: Record) -> None:
        """Replaces the record in one step: a reader never sees half of it."""
        draft = self.path / "lab.json.draft"
        draft.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        draft.replace(self.path / "lab.json")

    def read(self) -> Record | None:
        """The record; None without one, or when it was cut off."""
        try:
            raw: dict[str, Any] = json.loads((self.path / "lab.json").read_text(encoding="utf-8"))
            return Record(**(raw | {"hosts": [HostRecord(**host) for host in raw["hosts"]]}))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remove(self) -> None:
        """Removes the folder, and that of all labs with the last of them."""
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            LABS.rmdir()


def names() -> list[str]:
    """Labs that have a folder."""
    return sorted(path.name for path in LABS.iterdir() if path.is_dir()) if LABS.is_dir() else []


@contextlib.contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[None]:
    """Holds the folder, made where missing, against other commands; the lock dies with its holder.

    LoadstoneError `lab-busy` when another command holds it and `wait` is false.
    """
    while True:
        path.mkdir(parents=True, exist_ok=True, mode=0o755)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # removed by another command in between
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if not _same(descriptor, path):
                continue  # its last holder removed it: a lock on what no path leads to locks nothing
            yield
            return
        except BlockingIOError as error:
            hint = "wait for it, or end it"
            raise LoadstoneError(
                "lab-busy", f"another command is working on the lab `{path.name}`", hint=hint
            ) from error
        finally:
            os.close(descriptor)


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
