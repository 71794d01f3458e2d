"""From a topology to names and addresses: pure, except for the subnets that are in use."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterable

from loadstone.errors import LoadstoneError
from loadstone.lab import links
from loadstone.lab.folder import HostRecord, Record
from loadstone.lab.topology import Topology, free_addresses, subnet_of

_POOL = ipaddress.IPv4Network("198.18.0.0/15")
"""Set aside for the measurement of networks (RFC 2544, RFC 6890): nothing on the internet answers there."""

BRIDGE = "br0"
UPLINK = "uplink0"
DEVICE = "eth0"
"""A host's only device, by the name it has on most machines."""


def door(lab: str) -> str:
    """The device of this machine that leads into the lab. Fifteen letters are the most a device may have."""
    return f"ls-{_number(lab) % (1 << 40):010x}"


def choose_subnet(lab: str, used: Iterable[ipaddress.IPv4Network]) -> ipaddress.IPv4Network:
    """A subnet by the lab's name, or the next one that overlaps nothing in use.

    >>> choose_subnet("one", []) == choose_subnet("one", [])
    True
    >>> first = choose_subnet("one", [])
    >>> choose_subnet("one", [first]) == first
    False
    """
    taken = list(used)
    choices = list(_POOL.subnets(new_prefix=24))
    start = _number(lab)
    for step in range(len(choices)):
        subnet = choices[(start + step) % len(choices)]
        if not any(subnet.overlaps(other) for other in taken):
            return subnet
    raise LoadstoneError("lab-start", f"no subnet of {_POOL} is free", hint="take labs down")


def lay_out(topology: Topology, digest: str, used: Iterable[ipaddress.IPv4Network]) -> Record:
    """The record of a lab before anything of it exists.

    LoadstoneError `lab-start` when its subnet is in use.
    """
    taken = list(used)
    if topology.network.subnet is None:
        subnet = choose_subnet(topology.name, taken)
    else:
        subnet = subnet_of(topology.network.subnet)
        if clash := next((other for other in taken if subnet.overlaps(other)), None):
            hint = "choose another network.subnet, or leave it out"
            raise LoadstoneError("lab-start", f"{subnet} overlaps {clash}, which is in use", hint=hint)
    given = {ipaddress.IPv4Address(host.address) for host in topology.hosts if host.address}
    free = free_addresses(subnet, given)
    hosts = [
        HostRecord(
            host.name,
            host.kind,
            host.address or str(next(free)),
            "" if host.real else links.words(topology.link(host)),
            shape={} if host.real else topology.link(host).model_dump(exclude_none=True),
            cpus=host.cpus,
            memory_mib=host.memory_mib,
            disk_mib=host.disk_mib,
            real=host.real,
        )
        for host in topology.file.host
    ]
    return Record(
        name=topology.name,
        topology=str(topology.path.resolve()),
        digest=digest,
        subnet=str(subnet),
        gateway=str(subnet.network_address + 1),
        congestion_control=topology.network.congestion_control or "",
        hosts=hosts,
    )


def hardware_address(address: str) -> str:
    """A locally administered hardware address that tells the host's address.

    >>> hardware_address("198.18.7.11")
    '02:00:c6:12:07:0b'
    """
    return "02:00:" + ":".join(f"{int(part):02x}" for part in address.split("."))


def _number(lab: str) -> int:
    return int.from_bytes(hashlib.sha256(lab.encode()).digest()[:8])
