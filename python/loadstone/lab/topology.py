"""Reads a topology file; refuses it with everything that is wrong, each with its line."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loadstone.intake import Kind, read_bytes
from loadstone.lab.model import FORMAT, TABLES, WAYS, Host, Link, Network, Service, TopologyFile, Way
from loadstone.scenario.findings import Finding, Source, listed, suggest
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.shape import explain
from loadstone.scenario.written import parse_toml

_KIND = Kind("topology-missing", "a topology")
_RESERVED = 10
"""Addresses at the start of a subnet that are not given out: the first is this machine's."""

_WIDEST = {"normal": 1 / 3, "uniform": 3**-0.5, "exponential": 1.0}
"""Largest jitter as a share of the delay; a normal law is cut at three deviations."""


@dataclass(frozen=True)
class Topology:
    """A checked topology."""

    file: TopologyFile
    path: Path
    source: Source
    """Where each key stands, for later stages that find something wrong with it."""

    @property
    def name(self) -> str:
        """The lab's name."""
        return self.file.name

    @property
    def network(self) -> Network:
        """What the hosts share."""
        return self.file.network

    @cached_property
    def hosts(self) -> list[Host]:
        """The hosts that the lab makes."""
        return [host for host in self.file.host if not host.real]

    @cached_property
    def machines(self) -> list[Host]:
        """The real machines, which it leaves alone."""
        return [host for host in self.file.host if host.real]

    @property
    def services(self) -> list[Service]:
        """What runs on the hosts, in the order of the file."""
        return self.file.service

    def hosts_of(self, service: Service) -> list[Host]:
        """The hosts that a service runs on, in the order of the file."""
        names = service.hosts or []
        return [host for host in self.file.host if host.name in names or host.kind == service.kind]

    def link(self, host: Host) -> Link:
        """The host's link; one that shapes nothing when it names none."""
        return self.file.link[host.link] if host.link else Link()


def load_topology(path: Path) -> Topology:
    """Reads and checks a topology file.

    LoadstoneError `topology-missing` or `toml-syntax`; ScenarioError with everything that is wrong in it.
    """
    raw, positions = parse_toml(read_bytes(path, _KIND), path)
    source = Source(str(path), positions, raw, {})
    if raw.get("format") != FORMAT or isinstance(raw["format"], bool):
        found = f"format {raw['format']} is not known" if "format" in raw else "`format` is missing"
        hint = f"this version reads `format = {FORMAT}`"
        raise source.errors([Finding("format-version", found, ("format",), hint)])
    try:
        file = TopologyFile.model_validate(raw)
    except ValidationError as error:
        raise source.errors(explain(error, raw, _known_keys)) from error
    findings = [*_links(file), *_hosts(file), *_addresses(file), *_services(file)]
    if findings:
        raise source.errors(findings)
    return Topology(file, path, source)


def subnet_of(text: str) -> ipaddress.IPv4Network:
    """An IPv4 subnet with room for hosts. ValueError with a sentence.

    >>> subnet_of("198.18.7.0/24").num_addresses
    256
    """
    subnet = ipaddress.IPv4Network(text)
    if not 8 <= subnet.prefixlen <= 27:
        raise ValueError(f"/{subnet.prefixlen} is not between /8 and /27")
    return subnet


def free_addresses(
    subnet: ipaddress.IPv4Network, taken: set[ipaddress.IPv4Address]
) -> Iterator[ipaddress.IPv4Address]:
    """Addresses for hosts that name none, in order."""
    first = int(subnet.network_address)
    for number in range(first + _RESERVED + 1, int(subnet.broadcast_address)):
        if (address := ipaddress.IPv4Address(number)) not in taken:
            yield address


def _known_keys(table: Keys) -> list[str]:
    wild = tuple("*" if index == 1 else key for index, key in enumerate(table))
    model = TABLES.get(wild)
    return list(model.model_fields) if model else []


def _links(file: TopologyFile) -> Iterator[Finding]:
    for name, link in file.link.items():
        found = [found for way in WAYS for found in contradictions(link, way, ("link", name))]
        yield from dict.fromkeys(found)  # what is wrong in both directions stands once in the file


