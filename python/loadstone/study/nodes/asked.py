"""What the study's file says of our own measurements: folders, builds, and what a node costs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from loadstone.nodes.fields import Rate
from loadstone.scenario.fields import Count, Table

NodeName = Literal["native", "ilr", "tx"]
"""The paper's node types."""


class Build(Table):
    """A build that was measured, and the node type of the paper that it stands beside."""

    name: Annotated[str, Field(description="in the folder of injections")]
    beside: NodeName
    kernels: Annotated[str | None, Field(description="in the folder of kernels; none for native")] = None
    servers: Annotated[
        str | None, Field(description="how the variants of servers end: `off`, `ilr`, `tmr`")
    ] = None


class Server(Table):
    """A server that was measured in several builds."""

    name: Annotated[str, Field(description="as its variants begin: `memcached` of `memcached-ilr`")]
    rows: Annotated[str, Field(description="folder of `bench/hardened_servers.py`")]
    faults: Annotated[
        str | None, Field(description="folder that has `inject.json` in `memcached-off`, `memcached-ilr`, …")
    ] = None


class Money(Table):
    """What one node costs, whom it serves, and the faults that it meets."""

    book: str
    instance: str
    users: Annotated[Count, Field(description="of one native node")]
    faults: Rate


class Measured(Table):
    """Folders of our own measurements, from the file on."""

    injection: Annotated[str, Field(description="of `bench/injection.py`")]
    kernels: Annotated[str | None, Field(description="of `bench/hardened_kernels.py`")] = None
    server: Annotated[list[Server], Field(default_factory=list)]
    build: Annotated[list[Build], Field(min_length=1, description="native first")]
    cost: Money | None = None
