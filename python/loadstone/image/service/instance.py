"""An instance in service: a thread that starts its machines, asks them whether they are well, and starts them
again.

Whatever is asked of an instance is done by its thread, one thing after another. So nothing here has a lock.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from loadstone.errors import LoadstoneError
from loadstone.image.guest import REFUSED, Guest, ending, free_port
from loadstone.image.qemu import HTTP_PORT, Machine
from loadstone.image.service.console_log import ConsoleLog
from loadstone.image.service.folder import now, read_json, remember_end
from loadstone.image.service.life import Life
from loadstone.image.service.policy import LONG_S, Policy, pause_s

_LOOK_S = 0.1
_ASK_S = 1.0
"""Between two questions to an instance that has been well."""

Done = TypeVar("Done")


@dataclass(frozen=True)
class Place:
    """What an instance has for itself."""

    number: int
    folder: Path
    tell: Callable[[str], None]
    """Gets a sentence for each event."""
    core: int | None = None
    """The processor that it runs on; None for any."""


class Instance:
    """One machine at a time, at one port and with one disk."""

    def __init__(self, place: Place, machine: Machine, policy: Policy) -> None:
        """Not started yet. OSError where its log cannot be written."""
        self.place, self.machine, self.policy = place, machine, policy
        self.life: Life | None = None
        self._newest: Life | None = None
        """Also one that is not well yet, which may become its machine."""
        self.restarts = 0
        self.failures = 0
        """Ends in a row."""
        self.given_up: int | None = None
        """QEMU's exit code at the end after which there is no start."""
        self.due = time.monotonic()
        self._asked = 0.0
        self._stopped = False
        self._log = ConsoleLog(place.folder / "console.log", policy.log_bytes)
        self._wishes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._starts = itertools.count(1)
        self._thread = threading.Thread(target=self._keep, daemon=True)

    @property
    def port(self) -> int:
        """Where it is reached."""
        return self.machine.ports[HTTP_PORT]

    @property
    def state(self) -> str:
        """`serving`, `starting`, `unwell`, `silent`, `waiting` for its next start, `failed`, or `stopped`."""
        life = self.life
        if self._stopped:
            return "stopped"
        if life is None:
            return "waiting" if self.given_up is None else "failed"
        if not life.served:
            return "starting"
        return "serving" if not life.health.why else "unwell" if life.health.answered else "silent"

    def seen(self) -> dict[str, Any]:
        """What there is to know about it."""
        life, ends = self.life, read_json(self.place.folder / "ends.json")
        return {
            "instance": self.place.number,
            "state": self.state,
            "healthy": self.state == "serving",
            "why": life.health.why if life else "",
            "address": self.machine.url(self.port),
            "image": self.machine.kernel.name,
            "disk": str(self.machine.disk.file) if self.machine.disk else None,
            "pid": life.guest.pid if life else None,
            "since": life.since if life else None,
            "up_s": round(life.lived_s(), 1) if life else None,
            "restarts": self.restarts,
            "next_start_s": round(max(0.0, self.due - time.monotonic()), 1)
            if self.state == "waiting"
            else None,
            "last_end": ends[-1] if ends else None,
        }

    def start(self) -> None:
        """Begins to keep it up."""
        self._thread.start()

    def do(self, wish: Callable[[], Done]) -> Future[Done]:
        """Has its thread do something."""
        done: Future[Done] = Future()

        def one() -> None:
            try:
                done.set_result(wish())
            except BaseException as error:
                done.set_exception(error)

        self._wishes.put(one)
        return done

    def stop(self) -> Future[None]:
        """Has it finish and end; its thread ends with it."""
        return self.do(self._stop)

    def hurry(self) -> None:
        """Ends its machines without asking; may be called from anywhere."""
        for life in (self.life, self._newest):
            if life:
                life.guest.kill()

    def leave(self) -> None:
        """Ends its thread: what it kept up is kept up elsewhere. For its own thread."""
        self._stopped = True

    def join(self) -> None:
        """Waits until it has stopped."""
        self._thread.join()
        self._log.close()

    def begin(self, machine: Machine, start: Callable[[], Guest] | None = None) -> Life:
        """Starts a machine for it, or has `start` do so. LoadstoneError as `Life`."""
        self._newest = life = Life(machine, self.place.folder, self.said, start)
        if self.place.core is not None:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(life.guest.pid, {self.place.core})
        return life

    def prepared(self, machine: Machine) -> Machine:
        """The machine as it is started next: with a monitor, and a port of its own until it is well."""
        monitor = self.place.folder / f"monitor-{next(self._starts)}"
        return replace(machine, monitor=monitor, ports={HTTP_PORT: free_port()}, tied=True)

    def said(self, line: str) -> None:
        """A line of its console."""
        self._log.write(line)

    def take(self, life: Life, machine: Machine) -> None:
        """From here on this is its machine, and `machine` what is started again."""
        self.life, self.machine = life, machine
        self.failures, self.given_up = 0, None

    def await_well(self, life: Life) -> None:
        """Waits until a machine is well. LoadstoneError `guest-ended`, `guest-silent`."""
        while life.health.why:
            code = life.guest.end_within(_LOOK_S)
            if code is None and life.silent_s() < self.policy.patience_s:
                life.ask(self.policy.path)
                continue
            said = "".join(f"\n    {line}" for line in life.last_lines())
            if code is not None:
                raise LoadstoneError("guest-ended", f"{ending(code)} before it was well{said}")
            raise LoadstoneError("guest-silent", f"{_silence(life)}{said}")

    def _keep(self) -> None:
        while not self._stopped:
            try:
                self._look()
            except Exception as error:
                # Whatever it is, an instance must not be left to itself.
                self._failed(error)
            try:
                self._wishes.get(timeout=_LOOK_S)()
            except queue.Empty:
                continue

    def _look(self) -> None:
        life = self.life
        if life is None:
            if self.given_up is None and time.monotonic() >= self.due:
                self.life = self.begin(self.prepared(self.machine))
                self._asked = 0.0
            return
        code = life.guest.exit_code
        if code is None and time.monotonic() >= self._asked + (_ASK_S if life.served else _LOOK_S):
            self._ask(life)
        if code is None and life.silent_s() > self.policy.patience_s:
            self._over(life, 1, _silence(life))
        elif code is not None:
            self._over(life, code, ending(code))

    def _ask(self, life: Life) -> None:
        before = self.state
        life.ask(self.policy.path)
        self._asked = time.monotonic()
        if not life.served and not life.health.why:
            life.serve_at(self.port)
        if life.served and life.lived_s() > LONG_S:
            self.failures = 0
        if self.state != before:
            why = f": {life.health.why}" if life.health.why else f" at {self.machine.url(self.port)}"
            self.tell(f"{self.state}{why}")

    def _failed(self, error: Exception) -> None:
        why = error.message if isinstance(error, LoadstoneError) else f"{type(error).__name__}: {error}"
        if self.life:
            self._over(self.life, 1, why)
        else:
            self._ended(1, why, 0.0, [])

    def _over(self, life: Life, code: int, reason: str) -> None:
        life.gone()
        self.life = None
        if life.lived_s() > LONG_S and life.served:
            self.failures = 0
        self._ended(code, reason, life.lived_s(), life.last_lines())

    def _ended(self, code: int, reason: str, lived_s: float, console: list[str]) -> None:
        self.failures += 1
        self.remember(code, reason, lived_s, console)
        # A guest that refuses its words or its disk would refuse them again.
        if code == REFUSED or self.failures > self.policy.restarts:
            self.given_up = code
            often = f", {self.failures} times in a row" if self.failures > 1 and code != REFUSED else ""
            self.tell(f"{reason}{often}; it is not started again{_last(console)}")
            return
        self.restarts += 1
        wait_s = pause_s(self.failures)
        self.due = time.monotonic() + wait_s
        self.tell(f"{reason} after {lived_s:.1f} s; it is started again in {wait_s:g} s{_last(console)}")

    def remember(self, code: int | None, reason: str, lived_s: float, console: list[str]) -> None:
        """Notes an end."""
        end = {"at": now(), "reason": reason, "exit_code": code, "lived_s": round(lived_s, 1)}
        remember_end(self.place.folder, end | {"console": console})

    def retire(self, life: Life, why: str) -> None:
        """Ends a machine in good order, and notes it."""
        came = life.end(self.policy.grace_s)
        self.remember(life.guest.exit_code, f"{why}: {came}", life.lived_s(), life.last_lines())

    def tell(self, sentence: str) -> None:
        """Tells an event of this instance. It goes on also when nobody listens any more."""
        with contextlib.suppress(OSError, ValueError):
            self.place.tell(f"{self.place.number}: {sentence}")

    def _stop(self) -> None:
        try:
            if self.life:
                self.retire(self.life, "stopped")
        finally:
            if self.life:
                self.life.gone()
            self.life = None
            self._stopped = True


def _silence(life: Life) -> str:
    return f"it did not answer for {life.silent_s():.0f} s ({life.health.why})"


def _last(console: list[str]) -> str:
    return f": {console[-1]}" if console else ""
