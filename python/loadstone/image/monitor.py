"""QEMU's monitor: commands to a running machine, such as stopping it, or moving it to a file and back."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from loadstone.errors import LoadstoneError

_ANSWER_S = 30.0


class Monitor:
    """A connection to the socket that `Machine.monitor` names."""

    def __init__(self, path: Path, timeout_s: float = 10.0, answer_s: float = _ANSWER_S) -> None:
        """Connects; QEMU may still be starting. LoadstoneError `guest-silent`; TimeoutError when an answer
        does not come within `answer_s`, as when somebody else has the monitor."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(answer_s)
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                self._socket.connect(str(path))
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    self._socket.close()
                    raise LoadstoneError("guest-silent", f"no monitor at {path}: {error}") from error
                time.sleep(0.01)
        self._lines = self._socket.makefile("rb")
        self._lines.readline()
        self.ask("qmp_capabilities")

    def __enter__(self) -> Monitor:
        """The connection."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it; the machine goes on."""
        self._lines.close()
        self._socket.close()

    def ask(self, command: str, **arguments: Any) -> Any:
        """QEMU's answer to one of its commands; underscores stand for dashes in names of arguments.

        LoadstoneError `guest-refused` with QEMU's reason, `guest-ended`.
        """
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        self._socket.sendall(json.dumps({"execute": command, "arguments": named}).encode() + b"\n")
        while line := self._lines.readline():
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise LoadstoneError("guest-refused", f"{command}: {answer['error']['desc']}")
        raise LoadstoneError("guest-ended", f"QEMU ended during `{command}`")
