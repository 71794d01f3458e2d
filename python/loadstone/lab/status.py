"""`lab status`: whether each host of a lab can be reached, and if not why and what to do about it."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from loadstone.lab.folder import UP, Folder, HostRecord, Record
from loadstone.lab.listing import state
from loadstone.lab.processes import alive
from loadstone.lab.take_down import require
from loadstone.lab.traffic import traffic

_ANSWER_S = 2.0


@dataclass(frozen=True)
class HostStatus:
    """A host of a lab now."""

    host: str
    state: str
    """`up`, `down`, `cut` (it runs, its link does not), `no ssh`, or `real`."""
    why: str
    """What is wrong and what mends it; empty when nothing is."""
    link: str
    carrier: str
    traffic: dict[str, Any]
    """Frames of its link by direction, as `traffic` tells them."""


def status(lab: str) -> tuple[str, list[HostStatus]]:
    """The state of a lab and of each of its hosts. LoadstoneError `lab-missing`."""
    require(lab)
    folder = Folder(lab)
    record = folder.read()
    if record is None:
        return state(folder, None), []
    frames = traffic(folder, record)
    with ThreadPoolExecutor(16) as pool:
        states = list(pool.map(lambda host: _state(record, host), record.hosts))
    found = [
        HostStatus(host.name, what, why, host.link, host.carrier, frames.get(host.name, {}))
        for host, (what, why) in zip(record.hosts, states, strict=True)
    ]
    return state(folder, record), found


def _state(record: Record, host: HostRecord) -> tuple[str, str]:
    def mend(verb: str) -> str:
        return f"loadstone lab {verb} {host.name} --lab {record.name}"

    if host.real:
        return "real", ""
    if not alive(record.name, host.pid):
        return "down", f"its processes have ended; {mend('host restart')}"
    if host.cut:
        return "cut", f"its link is cut; {mend('link set --mend')}"
    try:
        with socket.create_connection((host.address, 22), timeout=_ANSWER_S) as connection:
            if connection.recv(4).startswith(b"SSH"):
                return UP, ""
        reason = "something else answers at its port"
    except OSError as error:
        reason = error.strerror or str(error)
    return "no ssh", f"{reason}; {mend('host repair')}"
