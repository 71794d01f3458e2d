"""One machine of an instance, from its start to its end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.image.guest import Guest, ending
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import HTTP_PORT, LOOPBACK, Machine
from loadstone.image.service.folder import now, remember_process
from loadstone.image.service.health import Health, health

_LAST_LINES = 8
_BOOT_ANSWER_S = 0.25
"""QEMU takes connections before there is a guest, and what the guest did not hear comes again only after a
second: until it has served, a fresh question is asked soon."""
_ANSWER_S = 5.0
_MONITOR_S = 2.0


class Life:
    """A running machine, and what was seen of it."""

    def __init__(
        self,
        machine: Machine,
        folder: Path,
        on_line: Callable[[str], None],
        start: Callable[[], Guest] | None = None,
    ) -> None:
        """Starts it, or has `start` do so. LoadstoneError `program-missing`, and as `start`."""
        self.machine = machine
        self.port = machine.ports[HTTP_PORT]
        self._at = self._asked_at = LOOPBACK
        self.since = now()
        self.began = self.heard = time.monotonic()
        self.served = False
        """Whether it has been well, and clients reach it."""
        self.health = Health(None, "it has not been asked yet")
        self.guest = start() if start else Guest(machine, on_line, _LAST_LINES)
        self._note = remember_process(folder, self.guest.pid)
        self._link = folder / "monitor"
        if machine.monitor:
            new = folder / "monitor.new"
            # A full disk loses the name, not the machine.
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
                new.symlink_to(machine.monitor.name)
                new.replace(self._link)

    def ask(self, path: str) -> None:
        """Asks whether it is well."""
        time_s = _ANSWER_S if self.served else _BOOT_ANSWER_S
        self.health = health(self._asked_at, self.port, path, time_s, self.machine.tls is not None)
        if self.health.answered:
            self.heard = time.monotonic()

    def serve_at(self, port: int) -> None:
        """Takes connections at this port and no longer at the one at which it was asked while it booted.

        QEMU takes connections before there is a guest: at a port that clients know they would wait for a
        boot, and a balancer would believe that somebody is there. Errors as `open_door`.
        """
        self.open_door(port)
        with contextlib.suppress(LoadstoneError):
            self.close_door(self.port)
        self.port = port
        self._at, self._asked_at = self.machine.host, self.machine.reached
        self.served = True

    def silent_s(self) -> float:
        """How long it has said nothing."""
        return time.monotonic() - self.heard

    def lived_s(self) -> float:
        """How long it has run."""
        return time.monotonic() - self.began

    def last_lines(self) -> list[str]:
        """What its console said last."""
        return [line for _, line in self.guest.lines if line.strip()][-_LAST_LINES:]

    def open_door(self, port: int) -> None:
        """Takes connections at this port, too. LoadstoneError `guest-refused`, `guest-silent`."""
        self._told(f"hostfwd_add net0 tcp:{self.machine.host}:{port}-{self.machine.site_end()}", said="")

    def close_door(self, port: int) -> None:
        """Takes no more connections there; those that there are go on. Errors as `open_door`."""
        self._told(f"hostfwd_remove net0 tcp:{self._at}:{port}", said="removed")

    def end(self, grace_s: float) -> str:
        """Has it finish what it does, or ends it when that takes too long; what came of it.

        Its door is closed first: whoever balances sees at once that nobody is there, and asks another.
        """
        with contextlib.suppress(LoadstoneError):
            self.close_door(self.port)
        self.guest.say("shutdown")
        code = self.guest.end_within(grace_s)
        self.gone()
        return f"QEMU was ended after {grace_s:g} s" if code is None else ending(code)

    def gone(self) -> None:
        """Ends it if it has not ended, and puts away what is left of it."""
        self.guest.stop()
        self._note.unlink(missing_ok=True)
        if self.machine.monitor:
            self.machine.monitor.unlink(missing_ok=True)
            # That of another machine, which is to take its place, is there.
            if not self._link.exists():
                self._link.unlink(missing_ok=True)

    def _told(self, line: str, said: str) -> None:
        assert self.machine.monitor
        try:
            with Monitor(self.machine.monitor, _MONITOR_S, _MONITOR_S) as monitor:
                answer = monitor.ask("human-monitor-command", command_line=line).strip()
        except (OSError, ValueError) as error:
            # It takes one connection at a time, and a backup may have it.
            raise LoadstoneError("guest-silent", f"`{line}`: no answer of QEMU's monitor: {error}") from error
        if (said not in answer) if said else answer:
            raise LoadstoneError("guest-refused", f"`{line}`: {answer or 'no answer'}")