def contradictions(link: Link, way: Way, at: Keys) -> Iterator[Finding]:
    """What in one direction of a link contradicts itself."""
    own: dict[str, Any] = getattr(link, way).model_dump(exclude_none=True)
    shape = link.direction(way)

    def place(key: str) -> Keys:
        return (*at, way, key) if key in own else (*at, key)

    if shape.rate_mbit is None:
        for key in ("cross_mbit", "burst_kib"):
            if getattr(shape, key):
                yield Finding("link-rate", f"`{key}` without a rate to share", place(key), "add `rate_mbit`")
    elif shape.cross_mbit >= shape.rate_mbit:
        message = f"cross-traffic of {shape.cross_mbit:g} Mbit/s leaves nothing of {shape.rate_mbit:g}"
        yield Finding("link-rate", message, place("cross_mbit"), "it must be less than `rate_mbit`")
    # Beyond this the law would reach below no delay: mean and deviation would not be those asked for.
    most = _WIDEST[shape.law] * shape.delay_ms
    if shape.jitter_ms > most * (1 + 1e-9):
        message = f"{shape.jitter_ms:g} ms of jitter do not fit a delay of {shape.delay_ms:g} ms"
        hint = f"a {shape.law} delay allows at most {most:.3g} ms"
        yield Finding("link-jitter", message, place("jitter_ms"), hint)


def _hosts(file: TopologyFile) -> Iterator[Finding]:
    seen: set[str] = set()
    for number, host in enumerate(file.host):
        at: Keys = ("host", number)
        if host.name in seen:
            yield Finding("duplicate-host", f"there are two hosts `{host.name}`", (*at, "name"))
        seen.add(host.name)
        if host.link is None:
            continue
        if host.real:
            message = f"`{host.name}` is a real machine: Loadstone does not change its network"
            yield Finding("link-real", message, (*at, "link"), "remove `link`")
        elif host.link not in file.link:
            hint = suggest(host.link, file.link, f"known are {listed(file.link)}" if file.link else "")
            yield Finding("link-name", f"there is no [link.{host.link}]", (*at, "link"), hint)


def _services(file: TopologyFile) -> Iterator[Finding]:
    seen: set[str] = set()
    names, kinds = {host.name for host in file.host}, {host.kind for host in file.host}
    for number, service in enumerate(file.service):
        at: Keys = ("service", number)
        if service.known_as in seen:
            hint = "give each its own `name`"
            yield Finding("duplicate-service", f"there are two services `{service.known_as}`", at, hint)
        seen.add(service.known_as)
        if (service.hosts is None) == (service.kind is None):
            message = f"`{service.known_as}` needs either `hosts` or `kind`"
            yield Finding("service-host", message, at, "they say where it runs")
        for index, host in enumerate(service.hosts or []):
            if host not in names:
                hint = suggest(host, names, f"known are {listed(sorted(names))}")
                yield Finding("service-host", f"there is no host `{host}`", (*at, "hosts", index), hint)
        if service.kind is not None and service.kind not in kinds:
            hint = suggest(service.kind, kinds, f"known are {listed(sorted(kinds))}")
            yield Finding("service-host", f"no host is of kind `{service.kind}`", (*at, "kind"), hint)


def _addresses(file: TopologyFile) -> Iterator[Finding]:
    subnet = None
    if file.network.subnet is not None:
        try:
            subnet = subnet_of(file.network.subnet)
        except ValueError as error:
            hint = "write it as 198.18.7.0/24"
            yield Finding("bad-subnet", f"`{file.network.subnet}`: {error}", ("network", "subnet"), hint)
            return
    taken: set[ipaddress.IPv4Address] = set()
    for number, host in enumerate(file.host):
        at: Keys = ("host", number, "address")
        if host.address is None:
            continue
        if host.real:
            if not all(part.strip() for part in host.address.split("@", 1)):
                yield Finding("bad-address", f"`{host.address}` is not user@host", at)
            continue
        finding, address = _own_address(host.address, subnet, taken, at)
        if finding:
            yield finding
        elif address:
            taken.add(address)
    wanted = sum(host.address is None for host in file.host)
    if subnet is not None and wanted > sum(1 for _ in free_addresses(subnet, taken)):
        message = f"`{subnet}` has no room for {wanted} more hosts"
        yield Finding("bad-subnet", message, ("network", "subnet"), "take a larger one")


def _own_address(
    text: str, subnet: ipaddress.IPv4Network | None, taken: set[ipaddress.IPv4Address], at: Keys
) -> tuple[Finding | None, ipaddress.IPv4Address | None]:
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        hint = "write an IPv4 address of the subnet, or user@host for a real machine"
        return Finding("bad-address", f"`{text}` is not an address", at, hint), None
    if subnet is None:
        hint = "set network.subnet, or leave the address out"
        return Finding("bad-address", f"`{text}` needs a subnet that holds it", at, hint), None
    inside = int(subnet.network_address) + 1 < int(address) < int(subnet.broadcast_address)
    if address not in subnet or not inside:
        hint = f"{subnet.network_address + 1} is this machine's"
        return Finding("bad-address", f"`{text}` is not a host's address of {subnet}", at, hint), None
    if address in taken:
        return Finding("duplicate-address", f"`{text}` is taken", at), None
    return None, address
