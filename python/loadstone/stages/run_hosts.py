"""What a run's record says of machines: agents, the service's processes, hosts that were watched."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Text, Word, Yes
from loadstone.stages.base import Piece


class AgentFigures(Piece):
    """What one agent did in the steady state."""

    host: Word
    users: Known = None
    requests: Known = None
    share: Known = None
    cpu_share: Known = None
    wake_lag_ms_p99: Known = None


class Agent(AgentFigures):
    """An agent: its host, how well its clock was known, what it did."""

    clock_offset_s: Figure
    clock_error_s: Figure
    threads: Count | None = None
    hostname: Word | None = None
    cores: Known = None
    kernel: Word | None = None
    python: Word | None = None
    lost_at_s: Known = None


class Sut(Piece):
    """What the service's processes needed in the steady state; None where they were not observed."""

    cpu_cores_mean: Known = None
    rss_bytes_max: Known = None


class WatchedService(Piece):
    """A service of a host of the topology."""

    name: Word
    role: Word
    tier: Word
    """What it is to the others: `database`, say."""
    port: Count | None = None


class WatchedHost(Piece):
    """A host of the topology that was watched during the run."""

    host: Word
    lab: Yes = False
    """Whether it shared its machine with the other hosts of a lab."""
    cpus: Known = None
    """Its quota of the machine's processors; None without one."""
    memory_limit_bytes: Known = None
    link_mbit: Known = None
    """What its link carries in the slower direction; None where that is not known."""
    cores: Known = None
    memory_bytes: Known = None
    hostname: Word | None = None
    kernel: Word | None = None
    services: list[WatchedService] = Field(default_factory=list)


class Limit(Piece):
    """The resource of a host that was used most in the steady state, and by whom."""

    resource: Literal["cpu", "memory", "disk", "network", "connections", "locks", "down"]
    """`down`: the service did not run."""
    share: Known = None
    """Of what there is, the mean of the steady state; of locks, the readings in which they held up work."""
    throttled_share: Known = None
    """Of the periods of its quota, those in which it was used up and processes stood still."""
    host: Word
    service: Word | None = None
    tier: Word | None = None
    said: Text
    """The same in words."""


class Connector(Piece):
    """What the connector of a built-in application counted."""

    seconds: Known = None
    """How long the load lasted."""
    readings: Count
    counters: dict[str, Figure]
    """Sums over the whole run; microseconds where the name ends in `_us`."""
    most: dict[str, Figure]
