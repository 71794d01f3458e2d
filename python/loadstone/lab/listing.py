"""`lab list`: what labs there are and how they are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.lab import traffic
from loadstone.lab.bring_up import running
from loadstone.lab.folder import UP, Folder, HostRecord, Record, locked, names
from loadstone.lab.processes import alive


def labs(only: str | None = None) -> list[dict[str, Any]]:
    """Every lab, or the one of that name: its record, its state, each host's, the switch's counters."""
    return [_described(name) for name in names() if only in (None, name)]


def _described(name: str) -> dict[str, Any]:
    folder = Folder(name)
    record = folder.read()
    if record is None:
        return {"name": name, "state": state(folder, None), "hosts": [], "ssh_config": None}
    described = asdict(record)
    frames = traffic.traffic(folder, record)
    for host, told in zip(record.hosts, described["hosts"], strict=True):
        told["state"] = _host_state(record, host)
        told["traffic"] = frames.get(host.name)
    return described | {
        "state": state(folder, record),
        "ssh_config": str(folder.path / "ssh_config"),
        "switch": traffic.counters(folder),
    }


def state(folder: Folder, record: Record | None) -> str:
    """How a lab is, in words."""
    if record is not None and running(record):
        return UP
    try:
        with locked(folder.path, wait=False):
            pass
    except LoadstoneError:
        return "changing"
    if record is None or record.stage != UP:
        return f"half-way, at {record.stage if record else 'the start'}"
    return "broken"


def _host_state(record: Record, host: HostRecord) -> str:
    if host.real:
        return "real"
    return UP if alive(record.name, host.pid) else "down"
