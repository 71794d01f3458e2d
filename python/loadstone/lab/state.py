"""What is kept of a topology on the machine that deploys it, from one command to the next: who it is to the
hosts, the secrets that were generated, and its authority with the certificates that it has issued.

It is in `~/.local/state/loadstone/topologies/NAME-DIGEST.json` (`XDG_STATE_HOME`), which only its owner can
read. The digest is of the folder of the topology file: the same name in two checkouts, or on two machines, is
two topologies.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import hashlib
import json
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.lab.topology import Topology


@dataclass(frozen=True)
class Identity:
    """Who asks hosts to do something."""

    topology: str
    """The name, for people; several may bear it."""
    number: str = ""
    """Tells it from others of that name; empty for nobody in particular."""
    origin: str = ""
    """Who deploys it and from where, in words."""


def identity(topology: Topology) -> Identity:
    """The `owner` of a topology, or else a number that is made when it is first asked for.

    LoadstoneError as `kept`.
    """
    folder = topology.path.resolve().parent
    if (number := topology.file.owner) is None:
        with kept(topology.name, folder) as state:
            number = state.setdefault("identity", secrets.token_hex(8))
    return Identity(topology.name, number, f"{getpass.getuser()}@{socket.gethostname()}:{folder}")


@contextlib.contextmanager
def kept(topology: str, folder: Path) -> Iterator[dict[str, Any]]:
    """What is kept, to be changed: `identity`, `secrets` by service and name, and
    `tls`. Commands take turns.

    LoadstoneError `cannot-write`.
    """
    path = _path(topology, folder)
    try:
        with _turn(path.parent):
            earlier = _earlier(topology)
            before = path.read_text("utf-8") if path.exists() else "{}"
            state = json.loads(before)
            if not path.exists() and earlier.exists():
                state["secrets"] = json.loads(earlier.read_text("utf-8"))
            yield state
            after = json.dumps({key: value for key, value in state.items() if value}, indent=1)
            if after != before:
                draft = path.with_suffix(".draft")
                draft.touch(mode=0o600)
                draft.write_text(after, encoding="utf-8")
                draft.replace(path)
                earlier.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        hint = "XDG_STATE_HOME names another place; without the file there are new secrets"
        raise LoadstoneError("cannot-write", f"{path} cannot be used: {error}", hint=hint) from error


def authority(topology: str, folder: Path) -> Path:
    """Where the certificate of the topology's authority is, for those who are to believe it."""
    return _path(topology, folder).with_suffix(".crt")


def forget(topology: str, folder: Path) -> None:
    """Lets go of all of it, where that can be done: nothing is left that it was for."""
    path = _path(topology, folder)
    if path.exists():
        with contextlib.suppress(OSError), _turn(path.parent):
            authority(topology, folder).unlink(missing_ok=True)
            path.unlink()


@contextlib.contextmanager
def _turn(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _path(topology: str, folder: Path) -> Path:
    digest = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    return _states() / "topologies" / f"{topology}-{digest}.json"


def _earlier(topology: str) -> Path:
    """Where the first version kept secrets: by the name alone. The first topology of that name takes them."""
    return _states() / "secrets" / f"{topology}.json"


def _states() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "loadstone"
