"""The lab's middle: a namespace with a bridge, a switch for shaped links, a door to this machine."""

from __future__ import annotations

import ipaddress
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from loadstone.lab import links
from loadstone.lab.folder import Folder, HostRecord, Record
from loadstone.lab.layout import BRIDGE, DEVICE, UPLINK, door, hardware_address
from loadstone.lab.model import WAYS, Link, Way
from loadstone.lab.processes import expect, inside, run, spawn
from loadstone.lab.switch import ask

_QUIET = "[ ! -e /proc/sys/net/ipv6 ] || echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"
_HOLD = f"{_QUIET}; echo ready; exec sleep infinity"
_QUEUE = 16_384
"""Frames that the kernel holds for the switch. What TCP has under way fits: buffers of 4 MiB, the kernel's
largest, are 2,900 full frames, and several connections may send theirs at once."""


def used_subnets() -> list[ipaddress.IPv4Network]:
    """What this machine reaches by a route other than the default one."""
    routes = json.loads(subprocess.run(["ip", "-j", "-4", "route"], capture_output=True, check=True).stdout)
    return [
        ipaddress.IPv4Network(route["dst"], strict=False) for route in routes if route["dst"] != "default"
    ]


def hold(folder: Folder, record: Record) -> None:
    """Starts the process whose namespaces are the lab's middle: the network, and the disks of the hosts."""
    log = folder.path / "fabric.log"
    # What this machine unmounts must be gone there, too.
    unshare = ["unshare", "--net", "--mount", "--propagation", "slave"]
    process = spawn(record.name, [*unshare, "--", "sh", "-c", _HOLD], log)
    expect(process, "ready", "the lab's network", log)
    record.fabric_pid = process.pid


def open_door(record: Record) -> None:
    """The bridge, and the device by which this machine reaches it."""
    prefix = record.subnet.partition("/")[2]
    outer, pid = door(record.name), record.fabric_pid
    inner = ["link set lo up", f"link add {BRIDGE} type bridge forward_delay 0 mcast_snooping 0"]
    run(record.name, inside(pid, ["ip", "-batch", "-"]), "\n".join(inner))
    batch = [
        f"link add {outer} type veth peer name door netns {pid}",
        f"address add {record.gateway}/{prefix} dev {outer}",
        f"link set {outer} up",
    ]
    run(record.name, ["ip", "-batch", "-"], "\n".join(batch))
    inner = [f"link set door master {BRIDGE} up", f"link set {BRIDGE} up"]
    run(record.name, inside(pid, ["ip", "-batch", "-"]), "\n".join(inner))


def connect(folder: Folder, record: Record, hosts: Sequence[HostRecord]) -> None:
    """Gives hosts their devices, and their links their shapes: to all, or to one that starts again."""
    netem = links.kernel_has_netem(record.fabric_pid)
    for host in hosts:
        host.carrier = links.carrier(link_of(host), netem=netem, cut=host.cut)
    _lay_veth(record, [host for host in hosts if host.carrier != links.SWITCH])
    for host in hosts:
        if host.carrier == links.NETEM:
            shape(record, host)
    if switched := [host for host in hosts if host.carrier == links.SWITCH]:
        _plug(folder, record, switched)


def clear(record: Record, host: HostRecord) -> None:
    """Removes what is left of the link of a host that has died: its namespace may still be on its way out."""
    command = inside(record.fabric_pid, ["ip", "link", "delete", port(host)])
    subprocess.run(command, capture_output=True, check=False)


def link_of(host: HostRecord) -> Link:
    """A host's link as it is now."""
    return Link.model_validate(host.shape)


def shape(record: Record, host: HostRecord) -> None:
    """Brings netem at both ends of a host's link to its shape; a plain one needs none."""
    link = link_of(host)
    ends: dict[Way, tuple[int, str]] = {"down": (record.fabric_pid, port(host)), "up": (host.pid, DEVICE)}
    for way, (pid, device) in ends.items():
        # Frames must be shaped one by one, not in the bundles that veth may carry.
        run(record.name, inside(pid, ["ip", "link", "set", device, "gso_max_segs", "1"]))
        words = links.netem(link.direction(way), cut=host.cut)
        run(record.name, inside(pid, ["tc", "qdisc", "replace", "dev", device, "root", "netem", *words]))


def move(folder: Folder, record: Record, host: HostRecord) -> None:
    """Puts a host that runs on another carrier: it gets another device, and keeps its connections."""
    run(record.name, inside(host.pid, ["ip", "link", "delete", DEVICE]))
    connect(folder, record, [host])


def reshape(folder: Folder, record: Record, host: HostRecord) -> None:
    """Gives the switch's port of a host its link. LoadstoneError `lab-start` when the switch refuses."""
    ask(folder, {"link": _link(host)})


def close_door(lab: str) -> None:
    """Removes the device of this machine that leads into the lab, if it is there."""
    subprocess.run(["ip", "link", "delete", door(lab)], capture_output=True, check=False)


def port(host: HostRecord) -> str:
    """The other end of a host's link: a device has fifteen letters, an address of eight always fits."""
    return f"p{int(ipaddress.IPv4Address(host.address)):08x}"


def _lay_veth(record: Record, hosts: Sequence[HostRecord]) -> None:
    batch = []
    for host in hosts:
        address = hardware_address(host.address)
        batch.append(f"link add {port(host)} type veth peer name {DEVICE} address {address} netns {host.pid}")
        batch.append(f"link set {port(host)} master {BRIDGE} up")
    run(record.name, inside(record.fabric_pid, ["ip", "-batch", "-"]), "\n".join(batch))


def _plug(folder: Folder, record: Record, hosts: Sequence[HostRecord]) -> None:
    """Gives hosts devices of the switch, which is started for the first of them."""
    ports: list[dict[str, Any]] = [{"device": port(host), **_link(host)} for host in hosts]
    if record.switch_pid:
        for one in ports:
            ask(folder, {"attach": one})
    else:
        _start_switch(folder, record, ports)
    # A device that was made here and moved ends with its host; one made there would keep the host's network
    # alive, which would go on answering.
    batch = []
    for host in hosts:
        address = hardware_address(host.address)
        batch.append(f"link set {port(host)} address {address} txqueuelen {_QUEUE}")
        batch.append(f"link set {port(host)} netns {host.pid} name {DEVICE}")
    run(record.name, inside(record.fabric_pid, ["ip", "-batch", "-"]), "\n".join(batch))


def _link(host: HostRecord) -> dict[str, Any]:
    link = link_of(host)
    told: dict[str, Any] = {way: link.direction(way).model_dump() for way in WAYS}
    return told | {"name": host.name} | ({"cut": True} if host.cut else {})


def _start_switch(folder: Folder, record: Record, ports: list[dict[str, Any]]) -> None:
    """Starts the switch with devices for these ports, and joins it to the bridge."""
    ports = [{"name": UPLINK, "device": UPLINK}, *ports]
    config = {"ports": ports, "counters": str(folder.path / "switch-counters.json"), "seed": 1}
    (folder.path / "switch.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    log = folder.path / "switch.log"
    command = [sys.executable, "-m", "loadstone.lab.switch", str(folder.path / "switch.json")]
    process = spawn(record.name, inside(record.fabric_pid, command), log)
    record.switch_pid = process.pid
    expect(process, "ready", "the switch", log)
    if warning := log.read_text(encoding="utf-8", errors="replace").strip():
        record.notes.append(warning)
    join = ["ip", "link", "set", UPLINK, "txqueuelen", str(_QUEUE), "master", BRIDGE, "up"]
    run(record.name, inside(record.fabric_pid, join))
