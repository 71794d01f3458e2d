"""A machine that runs: its console, its end."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from loadstone.errors import LoadstoneError
from loadstone.image.first_answer import first_answer
from loadstone.image.qemu import Machine

CLEAN, PANIC, REFUSED = 33, 35, 37
"""QEMU's exit code when a guest ended well, panicked, or refused what it was given: 2 v + 1 of the byte v
that it wrote to the exit device. QEMU's own errors end with 1."""
_ENDS = {
    0: "the guest switched the machine off",
    CLEAN: "the guest ended",
    PANIC: "the guest panicked",
    REFUSED: "the guest refused what it was given",
}

_SAID = re.compile(r"^appliance: ended (well|by a fault|by a refusal)$")
_AS_SAID = {"well": CLEAN, "by a fault": PANIC, "by a refusal": REFUSED}
"""Of a board without an exit device, whose QEMU ends with 0 however the guest ended."""

_STOP_S = 5.0
_LONGEST_LINE = 1 << 16
_STARTER = ThreadPoolExecutor(1, "guests")
"""The one thread that starts machines. It lives as long as the process, as those have to that are `tied`."""


class Guest:
    """A running machine; leaving the context ends it.

    >>> from pathlib import Path
    >>> with Guest(Machine(Path("olio.elf"))) as guest:                 # doctest: +SKIP
    ...     guest.wait_for("serving", 10)
    """

    def __init__(
        self, machine: Machine, on_line: Callable[[str], None] | None = None, kept: int | None = None
    ) -> None:
        """Starts it; `on_line` gets every line of the console, on a thread of its own. Of a machine that runs
        for long only the last `kept` lines or so stay in memory.

        LoadstoneError `program-missing`.
        """
        self.machine = machine
        self.lines: list[tuple[float, str]] = []
        """Lines of the console with the seconds since the start at which each ended."""
        self.started = time.monotonic()
        self._on_line = on_line
        self._news = threading.Condition()
        self._closed = False
        self._kept = kept
        self._forgotten = 0
        self._process = _STARTER.submit(
            subprocess.Popen,
            machine.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Ctrl-C in the terminal is for us: QEMU would end in the middle of what is measured.
            process_group=0,
        ).result()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Guest:
        """The machine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends it."""
        self.stop()

    @property
    def pid(self) -> int:
        """Of QEMU's process."""
        return self._process.pid

    def pin(self) -> None:
        """Gives it the first core, so that what makes the load has the others."""
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) > 1:
            # QEMU's threads are started one by one: what is set for the process reaches later ones only.
            for task in Path(f"/proc/{self.pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {cores[0]})

    @property
    def exit_code(self) -> int | None:
        """QEMU's; None while it runs."""
        return self._code(self._process.poll())

    def console(self) -> str:
        """All lines so far."""
        return "".join(f"{line}\n" for _, line in list(self.lines))

    def order(self, line: str, answer: str, timeout_s: float = 10.0) -> str:
        """Says a line to the guest on its console; the first line since in which the regular expression
        `answer` is found. Errors as `wait_for`.
        """
        with self._news:
            heard = self._forgotten + len(self.lines)
        self.say(line)
        return self.wait_for(answer, timeout_s, heard)

    def say(self, line: str) -> None:
        """Says a line to the guest; one that has ended does not hear it."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def wait_for(self, pattern: str, timeout_s: float, heard: int = 0) -> str:
        """The first line, of those printed already too but for the first `heard`, in which the regular
        expression is found.

        LoadstoneError `guest-ended` when the machine ends before, `guest-silent` when the time is over.
        """
        wanted = re.compile(pattern)
        deadline = time.monotonic() + timeout_s
        seen = heard
        with self._news:
            while True:
                for _, line in self.lines[max(0, seen - self._forgotten) :]:
                    if wanted.search(line):
                        return line
                seen = self._forgotten + len(self.lines)
                if self._closed:
                    raise self._ended()
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    raise self._silent(f"the guest did not say `{pattern}` within {timeout_s:g} s")
                self._news.wait(left_s)

    def wait_for_port(self, port: int, timeout_s: float, request: bytes) -> float:
        """Seconds from the start to the first byte of an answer to `request` on 127.0.0.1. Errors as
        `wait_for`.
        """
        answered = first_answer(port, request, time.monotonic() + timeout_s, lambda: self._closed)
        if answered is not None:
            return answered - self.started
        if self._closed:
            raise self._ended()
        raise self._silent(f"the guest did not answer within {timeout_s:g} s")

    def wait_for_end(self, timeout_s: float) -> int:
        """QEMU's exit code, when the machine has ended by itself. LoadstoneError `guest-silent`."""
        code = self.end_within(timeout_s)
        if code is None:
            raise self._silent(f"the guest did not end within {timeout_s:g} s")
        return code

    def end_within(self, time_s: float) -> int | None:
        """QEMU's exit code; None when the machine still runs after that time."""
        try:
            code = self._process.wait(time_s)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join(_STOP_S)
        return self._code(code)

    def _code(self, code: int | None) -> int | None:
        """How the guest ended, by the exit code, or by its last line where the board has no exit device."""
        last = self.lines[-1][1] if self.lines else ""
        said = _SAID.match(last) if code == 0 and self.machine.board == "virt" else None
        return _AS_SAID[said[1]] if said else code

    def stop(self) -> None:
        """Ends it, if it did not end by itself."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(_STOP_S)
        assert self._process.stdin
        # What was said to a guest that had ended is still on its way.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def kill(self) -> None:
        """Ends it at once, without waiting for that."""
        self._process.kill()

    def _read(self) -> None:
        assert self._process.stdout
        # A guest may say anything, also a line without an end.
        while raw := self._process.stdout.readline(_LONGEST_LINE):
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            with self._news:
                self.lines.append((time.monotonic() - self.started, line))
                if self._kept and len(self.lines) > 2 * self._kept:
                    self._forgotten += len(self.lines) - self._kept
                    del self.lines[: -self._kept]
                self._news.notify_all()
            if self._on_line:
                self._on_line(line)
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _ended(self) -> LoadstoneError:
        self._process.wait()
        code = self._code(self._process.returncode)
        return LoadstoneError("guest-ended", f"{ending(code or 0)}{self._last_words()}")

    def _silent(self, message: str) -> LoadstoneError:
        return LoadstoneError("guest-silent", message + self._last_words())

    def _last_words(self) -> str:
        last = [line for _, line in self.lines if line.strip()][-8:]
        return ":\n    " + "\n    ".join(last) if last else ", and said nothing"


def ending(code: int) -> str:
    """What an exit code of QEMU means.

    >>> ending(35)
    'the guest panicked'
    """
    if code in _ENDS:
        return _ENDS[code]
    return f"QEMU was ended by signal {-code}" if code < 0 else f"QEMU ended with {code}"


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
