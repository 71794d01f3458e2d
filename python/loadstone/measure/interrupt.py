"""Ctrl-C: the first ends the run and keeps what was measured, the second aborts it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType, TracebackType

from loadstone import leave


class Interrupt:
    """What SIGINT, SIGTERM and SIGHUP do. May be entered inside itself.

    `with interrupt:` is around a run: the first signal only sets `requested`, the second raises
    KeyboardInterrupt. `with interrupt.between_runs():` is around a series of runs: outside of them there is
    nothing to bring to a good end, and the first signal raises at once.
    """

    def __init__(self) -> None:
        """Nothing was asked for yet."""
        self.requested = False
        self.insisted = False
        """The second signal came."""
        self._runs = 0
        self._handlers = contextlib.ExitStack()

    def __enter__(self) -> Interrupt:
        """From here on a run is to be finished."""
        self._runs += 1
        self._handlers.enter_context(self.between_runs())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The run is over."""
        self._runs -= 1
        if not self._runs:
            self._handlers.close()

    @contextlib.contextmanager
    def between_runs(self) -> Iterator[None]:
        """Installs the handlers. Returns the previous ones."""
        numbers = [signal.SIGINT, signal.SIGTERM]
        # A terminal that is closed; `nohup` has it ignored. What we start has process groups of its own and
        # hears of neither.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        with leave.handling(numbers, self._handle):
            yield

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.insisted = self.requested
        self.requested = True
        if self.insisted or not self._runs:
            raise KeyboardInterrupt
