"""Agents by ssh: an agent's lines are the input and output of the ssh that started it."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence

from loadstone.measure.wire import SEND_S, Gone
from loadstone.ssh import Answer, Ssh

_END_S = 5.0


class OverSsh:
    """The hosts of a topology."""

    def __init__(self, ssh: Ssh) -> None:
        """Connections that are open, or open when they are first used."""
        self._ssh = ssh

    @property
    def hosts(self) -> list[str]:
        """Their names, in the order of the topology."""
        return self._ssh.hosts

    def run(self, host: str, command: str) -> Answer:
        """As `Ssh.run`."""
        return self._ssh.run(host, command)

    def write(self, host: str, path: str, content: bytes) -> None:
        """As `Ssh.write`."""
        self._ssh.write(host, path, content)

    def start(self, host: str, command: Sequence[str]) -> Piped:
        """As `Ssh.start`."""
        return Piped(self._ssh.start(host, command))


class Piped:
    """The pipes of a process of this machine."""

    silent_s = 15.0

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """`process` is the ssh whose input and output are the agent's."""
        assert process.stdin and process.stdout and process.stderr
        self._process = process
        self._input = process.stdin.fileno()
        self._lock = threading.Lock()
        self._errors: deque[bytes] = deque(maxlen=5)
        os.set_blocking(self._input, False)
        self._overhearing = threading.Thread(target=self._overhear, daemon=True)
        self._overhearing.start()

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return self._process.poll() is None

    def send(self, line: bytes) -> None:
        """Hands it a line. `Gone` when it does not take it in time."""
        rest = memoryview(line)
        deadline = time.monotonic() + SEND_S
        with self._lock:
            while rest:
                if self._input < 0:
                    raise Gone("its connection is closed")
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self._input], [], left)[1]:
                    raise Gone(f"it took nothing for {SEND_S:g} s")
                try:
                    rest = rest[os.write(self._input, rest) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Gone(self.last_words()) from error

    def beat(self, line: bytes) -> None:
        """Hands it a short line, if nothing else is on its way."""
        if self._lock.acquire(blocking=False):
            with contextlib.suppress(OSError, ValueError):
                # A pipe takes a line this short whole or not at all.
                os.write(self._input, line)
            self._lock.release()

    def lines(self) -> Iterator[bytes]:
        """What it says, to the end of its output."""
        assert self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            yield from self._process.stdout

    def last_words(self) -> str:
        """How it ended, for a message."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
            self._overhearing.join(_END_S)
        said = b" ".join(self._errors).decode(errors="replace").split()
        code = self._process.poll()
        how = "its connection ended" if code == 255 else f"it ended with {code}"
        return f"{how}: {' '.join(said)[-300:]}" if said else how

    def close(self, wait_s: float) -> None:
        """Ends the agent by closing its input."""
        with self._lock, contextlib.suppress(OSError):
            # The number may soon be another file's.
            self._input = -1
            assert self._process.stdin
            self._process.stdin.close()
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _overhear(self) -> None:
        assert self._process.stderr
        with contextlib.suppress(OSError, ValueError):
            self._errors.extend(self._process.stderr)
