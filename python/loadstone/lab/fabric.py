"""The lab's network: a namespace with a bridge, a switch for shaped links, a door to this machine."""

from __future__ import annotations

import ipaddress
import json
import subprocess
import sys

from loadstone.lab import links
from loadstone.lab.folder import Folder, HostRecord, Record
from loadstone.lab.layout import BRIDGE, DEVICE, UPLINK, door, hardware_address
from loadstone.lab.model import Link, Shape
from loadstone.lab.processes import expect, inside, run, spawn
from loadstone.lab.topology import Topology

_QUIET = "[ ! -e /proc/sys/net/ipv6 ] || echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"
_HOLD = f"{_QUIET}; echo ready; exec sleep infinity"


def used_subnets() -> list[ipaddress.IPv4Network]:
    """What this machine reaches by a route other than the default one."""
    routes = json.loads(subprocess.run(["ip", "-j", "-4", "route"], capture_output=True, check=True).stdout)
    return [
        ipaddress.IPv4Network(route["dst"], strict=False) for route in routes if route["dst"] != "default"
    ]


def hold(folder: Folder, record: Record) -> None:
    """Starts the process whose network namespace is the lab's middle."""
    log = folder.path / "fabric.log"
    process = spawn(record.name, ["unshare", "--net", "--", "sh", "-c", _HOLD], log)
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


def connect(folder: Folder, record: Record, topology: Topology) -> None:
    """Gives every host its device, and every link its shape."""
    netem = links.kernel_has_netem(record.fabric_pid)
    specs = {host.name: topology.link(host) for host in topology.hosts}
    ours = [(host, specs[host.name]) for host in record.hosts if not host.real]
    for host, link in ours:
        host.carrier = links.carrier(link, netem=netem)
    _lay_veth(record, [host for host, _ in ours if host.carrier != links.SWITCH])
    for host, link in ours:
        if host.carrier == links.NETEM:
            _shape(record, record.fabric_pid, _port(host), link.direction("down"))
            _shape(record, host.pid, DEVICE, link.direction("up"))
    switched = [(host, link) for host, link in ours if host.carrier == links.SWITCH]
    if switched:
        _start_switch(folder, record, switched)


def close_door(lab: str) -> None:
    """Removes the device of this machine that leads into the lab, if it is there."""
    subprocess.run(["ip", "link", "delete", door(lab)], capture_output=True, check=False)


def _port(host: HostRecord) -> str:
    """The bridge's end of a host's link: a device has fifteen letters, an address of eight always fits."""
    return f"p{int(ipaddress.IPv4Address(host.address)):08x}"


def _lay_veth(record: Record, hosts: list[HostRecord]) -> None:
    batch = []
    for host in hosts:
        port, address = _port(host), hardware_address(host.address)
        batch.append(f"link add {port} type veth peer name {DEVICE} address {address} netns {host.pid}")
        batch.append(f"link set {port} master {BRIDGE} up")
    run(record.name, inside(record.fabric_pid, ["ip", "-batch", "-"]), "\n".join(batch))


def _shape(record: Record, pid: int, device: str, shape: Shape) -> None:
    """Sets up netem for what a device sends."""
    # Frames must be shaped one by one, not in the bundles that veth may carry.
    run(record.name, inside(pid, ["ip", "link", "set", device, "gso_max_segs", "1"]))
    run(record.name, inside(pid, ["tc", "qdisc", "add", "dev", device, "root", "netem", *links.netem(shape)]))


def _start_switch(folder: Folder, record: Record, switched: list[tuple[HostRecord, Link]]) -> None:
    """Starts the switch, which makes the hosts' devices, and joins it to the bridge."""
    ports: list[dict[str, object]] = [{"name": UPLINK, "device": UPLINK}]
    for host, link in switched:
        port: dict[str, object] = {"name": host.name, "device": DEVICE, "netns": f"/proc/{host.pid}/ns/net"}
        ports.append(port | {way: link.direction(way).model_dump() for way in ("up", "down")})
    config = {"ports": ports, "counters": str(folder.path / "switch-counters.json"), "seed": 1}
    (folder.path / "switch.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    log = folder.path / "switch.log"
    command = [sys.executable, "-m", "loadstone.lab.switch", str(folder.path / "switch.json")]
    process = spawn(record.name, inside(record.fabric_pid, command), log)
    record.switch_pid = process.pid
    expect(process, "ready", "the switch", log)
    if warning := log.read_text(encoding="utf-8", errors="replace").strip():
        record.notes.append(warning)
    join = ["ip", "link", "set", UPLINK, "master", BRIDGE, "up"]
    run(record.name, inside(record.fabric_pid, join))
    for host, _ in switched:
        address = hardware_address(host.address)
        run(record.name, inside(host.pid, ["ip", "link", "set", DEVICE, "address", address]))
