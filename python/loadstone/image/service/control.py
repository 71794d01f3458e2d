"""The supervisor's socket: orders to it and what it answers, as lines of JSON.

It is a file of the state folder that only its user can open; there is no port of the network.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image.service.elsewhere import Elsewhere
from loadstone.image.service.supervisor import Supervisor

_LONGEST = 1 << 16
_HEAR_S = 10.0
"""For an order to come, once somebody has connected."""

Say = Callable[[str], None]


class Control:
    """Obeys while the context lasts."""

    def __init__(self, file: Path, supervisor: Supervisor) -> None:
        """Makes the socket. OSError."""
        self._supervisor = supervisor
        self._file = file
        self._listening = socket.socket(socket.AF_UNIX)
        file.unlink(missing_ok=True)
        # The folder is the user's alone, so nobody else gets to the socket before its mode is set.
        self._listening.bind(str(file))
        file.chmod(0o600)
        self._listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Control:
        """The socket."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes it."""
        self._file.unlink(missing_ok=True)
        # Closing it alone would not wake the thread that waits for a connection.
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._obey, args=(connection,), daemon=True).start()

    def _obey(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError), connection.makefile("rb") as lines:
            connection.settimeout(_HEAR_S)
            order = lines.readline(_LONGEST)
            connection.settimeout(None)
            try:
                done = self._do(order, lambda sentence: _write(connection, {"say": sentence}))
            except LoadstoneError as error:
                told = {"slug": error.slug, "message": error.message, "hint": error.hint}
                _write(connection, {"error": told})
            except Exception as error:
                told = {"slug": "internal", "message": f"{type(error).__name__}: {error}", "hint": None}
                _write(connection, {"error": told})
            else:
                _write(connection, {"done": done})

    def _do(self, line: bytes, say: Say) -> Any:
        try:
            order = json.loads(line)
            what = order["do"]
        except (ValueError, TypeError, KeyError):
            raise LoadstoneError("image-state", "this is no order") from None
        supervisor = self._supervisor
        if what == "status":
            return supervisor.status()
        if what == "stop":
            return supervisor.stop()
        if what == "reload":
            return supervisor.reload(
                order["image"] and Path(order["image"]), order["cmdline"], order["pause_s"], say
            )
        if what == "scale":
            return supervisor.scale(order["instances"], [Path(one) for one in order["disks"]], say)
        if what == "move away":
            to = order["to"] | {"config": order["to"]["config"] and Path(order["to"]["config"])}
            return supervisor.move_away(order["instance"], Elsewhere(**to))
        if what == "move":
            disk = order["disk"] and Path(order["disk"])
            return supervisor.move(order["instance"], order["port"], disk, order["live"])
        raise LoadstoneError("image-state", f"there is no order `{what}`")


def ask(state: Path, order: dict[str, Any], say: Say = lambda _: None) -> Any:
    """Gives an order to the supervisor of a state folder; what it answers. `say` gets what it tells before.

    LoadstoneError `image-state` where none runs, and the order's own.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(state / "control"))
        except OSError as error:
            raise LoadstoneError(
                "image-state",
                f"no supervisor runs in {state}: {error.strerror or error}",
                hint=f"start one: `loadstone image run IMAGE --state {state}`",
            ) from error
        with connection.makefile("rb") as lines:
            _write(connection, order)
            for line in lines:
                answer = json.loads(line)
                if "say" in answer:
                    say(answer["say"])
                elif "error" in answer:
                    raise LoadstoneError(**answer["error"])
                else:
                    return answer["done"]
    raise LoadstoneError("image-state", f"the supervisor of {state} ended meanwhile")


def _write(connection: socket.socket, content: dict[str, Any]) -> None:
    connection.sendall(json.dumps(content).encode() + b"\n")
