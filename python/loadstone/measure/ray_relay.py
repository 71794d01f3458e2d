"""What runs on a node of a Ray cluster: programs there, and the lines between them and us.

Ray takes this file's class to the nodes as it is, so that nothing has to be installed there: only the
standard library is used, and nothing of Loadstone.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path

_WAIT_S = 1.0
_RUN_S = 60.0
_END_S = 5.0


class Relay:
    """An actor: its methods are called from another machine, several at a time."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors: deque[bytes] = deque(maxlen=5)
        # Ray has the right Python, whatever the node's own is.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        self._environment = {**os.environ, "PATH": path}

    def run(self, command: str) -> tuple[int, str, str]:
        """Runs a line of the shell to its end: code, output, errors."""
        done = subprocess.run(
            command, shell=True, env=self._environment, capture_output=True, check=False, timeout=_RUN_S
        )
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def write(self, path: str, content: bytes) -> str:
        """Replaces a file in one step; why it could not, empty when it did."""
        target = Path(path)
        # Nodes may share a file system: each has a draft of its own.
        draft = target.with_name(f"{target.name}.loadstone-draft-{os.urandom(8).hex()}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)
            draft.replace(target)
        except OSError as error:
            draft.unlink(missing_ok=True)
            return str(error)
        return ""

    def start(self, command: list[str]) -> None:
        """Starts the program whose lines are told from now on. OSError."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, env=self._environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        threading.Thread(target=self._overhear, args=(self._process,), daemon=True).start()

    def take(self, line: bytes) -> None:
        """Hands the program a line. OSError when it has ended."""
        assert self._process and self._process.stdin
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def said(self) -> tuple[list[bytes], str | None]:
        """The lines since this was asked last, after a second at the latest, and how it ended if it has."""
        lines: list[bytes] = []
        wait_s = _WAIT_S
        while True:
            try:
                line = self._lines.get(timeout=wait_s)
            except queue.Empty:
                return lines, None
            if line is None:
                return lines, self._end()
            lines.append(line)
            wait_s = 0.0

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        for line in process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _overhear(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr
        self._errors.extend(process.stderr)

    def _end(self) -> str:
        assert self._process
        try:
            code = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        said = " ".join(b" ".join(self._errors).decode(errors="replace").split())
        return f"it ended with {code}" + (f": {said[-300:]}" if said else "")
