"""What an agent needs of whoever brings it to its host: a shell there, and lines to and from a program.

Two ways lead to hosts: ssh (`ssh_wire.py`) and the nodes of a Ray cluster (`ray_nodes.py`). All the rest
knows neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from loadstone.ssh import Answer

SEND_S = 15.0
"""An agent that takes nothing for so long is given up."""


class Gone(Exception):
    """The agent ended, or no longer takes or answers messages; the text says what is known."""


class Wire(Protocol):
    """A program that was started on a host, and the lines between it and us."""

    @property
    def silent_s(self) -> float:
        """A run's agent whose next second is overdue for so long is given up: seconds."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        ...

    def send(self, line: bytes) -> None:
        """Hands it a line. `Gone` when it does not take it within `SEND_S`."""
        ...

    def beat(self, line: bytes) -> None:
        """Hands it a short line if it takes one at once. If it does not, that is no error yet."""
        ...

    def lines(self) -> Iterator[bytes]:
        """What it says, line by line, to its end."""
        ...

    def last_words(self) -> str:
        """How it ended, for a message."""
        ...

    def close(self, wait_s: float) -> None:
        """Ends it; returns after `wait_s` at the latest, or soon after."""
        ...


class Reach(Protocol):
    """Hosts that can be reached, by name."""

    @property
    def hosts(self) -> list[str]:
        """Their names."""
        ...

    def run(self, host: str, command: str) -> Answer:
        """Runs a line of the shell there to its end. LoadstoneError when the host cannot be reached."""
        ...

    def write(self, host: str, path: str, content: bytes) -> None:
        """Replaces a file there in one step. LoadstoneError `host-write`, or as `run`."""
        ...

    def start(self, host: str, command: Sequence[str]) -> Wire:
        """Starts a program there; its end is the caller's. LoadstoneError as `run`."""
        ...
