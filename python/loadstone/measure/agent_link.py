"""The line to one agent: what is sent to it, what it says, and how well its clock is known."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
import time
from dataclasses import dataclass
from typing import Any

from loadstone.measure.wire import Gone, Wire

Message = dict[str, Any]
Said = tuple["Link", Message | None]
Inbox = queue.SimpleQueue[Said]

_END_S = 5.0
_EXCHANGES = 25
_ANSWER_S = 10.0


@dataclass(frozen=True)
class Clock:
    """By how much an agent's clock is ahead of ours, in seconds; off by at most `error_s`."""

    offset_s: float
    error_s: float


class Link:
    """A started agent. Its messages about a run, and None at its end, go to the inbox of all agents."""

    def __init__(self, host: str, wire: Wire, inbox: Inbox) -> None:
        """`wire` has the agent at its other end."""
        self.host = host
        self._wire = wire
        self._inbox = inbox
        self._answers: queue.SimpleQueue[tuple[float, Message | None]] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return self._wire.alive

    @property
    def silent_s(self) -> float:
        """It is given up when its next second is overdue for so long."""
        return self._wire.silent_s

    def send(self, message: Message) -> None:
        """Hands it a line. `Gone` when it does not take it in time."""
        self._wire.send(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def beat(self) -> None:
        """Shows it that we are still here. If it takes nothing at the moment, that is no error yet."""
        self._wire.beat(b'{"beat":1}\n')

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
        return self._wire.last_words()

    def close(self, wait_s: float = _END_S) -> None:
        """Ends the agent."""
        self._wire.close(wait_s)

    def _listen(self) -> None:
        # Half a line is what a lost host may leave.
        with contextlib.suppress(ValueError):
            for line in self._wire.lines():
                at, message = time.monotonic(), json.loads(line)
                if "run" in message:
                    self._inbox.put((self, message))
                else:
                    self._answers.put((at, message))
        self._answers.put((time.monotonic(), None))
        self._inbox.put((self, None))
