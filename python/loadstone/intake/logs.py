"""Logs of any size as blocks of lines: from files, gzip files and standard input, in bounded memory."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from loadstone.errors import LoadstoneError

LONGEST = 1 << 16
"""Bytes of a line. A longer one is given cut off just beyond: its reader sees that it is too long."""
MOST_PACKED = 200
"""Times that gzip may have packed a log: real ones are packed 5 to 40 times, a bomb a thousand times."""
_BLOCK = 1 << 20
_FREE = 64 << 20
"""Bytes of content before the ratio counts: a short log of equal lines is packed well."""
_SLUG = "log-file"


def _nobody(_count: int) -> None:
    """Is told of bytes that were read."""


def line_blocks(path: str, told: Callable[[int], None] = _nobody) -> Iterator[list[bytes]]:
    """The lines of a log without their ends, some thousand at a time; `-` is standard input.

    `told` gets the numbers of bytes that were read of the file, packed or not, as they are.

    LoadstoneError `log-file`: no regular file, damaged gzip, or one that unpacks to far more than a log does.
    The end of a gzip file that is still being written is the end of the log.
    """
    with _opened(path) as raw:
        counted = _Counted(raw, told)
        packed = counted.peek(2) == b"\x1f\x8b"
        stream: Any = gzip.GzipFile(fileobj=counted, mode="rb") if packed else counted
        yield from _split(
            _blocks(stream, counted, path) if packed else iter(lambda: stream.read(_BLOCK), b"")
        )


def object_of(line: bytes) -> dict[str, Any] | None:
    """The JSON object that a line is, or None."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


class _Counted(io.RawIOBase):
    """A stream that counts what was read of it and can look at its first bytes."""

    def __init__(self, stream: BinaryIO, told: Callable[[int], None]) -> None:
        self._stream, self._told, self._ahead, self.count = stream, told, b"", 0

    def peek(self, size: int) -> bytes:
        """The first bytes, to be read all the same."""
        while len(self._ahead) < size and (more := self._stream.read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._ahead:
            found, self._ahead = self._ahead, b""
        else:
            found = self._stream.read(size)
        self.count += len(found)
        self._told(len(found))
        return found


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        descriptor = os.open(Path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LoadstoneError(_SLUG, f"cannot read `{path}`: {reason}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        message, hint = f"cannot read `{path}`: it is no file", "give `-` to read standard input"
        raise LoadstoneError(_SLUG, message, hint=hint)
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _blocks(stream: gzip.GzipFile, counted: _Counted, path: str) -> Iterator[bytes]:
    """The content of a gzip file; refuses a bomb and what is damaged."""
    unpacked = 0
    while True:
        try:
            # Not `read`: it would lose what precedes the end of a file that is cut off.
            block = stream.read1(_BLOCK)
        except EOFError:
            return
        except (OSError, zlib.error) as error:
            raise LoadstoneError(_SLUG, f"cannot unpack `{path}`: {error}") from error
        if not block:
            return
        unpacked += len(block)
        if unpacked > max(_FREE, MOST_PACKED * counted.count):
            message = f"`{path}` unpacks to more than {MOST_PACKED} times its size: no log does"
            raise LoadstoneError(_SLUG, message, hint="unpack it yourself, and give the file")
        yield block


def _split(blocks: Iterator[bytes]) -> Iterator[list[bytes]]:
    rest, skipping = b"", False
    for block in blocks:
        if skipping:
            _, found, block = block.partition(b"\n")
            skipping = not found
            if skipping:
                continue
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if len(rest) > LONGEST:
            lines.append(rest[: LONGEST + 1])
            rest, skipping = b"", True
        yield lines
    if rest:
        yield [rest]
