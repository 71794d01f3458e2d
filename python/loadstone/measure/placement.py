"""Where the load is made: a value that is turned into an engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadstone.measure.engine import Engine, RustEngine


class Placement(Protocol):
    """A place to make load from."""

    def engine(self) -> AbstractContextManager[Engine]:
        """The engine there, for any number of runs. What was started for it ends with the block."""


@dataclass(frozen=True)
class Here:
    """Threads of this process."""

    @contextlib.contextmanager
    def engine(self) -> Iterator[Engine]:
        """The engine of this process."""
        yield RustEngine()


@dataclass(frozen=True)
class OnHosts:
    """Agents on hosts of a topology that is up."""

    topology: Path
    hosts: tuple[str, ...]

    @contextlib.contextmanager
    def engine(self) -> Iterator[Engine]:
        """Starts the agents. Errors: those of `load_topology`, `ssh` and `fleet`."""
        from loadstone.lab import load_topology
        from loadstone.measure.agents import fleet
        from loadstone.ssh import ssh

        with ssh(load_topology(self.topology)) as hosts, fleet(hosts, self.hosts) as engine:
            yield engine


@dataclass(frozen=True)
class OnRay:
    """Agents on nodes of a Ray cluster that is there already."""

    on: str
    """`ray` or `ray://HOST:PORT`."""
    agents: str | None
    """How many, or on which nodes; None is every node that has a CPU for Ray's work."""

    def __post_init__(self) -> None:
        """LoadstoneError `agents` when `on` names no cluster."""
        from loadstone.measure.ray_cluster import require_address

        require_address(self.on)

    @contextlib.contextmanager
    def engine(self) -> Iterator[Engine]:
        """Starts the agents. Errors: those of `ray_fleet`."""
        from loadstone.measure.ray_nodes import ray_fleet

        with ray_fleet(self.on, self.agents) as engine:
            yield engine
