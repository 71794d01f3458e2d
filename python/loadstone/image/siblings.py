"""The host's side of self-scaling: an instance that has too much to do asks for a sibling, and gets one.

After the paper's "cloud system calls": what an instance cannot do by itself it asks of the host, by a line on
its console.
"""

from __future__ import annotations

import contextlib
import queue
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType

from loadstone.errors import LoadstoneError
from loadstone.image.fleet import Fleet
from loadstone.image.guest import Guest
from loadstone.image.qemu import HTTP_PORT, Machine

_WANTED = re.compile(r"^want sibling: busy \d+ %$")
_HEAD = b"HEAD / HTTP/1.1\r\nHost: sibling\r\nConnection: close\r\n\r\n"
_BOOT_S = 60.0
_RELOAD_S = 30.0
"""A balancer that takes longer to read its list again hangs."""


class Balancer:
    """The list of a balancer in front of the instances: a file of `server ADDRESS;` lines, as nginx includes
    them into an `upstream`."""

    def __init__(self, file: Path, reload: str = "") -> None:
        """`reload` is a command that has the balancer read the list again."""
        self._file = file
        self._reload = shlex.split(reload)

    def show(self, addresses: Sequence[str]) -> None:
        """Makes these the list: all of it or nothing. LoadstoneError `balancer-list`."""
        partial = self._file.with_name(self._file.name + ".partial")
        try:
            partial.write_text("".join(f"server {address};\n" for address in addresses), "utf-8")
            partial.replace(self._file)
            if self._reload:
                subprocess.run(self._reload, check=True, capture_output=True, text=True, timeout=_RELOAD_S)
        except OSError as error:
            raise LoadstoneError("balancer-list", f"{self._file}: {error}") from error
        except subprocess.TimeoutExpired as error:
            told = f"`{shlex.join(self._reload)}` did not end within {_RELOAD_S:g} s"
            raise LoadstoneError("balancer-list", told) from error
        except subprocess.CalledProcessError as error:
            told = (error.stderr or error.stdout).strip()
            raise LoadstoneError("balancer-list", f"`{shlex.join(self._reload)}`: {told}") from error


class Siblings:
    """Starts an instance for each wish, up to a number, and puts it behind the balancer when it serves.

    Give its `hear` to the fleet, beside whatever prints the console; leaving the context ends the siblings.
    """

    def __init__(
        self, spare: Sequence[Machine], tell: Callable[[str], None], balancer: Balancer | None = None
    ) -> None:
        """`spare` are the machines that may be started; `tell` gets a sentence for each event."""
        self._spare = list(spare)
        self._tell = tell
        self._balancer = balancer
        self._fleet: Fleet | None = None
        self._wishes: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._started = contextlib.ExitStack()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def hear(self, number: int, line: str) -> None:
        """A line of the console of an instance, numbered from 1."""
        if _WANTED.match(line):
            self._wishes.put(partial(self._fulfil, number))

    def miss(self, number: int) -> None:
        """An instance has ended: nobody is sent there any more."""
        self._wishes.put(partial(self._forget, number))

    def attend(self, fleet: Fleet) -> Siblings:
        """Begins to fulfil wishes. LoadstoneError `balancer-list`."""
        self._fleet = fleet
        self._show()
        self._thread.start()
        return self

    def __enter__(self) -> Siblings:
        """This."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the siblings."""
        self._wishes.put(None)
        if self._thread.is_alive():
            self._thread.join()
        self._started.close()

    def _serve(self) -> None:
        while (wish := self._wishes.get()) is not None:
            wish()

    def _fulfil(self, number: int) -> None:
        assert self._fleet
        answer = "none"
        if self._spare:
            try:
                answer = self._start(self._spare.pop(0), number)
            except LoadstoneError as error:
                self._tell(f"the sibling that instance {number} asked for did not come: {error}")
        else:
            self._tell(f"instance {number} asked for a sibling, and there may be no more")
        self._fleet.guests[number - 1].say(f"sibling {answer}")

    def _forget(self, number: int) -> None:
        try:
            self._show()
        except LoadstoneError as error:
            self._tell(f"instance {number} has ended, and is still in the balancer's list: {error}")

    def _start(self, machine: Machine, number: int) -> str:
        """Starts it; its address. LoadstoneError as `Guest` and `Balancer`."""
        assert self._fleet
        guest = self._started.enter_context(self._fleet.add(machine))
        self._fleet.pin(guest)
        seconds = _served_after(guest)
        self._show()
        address = _address(guest)
        self._tell(f"instance {number} asked for a sibling: {address} serves after {seconds * 1000:.0f} ms")
        return address

    def _show(self) -> None:
        assert self._fleet
        if self._balancer:
            self._balancer.show([_address(guest) for guest in self._fleet.guests if guest.exit_code is None])


def _served_after(guest: Guest) -> float:
    """Seconds from its start until it serves. LoadstoneError as `Guest`."""
    if not guest.machine.tls:
        return guest.wait_for_port(guest.machine.ports[HTTP_PORT], _BOOT_S, _HEAD)
    # It answers only who begins a session; it says when it could.
    guest.wait_for("^serving ", _BOOT_S)
    return time.monotonic() - guest.started


def _address(guest: Guest) -> str:
    return f"127.0.0.1:{guest.machine.ports[HTTP_PORT]}"
