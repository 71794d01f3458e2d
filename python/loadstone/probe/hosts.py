"""Where the commands of a probe run: on hosts of a topology over ssh, or on this machine."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from typing import Protocol

from loadstone.errors import LoadstoneError
from loadstone.ssh import Answer, given

HERE = "this machine"
"""The source where no topology names one; no host of a topology can be called so."""


class Hosts(Protocol):
    """What a probe needs of the hosts; `loadstone.ssh.Ssh` has it too."""

    def address(self, host: str) -> str:
        """The IP address or name under which the other hosts reach it."""

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str = b"",
        hold: bool = False,
        timeout_s: float = 60.0,
    ) -> Answer:
        """Runs a command there to its end; `hold` keeps its input open until then, or until we die.

        LoadstoneError `host-unreachable`, `host-refused`.
        """

    def start(self, host: str, command: Sequence[str] | str) -> subprocess.Popen[bytes]:
        """Starts a command there with pipes; its end is the caller's."""


class Here:
    """This machine as the only source; the targets are addresses that we cannot log in to."""

    def address(self, host: str) -> str:
        """A target is named by its address."""
        return host

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str = b"",
        hold: bool = False,
        timeout_s: float = 60.0,
    ) -> Answer:
        """Runs a command on this machine. LoadstoneError `host-unreachable` when it does not end."""
        try:
            with given(send, hold) as keys:
                done = subprocess.run(
                    _words(command), capture_output=True, check=False, timeout=timeout_s, **keys
                )
        except subprocess.TimeoutExpired:
            line = command if isinstance(command, str) else shlex.join(command)
            message = f"`{line[:80]}` did not end within {timeout_s:g} s"
            raise LoadstoneError("host-unreachable", message) from None
        return Answer(
            done.returncode, *(part.decode(errors="replace") for part in (done.stdout, done.stderr))
        )

    def start(self, host: str, command: Sequence[str] | str) -> subprocess.Popen[bytes]:
        """Starts a command on this machine."""
        pipe = subprocess.PIPE
        return subprocess.Popen(_words(command), stdin=pipe, stdout=pipe, stderr=pipe, process_group=0)


def _words(command: Sequence[str] | str) -> list[str]:
    return ["sh", "-c", command] if isinstance(command, str) else list(command)
