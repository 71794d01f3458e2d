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
