"""What the connector of a built-in application counts, asked for while the application is measured.

Asking is a byte on its standard input, the answer a line of JSON. The service takes what processor time the
load leaves, so an answer may be late: it is not waited for before the load has ended.
"""

from __future__ import annotations

import json
import os
import selectors
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

LEVELS = (
    *("open_connections", "queue_depth", "newcomers", "admitted_limit"),
    *("workers", "workers_busy", "workers_stuck"),
)
"""Counters that say how it is now; all others only grow: `Counters::named` in crates/container."""

_WAIT_S = 10.0


class Counting:
    """Questions and answers through two pipes."""

    def __init__(self, questions: int, answers: int) -> None:
        """The pipes' descriptors, which stay the caller's."""
        self._questions, self._answers = questions, answers
        self._asked = self._readings = 0
        self._last: dict[str, int] = {}
        self._most: dict[str, int] = {}
        self._rest = b""

    def ask(self) -> None:
        """Asks once, and takes the answers that are here. Waits for nothing."""
        self._take(0.0)
        with suppress(OSError):  # it has ended
            os.write(self._questions, b"?")
            self._asked += 1

    def told(self) -> Mapping[str, Any] | None:
        """Everything up to now. Waits for the answer, at most ten seconds; then None.

        `counters` since it started, `most` of each level among `readings`.
        """
        self.ask()
        deadline = time.monotonic() + _WAIT_S
        while self._readings < self._asked and self._take(deadline - time.monotonic()):
            pass
        if not self._readings:
            return None
        grown = {name: value for name, value in self._last.items() if name not in LEVELS}
        return {"counters": grown, "most": self._most, "readings": self._readings}

    def _take(self, wait_s: float) -> bool:
        """Reads what comes within this time. Returns whether anything did."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            got = os.read(self._answers, 1 << 16) if selector.select(max(0.0, wait_s)) else b""
        *lines, self._rest = (self._rest + got).split(b"\n")
        for line in lines:
            self._last = json.loads(line)
            self._readings += 1
            for name in LEVELS:
                self._most[name] = max(self._most.get(name, 0), self._last[name])
        return bool(got)
