"""Where the frames of each link have gone: every one that was offered has passed, is under way or was dropped
for a cause that is named."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.lab import fabric, links
from loadstone.lab.folder import Folder, HostRecord, Record
from loadstone.lab.layout import DEVICE
from loadstone.lab.processes import inside

_CAUSES = ("lost", "queue_full", "overflow", "cut")


@dataclass(frozen=True)
class Figures:
    """What the kernel counts of what a device sends, since the device is there."""

    sent: int
    dropped: int


def traffic(folder: Folder, record: Record) -> dict[str, dict[str, Any]]:
    """By host and direction: frames `offered`, `passed`, `under_way`, and `dropped` by cause.

    Those of the switch are up to a second old. A link that netem or nothing shapes counts since its host
    was started, one of the switch since the lab is up.
    """
    ports = {port["port"]: port for port in counters(folder)}
    told = {}
    for host in record.hosts:
        if host.carrier == links.SWITCH and host.name in ports:
            told[host.name] = _of_switch(ports[host.name], host)
        elif host.carrier in (links.PLAIN, links.NETEM):
            ends = {"up": (host.pid, DEVICE), "down": (record.fabric_pid, fabric.port(host))}
            told[host.name] = {way: _of_kernel(*end, host.carrier) for way, end in ends.items()}
    return told


def counters(folder: Folder) -> list[dict[str, Any]]:
    """The switch's own counters, port by port; [] without a switch."""
    try:
        text = (folder.path / "switch-counters.json").read_text(encoding="utf-8")
        found: list[dict[str, Any]] = json.loads(text)
    except (OSError, ValueError):
        return []
    return found


def device(pid: int, name: str) -> Figures | None:
    """A device in the network namespace of a process; None when either is gone."""
    try:
        table = Path(f"/proc/{pid}/net/dev").read_text(encoding="utf-8")
    except OSError:
        return None
    return parse_devices(table).get(name)


def parse_devices(table: str) -> dict[str, Figures]:
    """What `/proc/net/dev` says of sending, by device.

    >>> parse_devices(" eth0: 96471 1447 0 1 0 0 0 0 2398 1584 0 5755 0 0 0 0")
    {'eth0': Figures(sent=1584, dropped=5755)}
    """
    found = {}
    for line in table.splitlines():
        name, colon, rest = line.partition(":")
        figures = rest.split()
        if colon and len(figures) == 16:
            found[name.strip()] = Figures(int(figures[9]), int(figures[11]))
    return found


def _of_switch(port: dict[str, Any], host: HostRecord) -> dict[str, Any]:
    told = {}
    figures = device(host.pid, DEVICE)
    for way in ("up", "down"):
        one = port[way]
        dropped = {cause: one.get(cause, 0) for cause in _CAUSES}
        offered = one["frames"]
        if way == "up":
            # What the kernel could not hold until the switch read it never came to the switch's own counters.
            dropped["device_full"] = host.device_full + (figures.dropped if figures else 0)
            dropped["malformed"] = port["malformed"]
            offered += dropped["device_full"] + dropped["malformed"]
            passed = one.get("passed")
        else:
            dropped["refused"] = port.get("refused", 0)
            passed = port["delivered"]
        told[way] = _told(offered, passed, one.get("under_way"), dropped)
    return told


def _of_kernel(pid: int, name: str, carrier: str) -> dict[str, Any] | None:
    figures = device(pid, name)
    if figures is None:
        return None
    dropped = {"device_full": figures.dropped}
    if carrier == links.NETEM:
        dropped["netem"] = _netem_drops(pid, name)
    passed = figures.sent
    return _told(passed + sum(dropped.values()), passed, 0, dropped)


def _netem_drops(pid: int, name: str) -> int:
    """Frames that netem has lost or could not hold; they do not count as sent."""
    command = inside(pid, ["tc", "-s", "-j", "qdisc", "show", "dev", name])
    done = subprocess.run(command, capture_output=True, check=False)
    try:
        return sum(int(one.get("drops", 0)) for one in json.loads(done.stdout) if one["kind"] == "netem")
    except (ValueError, KeyError, TypeError):
        return 0


def _told(offered: int, passed: int | None, under_way: int | None, dropped: dict[str, int]) -> dict[str, Any]:
    causes = {cause: count for cause, count in dropped.items() if count}
    return {"offered": offered, "passed": passed, "under_way": under_way, "dropped": causes}
