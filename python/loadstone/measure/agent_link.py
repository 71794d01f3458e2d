"""The line to one agent: what is sent to it, what it says, and how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]
Said = tuple["Link", Message | None]
Inbox = queue.SimpleQueue[Said]

_SEND_S = 15.0
_END_S = 5.0
_EXCHANGES = 25
_ANSWER_S = 10.0


class Gone(Exception):
    """The agent ended, or no longer takes or answers messages; the text says what is known."""


@dataclass(frozen=True)
class Clock:
    """By how much an agent's clock is ahead of ours, in seconds; off by at most `error_s`."""

    offset_s: float
    error_s: float


class Link:
    """A started agent. Its messages about a run, and None at its end, go to the inbox of all agents."""

    def __init__(self, host: str, process: subprocess.Popen[bytes], inbox: Inbox) -> None:
        """`process` is the ssh whose input and output are the agent's."""
        assert process.stdin and process.stdout and process.stderr
        self.host = host
        self._process = process
        self._inbox = inbox
        self._input = process.stdin.fileno()
        self._lock = threading.Lock()
        self._answers: queue.SimpleQueue[tuple[float, Message | None]] = queue.SimpleQueue()
        self._errors: deque[bytes] = deque(maxlen=5)
        os.set_blocking(self._input, False)
        threading.Thread(target=self._listen, daemon=True).start()
        self._overhearing = threading.Thread(target=self._overhear, daemon=True)
        self._overhearing.start()

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return self._process.poll() is None

    def send(self, message: Message) -> None:
        """Hands it a line. `Gone` when it does not take it in time."""
        rest = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        deadline = time.monotonic() + _SEND_S
        with self._lock:
            while rest:
                if self._input < 0:
                    raise Gone("its connection is closed")
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self._input], [], left)[1]:
                    raise Gone(f"it took nothing for {_SEND_S:g} s")
                try:
                    rest = rest[os.write(self._input, rest) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Gone(self.last_words()) from error

    def beat(self) -> None:
        """Shows it that we are still here. If it takes nothing at the moment, that is no error yet."""
        if self._lock.acquire(blocking=False):
            with contextlib.suppress(OSError, ValueError):
                # A pipe takes a line this short whole or not at all.
                os.write(self._input, b'{"beat":1}\n')
            self._lock.release()

    def answer(self, timeout_s: float = _ANSWER_S) -> tuple[float, Message]:
        """Its next message that is not about a run, and when it came. `Gone` when none comes."""
        try:
            at, message = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            raise Gone(f"it said nothing for {timeout_s:g} s") from None
        if message is None:
            raise Gone(self.last_words())
        return at, message

    def clock(self) -> Clock:
        """Asks for its time several times. The fastest exchange has the smallest error.

        Its clock was read somewhere between sending and receiving: the middle is off by half the round
        trip at most, however uneven the two ways are.
        """
        best: Clock | None = None
        for number in range(_EXCHANGES):
            sent = time.monotonic()
            self.send({"ping": number})
            received, pong = self.answer()
            half = (received - sent) / 2
            if best is None or half < best.error_s:
                best = Clock(pong["at_s"] - sent - half, half)
        assert best is not None
        return best

    def last_words(self) -> str:
        """How it ended, for a message."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
            self._overhearing.join(_END_S)
        said = b" ".join(self._errors).decode(errors="replace").split()
        code = self._process.poll()
        how = "its connection ended" if code == 255 else f"it ended with {code}"
        return f"{how}: {' '.join(said)[-300:]}" if said else how

    def close(self, wait_s: float = _END_S) -> None:
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

    def _listen(self) -> None:
        assert self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            for line in self._process.stdout:
                at, message = time.monotonic(), json.loads(line)
                if "run" in message:
                    self._inbox.put((self, message))
                else:
                    self._answers.put((at, message))
        self._answers.put((time.monotonic(), None))
        self._inbox.put((self, None))

    def _overhear(self) -> None:
        assert self._process.stderr
        with contextlib.suppress(OSError, ValueError):
            self._errors.extend(self._process.stderr)
