"""Changes of the load of a run under way, and its early end, through a socket in its folder.

Only its user may open it. A request is a line of JSON, `{"unit": "users", "load": 800}` or `{"stop": true}`;
so is the answer, `{"at_s": 12.3}`, `{"stopping": true}` or `{"error": "..."}`.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from loadstone.errors import LoadstoneError
from loadstone.judge.offered import CHANGED
from loadstone.record.folder import CONTROL
from loadstone.unit import Unit

if TYPE_CHECKING:
    from loadstone.measure.interrupt import Interrupt
    from loadstone.record import Journal

_LONGEST = 4096
_PATIENCE_S = 0.2
"""For a request that does not come whole: meanwhile nobody writes the run down."""

_ANSWER_S = 10.0


@runtime_checkable
class Changeable(Protocol):
    """A run whose load can be changed."""

    def change(self, load: float) -> float:
        """Changes the load; from when on, seconds since the run began. ValueError when it cannot be had."""


class Control:
    """The socket of one run."""

    def __init__(self, folder: Path, run: object, plan: Mapping[str, Any], interrupt: Interrupt) -> None:
        """Listens from now on. A folder that takes no socket leaves the run without one."""
        self._path = folder / CONTROL
        self._run = run
        self._unit = Unit.of(plan["load"])
        self._interrupt = interrupt
        self._listener: socket.socket | None = None
        with suppress(OSError):
            self._listener = _listening(self._path)

    def write(self, journal: Journal, note: Callable[[str], None], _began: float) -> None:
        """Answers who asks now, and writes down what was changed."""
        while self._listener is not None:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            with caller, suppress(OSError):
                caller.settimeout(_PATIENCE_S)
                answer = self._answer(_line(caller))
                if event := answer.pop("event", None):
                    journal.event(**event)
                    note(event["note"])
                caller.sendall(json.dumps(answer).encode() + b"\n")

    def close(self) -> None:
        """Listens no more."""
        if self._listener is not None:
            self._listener.close()
            self._path.unlink(missing_ok=True)

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            asked = json.loads(line)
            if asked == {"stop": True}:
                self._interrupt.requested = True
                return {"stopping": True}
            unit, load = Unit(asked["unit"]), float(asked["load"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return {"error": "this is no change of a load"}
        if unit is not self._unit:
            return {"error": f"the load of this run is counted in {self._unit.words}, not in {unit.words}"}
        if not isinstance(self._run, Changeable):
            return {"error": "the load of this run cannot be changed"}
        try:
            at_s = self._run.change(load)
        except ValueError as error:
            return {"error": str(error)}
        words = f"the load was changed by hand to {unit.amount(load)} from {at_s:.1f} s on"
        second = int(at_s)
        event = {
            "kind": CHANGED, "second": second, "at_s": at_s, "unit": unit.value, "load": load, "note": words,
        }  # fmt: skip
        return {"at_s": at_s, "event": event}


def ask(folder: Path, unit: Unit, load: float) -> float:
    """Changes the load of the run in `folder`; from when on. Error `run-control`."""
    return float(_asked(folder, {"unit": unit.value, "load": load})["at_s"])


def stop(folder: Path) -> None:
    """Ends the run in `folder` early, as the first Ctrl-C does. Error `run-control`."""
    _asked(folder, {"stop": True})


def answers(folder: Path) -> bool:
    """Whether the run in `folder` is under way: a killed one leaves a socket at which nobody listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller, suppress(OSError):
        caller.settimeout(_ANSWER_S)
        with _near(folder / CONTROL) as path:
            caller.connect(path)
        return True
    return False


def _asked(folder: Path, request: dict[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(_ANSWER_S)
        try:
            with _near(folder / CONTROL) as path:
                caller.connect(path)
            caller.sendall(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = json.loads(_line(caller))
        except (OSError, ValueError) as error:
            raise LoadstoneError(
                "run-control",
                f"no run under way in `{folder}` takes changes: {error}",
                hint="give the folder of a run that is going on with --run",
            ) from error
    if "error" in answer:
        raise LoadstoneError("run-control", answer["error"], place=str(folder))
    return answer


def under_way(place: Path) -> list[Path]:
    """Folders at or beneath `place` whose runs can be asked."""
    sockets = [place / CONTROL, *place.glob(f"*/{CONTROL}"), *place.glob(f"*/runs/*/{CONTROL}")]
    return sorted(path.parent for path in sockets if path.is_socket())


def _listening(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # The file takes the mode of the socket: at no instant may somebody else open it.
        os.fchmod(listener.fileno(), 0o600)
        with _near(path) as near:
            listener.bind(near)
        listener.listen()
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


@contextmanager
def _near(path: Path) -> Iterator[str]:
    """A name for the socket that is short enough, however long the path to its folder is."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _line(caller: socket.socket) -> bytes:
    """One line, as far as it came. OSError when it does not come in time."""
    text = b""
    while b"\n" not in text and len(text) < _LONGEST:
        piece = caller.recv(_LONGEST)
        if not piece:
            break
        text += piece
    return text
