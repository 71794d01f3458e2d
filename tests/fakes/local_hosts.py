"""Hosts that are processes of this machine: what `Ssh` does by ssh, done by a shell here."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone.ssh import Answer, Ssh, given


class LocalHosts(Ssh):
    """`Ssh` without a network; the agents' files go below `cache`."""

    def __init__(self, names: Sequence[str], cache: Path, path: Mapping[str, str] | None = None) -> None:
        """`path` puts a folder before PATH on the host of that name."""
        super().__init__(cache, dict.fromkeys(names, "127.0.0.1"), cache)
        self.started: dict[str, list[subprocess.Popen[bytes]]] = {name: [] for name in names}
        self._path = dict(path or {})

    def run(
        self,
        host: str,
        command: Sequence[str] | str,
        *,
        send: bytes | str = b"",
        hold: bool = False,
        timeout_s: float = 60.0,
    ) -> Answer:
        with given(send, hold) as keys:
            done = subprocess.run(
                _line(command), shell=True, env=self._env(host), capture_output=True, check=False, **keys
            )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, host: str, command: Sequence[str] | str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            f"exec {_line(command)}", shell=True, env=self._env(host), stdin=pipe, stdout=pipe, stderr=pipe
        )
        self.started[host].append(process)
        return process

    def _env(self, host: str) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (self._path.get(host), os.environ["PATH"])))
        return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(self.config)}


def _line(command: Sequence[str] | str) -> str:
    return command if isinstance(command, str) else shlex.join(command)
