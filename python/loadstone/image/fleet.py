"""Several instances of an image at once, each with a port and a core of its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType

from loadstone.image.guest import Guest, free_port
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
        self._say = say
        with contextlib.ExitStack() as started:
            for machine in machines:
                guest = started.enter_context(self.add(machine))
                if len(machines) > 1:
                    self.pin(guest)
            self._all = started.pop_all()

    def add(self, machine: Machine) -> Guest:
        """Starts one more; the caller ends it. LoadstoneError `program-missing`."""
        number = len(self.guests) + 1
        guest = Guest(replace(machine, tied=True), partial(self._say, number))
        self.guests.append(guest)
        return guest

    def pin(self, guest: Guest) -> None:
        """Gives an instance a core of its own, while there are enough: more processors by more instances."""
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(guest.pid, {cores[self.guests.index(guest) % len(cores)]})

    def __enter__(self) -> Fleet:
        """The instances."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends them."""
        self._all.close()

    def order(self, line: str) -> str | None:
        """Says an order to the instance whose number stands before it, as in `2: status`, or to all. A
        sentence when there is no such instance."""
        number, colon, rest = line.partition(":")
        if not (colon and number.strip().isdecimal()):
            for guest in list(self.guests):
                guest.say(line)
            return None
        if not 0 < int(number) <= len(self.guests):
            return f"there is no instance {int(number)}"
        self.guests[int(number) - 1].say(rest.strip())
        return None

    def wait(self, ended: Callable[[int, int], None]) -> list[int]:
        """QEMU's exit codes, when all have ended; `ended` gets the number of each that ends and its code."""
        codes: dict[int, int] = {}
        while left := [number for number in range(1, len(self.guests) + 1) if number not in codes]:
            for number in left:
                # The first that still runs is waited for, and the others looked at beside that.
                code = self.guests[number - 1].end_within(_LOOK_S if number == left[0] else 0)
                if code is not None:
                    codes[number] = code
                    ended(number, code)
        return list(codes.values())


def instances(machine: Machine, count: int, first_port: int, disks: Sequence[Disk]) -> list[Machine]:
    """`count` machines like `machine`, at ports that follow each other (free ones when `first_port` is 0)."""
    made = []
    for number in range(count):
        port = first_port + number if first_port else free_port()
        disk = disks[number] if disks else None
        made.append(replace(machine, ports={HTTP_PORT: port}, disk=disk))
    return made
