"""Only text may reach a terminal. Names, URLs and messages of others can hold characters that it obeys."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any, TextIO

# Control characters but tabs and ends of lines, marks of direction, and halves of characters.
_UNSHOWN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)


def plain(text: str) -> str:
    """The text with control characters spelled out; within the quotes of JSON it means the same.

    >>> print(plain("\\x1b[2Jolio"))
    \\u001b[2Jolio
    """
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class Plain:
    """A text stream that writes `plain` text. Rich bypasses it: Rich makes its control characters itself."""

    def __init__(self, stream: TextIO) -> None:
        """Writes to `stream`."""
        self._stream = self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Writes all of it; returns the number of characters given."""
        self._stream.write(plain(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the stream's own."""
        return getattr(self._stream, name)


class Lines:
    """Whole lines on a stream: what several threads say stands one after another."""

    def __init__(self, stream: TextIO) -> None:
        """Writes to `stream`."""
        self._stream = stream
        self._alone = threading.Lock()

    def say(self, line: str) -> None:
        """Writes it with its end, at once: `print` writes the end by itself, behind what others say."""
        with self._alone:
            self._stream.write(f"{line}\n")
            self._stream.flush()


@contextlib.contextmanager
def plain_output() -> Iterator[None]:
    """Both streams of the process write plain text while the context lasts."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Plain(before[0]), Plain(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
