"""Commands and processes of a lab; the lab's name in their environment is how they are found again."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO

from loadstone.errors import LoadstoneError

_MARK = "LOADSTONE_LAB"
_START_S = 30.0
_GONE_S = 10.0


def mark(lab: str) -> dict[str, str]:
    """The environment of a lab's processes."""
    return {**os.environ, _MARK: lab}


def run(lab: str, command: Sequence[str], send: str | bytes = "") -> str:
    """Runs a command with `send` on its stdin; its stdout. LoadstoneError `lab-start` with its last words."""
    data = send.encode() if isinstance(send, str) else send
    done = subprocess.run(command, input=data, capture_output=True, env=mark(lab), check=False)
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise LoadstoneError("lab-start", f"`{' '.join(command[:6])}` failed: {words}")
    return done.stdout.decode(errors="replace")


def inside(pid: int, command: Sequence[str]) -> list[str]:
    """The command in the network namespace of a process."""
    return ["nsenter", f"--net=/proc/{pid}/ns/net", "--", *command]


def spawn(lab: str, command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Starts a process that outlives us; we talk over its stdin and stdout, its stderr goes to `log`."""
    with log.open("wb") as errors:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=mark(lab),
            start_new_session=True,
            cwd="/",
        )


def expect(process: subprocess.Popen[bytes], word: str, who: str, log: Path) -> None:
    """Waits for a line of a started process. LoadstoneError `lab-start` with its log when none comes."""
    out: IO[bytes] | None = process.stdout
    ready = out is not None and select.select([out], [], [], _START_S)[0]
    line = out.readline().decode(errors="replace").strip() if out and ready else ""
    if line != word:
        silence = "it ended without a word" if ready else f"no word of it within {_START_S:g} s"
        words = log.read_text(encoding="utf-8", errors="replace").strip() or silence
        raise LoadstoneError("lab-start", f"{who} did not start: {words}", place=str(log))


def marked(lab: str) -> Iterator[int]:
    """Processes of the lab, dead ones and our own aside."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid() and alive(lab, int(entry.name)):
            yield int(entry.name)


def kill(lab: str) -> int:
    """Kills every process of the lab and waits for their end; how many there were.

    The first process of a host takes all others of its PID namespace along. LoadstoneError `lab-stop` when
    some do not die.
    """
    killed: set[int] = set()
    while left := set(marked(lab)):
        end(left)
        killed |= left
    return len(killed)


def end(pids: Collection[int]) -> None:
    """Kills processes and waits for their end. LoadstoneError `lab-stop` when some do not die."""
    deadline = time.monotonic() + _GONE_S
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    while left := [pid for pid in pids if not _ended(pid)]:
        if time.monotonic() > deadline:
            raise LoadstoneError("lab-stop", f"processes {sorted(left)} could not be ended", hint="try again")
        time.sleep(0.01)


def children(pid: int) -> list[int]:
    """Processes that a process has started; [] when it is gone."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except OSError:
        return []


def alive(lab: str, pid: int) -> bool:
    """Whether this process is still one of the lab: numbers are used again."""
    try:
        return f"{_MARK}={lab}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def missing_tools(tools: Sequence[str]) -> list[str]:
    """Programs that are not installed."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return [tool for tool in tools if shutil.which(tool, path=path) is None]


def _ended(pid: int) -> bool:
    """Whether a killed process is gone for good. The first of a PID namespace loses its environment long
    before its end, which comes after that of all others in there."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state.split()[0] in "ZX"
