"""Several instances of an image at once, each with a port and a core of its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType

from loadstone.image.guest import CLEAN, Guest, free_port
from loadstone.image.qemu import HTTP_PORT, Disk, Machine

_LOOK_S = 0.1

Say = Callable[[int, str], None]
"""Gets the number of an instance, from 1, and a line of its console."""


class Fleet:
    """Running instances; leaving the context ends all."""

    def __init__(self, machines: Sequence[Machine], say: Say) -> None:
        """Starts them. LoadstoneError `program-missing`."""
        self.guests: list[Guest] = []
        self._all = contextlib.ExitStack()
        cores = sorted(os.sched_getaffinity(0))
        with contextlib.ExitStack() as started:
            for number, machine in enumerate(machines, 1):
                guest = started.enter_context(Guest(machine, partial(say, number)))
                self.guests.append(guest)
                if len(machines) > 1:
                    # More processors by more instances: none of them competes for a core while there are
                    # enough.
                    os.sched_setaffinity(guest.pid, {cores[(number - 1) % len(cores)]})
            self._all = started.pop_all()

    def __enter__(self) -> Fleet:
        """The instances."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends them."""
        self._all.close()

    def wait(self) -> list[int]:
        """QEMU's exit codes, of those that have ended: of all, or of those that had when one ended badly."""
        left = list(self.guests)
        while left and all(code in (0, CLEAN) for code in self._codes()):
            left = [guest for guest in left if guest.end_within(_LOOK_S) is None]
        return self._codes()

    def _codes(self) -> list[int]:
        return [code for guest in self.guests if (code := guest.exit_code) is not None]


def instances(machine: Machine, count: int, first_port: int, disks: Sequence[Disk]) -> list[Machine]:
    """`count` machines like `machine`, at ports that follow each other (free ones when `first_port` is 0)."""
    made = []
    for number in range(count):
        port = first_port + number if first_port else free_port()
        disk = disks[number] if disks else None
        made.append(replace(machine, ports={HTTP_PORT: port}, disk=disk))
    return made
