"""Ctrl-C and SIGTERM, for every command alike: the first asks it to end, the second ends it, wherever it is.

A handler in Python has to wait for its turn: a call into Rust, DuckDB or SQLite that takes hours keeps it for
as long. So the numbers of signals also go into a pipe, which the interpreter's own handler in C does at once
(`signal.set_wakeup_fd`), and a thread of the seam's that needs no interpreter reads them there. After the
second it leaves Python a second to put things away, then kills what the command started and ends the process.
"""

from __future__ import annotations

import atexit
import contextlib
import signal
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

INTERRUPTED = 130
"""Exit code of a command that was ended."""

Handler = Callable[[int, FrameType | None], object]

_ENDING = (signal.SIGINT, signal.SIGTERM)

_raised = False


def watch() -> None:
    """From here on the first signal raises KeyboardInterrupt, where no other handler is prepared for it.

    One that Python does not notice within two seconds ends the process as a second does: nothing is under way
    that could be brought to a good end. To be called once, by the process's main thread.
    """
    from loadstone import _core

    # Registered first, it comes last: nothing that the command started outlives it. A signal may come just
    # when a process has been started and no caller looks after it yet.
    atexit.register(_end)
    signal.set_wakeup_fd(_core.watch_signals(), warn_on_full_buffer=False)
    for number in _ENDING:
        # The shell has background jobs of scripts ignore Ctrl-C.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _end() -> None:
    """The last that Python runs: what the command started ends, and signals no longer pass through Python.

    While it goes down Python has the signals that it handles kill the process. The exit code would then say
    so, or not, depending on the moment. It leaves alone what it believes to be ignored.
    """
    from loadstone import _core

    numbers = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)
    _core.end_children_if_asked([int(number) for number in numbers])


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Raises KeyboardInterrupt, once: raised again it would hit what the first one has put in motion.

    Python would then end by the signal itself, in the midst of putting things away.
    """
    global _raised
    from loadstone import _core

    _core.signal_noticed()
    if not _raised:
        _raised = True
        raise KeyboardInterrupt


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is what a library made of the first signal: DuckDB says `Query interrupted`."""
    return _raised and "interrupted" in str(error).lower()


@contextlib.contextmanager
def handling(numbers: Iterable[int], handler: Handler) -> Iterator[None]:
    """Has `handler` deal with these signals; gives the handlers of before back.

    It is prepared for them: what the first one ends may take its time. The second is not up to it.
    """
    from loadstone import _core

    def notice(number: int, frame: FrameType | None) -> None:
        _core.signal_noticed()
        handler(number, frame)

    _core.signal_handlers(1)
    before = {number: signal.signal(number, notice) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
        _core.signal_handlers(-1)
