"""The topology file, table by table. Every key, default and limit of the format stands here."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from loadstone.scenario.fields import Count, NonNegative, Positive, Share, Table, refuse

FORMAT = 1
NAME = re.compile(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?")
NAME_HINT = "names are 1 to 32 lower-case letters, digits and `-`, beginning with a letter"


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise refuse("bad-name", f"`{value}` is not a name", NAME_HINT)
    return value


def _owner(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.@-]{1,64}", value):
        raise refuse("bad-name", f"`{value}` is not an owner", "1 to 64 letters, digits and `_.@-`")
    return value


HostName = Annotated[str, AfterValidator(_name)]
Owner = Annotated[str, AfterValidator(_owner)]
Law = Literal["normal", "uniform", "exponential"]
Way = Literal["up", "down"]


WAYS: tuple[Way, Way] = ("up", "down")


class Direction(Table):
    """What differs in one direction of a link; absent keys are those of the link."""

    delay_ms: NonNegative | None = None
    jitter_ms: NonNegative | None = None
    law: Law | None = None
    loss: Share | None = None
    rate_mbit: Positive | None = None
    burst_kib: NonNegative | None = None
    queue_ms: NonNegative | None = None
    cross_mbit: NonNegative | None = None


class Shape(Table):
    """One direction of a link."""

    delay_ms: Annotated[NonNegative, Field(le=60_000, description="mean, one way")] = 0.0
    jitter_ms: Annotated[NonNegative, Field(description="standard deviation of the delay")] = 0.0
    law: Annotated[Law, Field(description="of the delay")] = "normal"
    loss: Annotated[Share, Field(description="share of frames")] = 0.0
    rate_mbit: Annotated[Positive, Field(le=100_000)] | None = None
    burst_kib: Annotated[NonNegative, Field(le=1_000_000, description="depth of the token bucket")] = 0.0
    queue_ms: Annotated[NonNegative, Field(le=60_000, description="longest wait for the wire")] = 50.0
    cross_mbit: Annotated[NonNegative, Field(description="other traffic through the same queue")] = 0.0

    @property
    def plain(self) -> bool:
        """Whether it changes nothing."""
        return not (self.delay_ms or self.jitter_ms or self.loss or self.rate_mbit)


class Link(Shape):
    """A link between a host and the network: the same in both directions, or not."""

    up: Annotated[Direction, Field(description="from the host")] = Direction()
    down: Annotated[Direction, Field(description="to the host")] = Direction()

    def direction(self, name: Way) -> Shape:
        """The shape of one direction."""
        own: Direction = getattr(self, name)
        both = self.model_dump(exclude={"up", "down"})
        return Shape.model_validate(both | own.model_dump(exclude_none=True))


class Host(Table):
    """One machine of the topology: a namespace of this one, or a real one."""

    name: HostName
    kind: HostName = "host"
    address: Annotated[
        str | None, Field(description="an address of the subnet, or user@host[:port] of a real machine")
    ] = None
    cpus: Annotated[Positive, Field(ge=0.01)] | None = None
    memory_mib: Annotated[Count, Field(ge=16)] | None = None
    disk_mib: Annotated[Count, Field(ge=16, description="what the host may write")] | None = None
    link: str | None = None

    @property
    def real(self) -> bool:
        """Whether it is a machine of its own, which the lab leaves alone."""
        return self.address is not None and "@" in self.address


class Network(Table):
    """The network that all hosts of the lab share."""

    subnet: Annotated[str | None, Field(description="chosen from the lab's name when absent")] = None
    congestion_control: Annotated[str | None, Field(description="of TCP; the machine's when absent")] = None


class Service(Table):
    """A program that `loadstone deploy` puts on hosts. What a role's settings may be, the role knows."""

    name: Annotated[HostName | None, Field(description="the role's name when absent")] = None
    role: HostName
    hosts: Annotated[list[HostName] | None, Field(min_length=1)] = None
    kind: Annotated[HostName | None, Field(description="all hosts of that kind, instead of `hosts`")] = None
    port: Annotated[int | None, Field(ge=1, le=65535, description="the role's own when absent")] = None
    tls: Annotated[bool | None, Field(description="serve it with TLS; as the topology when absent")] = None
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def known_as(self) -> str:
        """Its name."""
        return self.name or self.role


class TopologyFile(Table):
    """A topology file."""

    format: Literal[1]
    name: HostName
    owner: Annotated[
        Owner | None, Field(description="whose its services are; this checkout's when absent")
    ] = None
    roles: Annotated[
        str | None, Field(min_length=1, description="a folder of Ansible roles, from the topology file")
    ] = None
    tls: Annotated[bool, Field(description="every service that can is served with TLS")] = False
    network: Network = Network()
    link: Annotated[dict[str, Link], Field(default_factory=dict)]
    host: Annotated[list[Host], Field(min_length=1, max_length=200)]
    service: Annotated[list[Service], Field(default_factory=list)]


TABLES: dict[tuple[Any, ...], type[Table]] = {
    (): TopologyFile,
    ("network",): Network,
    ("link", "*"): Link,
    ("link", "*", "up"): Direction,
    ("link", "*", "down"): Direction,
    ("host", "*"): Host,
    ("service", "*"): Service,
}
