"""Bytes and text of a file, up to the size that its kind may have."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import LoadstoneError

MIB = 1 << 20


@dataclass(frozen=True)
class Kind:
    """A kind of file: the slug of its complaints, what it is called, and its largest size."""

    slug: str
    noun: str
    """With its article, as in `not a scenario`."""
    most: int = MIB
    """Bytes. What people write and read is far below 1 MiB."""
    hint: str | None = None
    """What to do when it cannot be read."""


def read_bytes(path: Path, kind: Kind) -> bytes:
    """All bytes of a regular file. LoadstoneError with the kind's slug for other files and for large ones.

    A device or a pipe may have no end and may never begin, so it is refused before it is read; a file that
    grows meanwhile, or says that it is empty and is not, is read up to the limit.
    """
    try:
        # A pipe without a writer must not hold the command up.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise LoadstoneError(
                    kind.slug, f"cannot read `{path}`: it is {_what(descriptor)}, not a file"
                )
            content = file.read(kind.most + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LoadstoneError(kind.slug, f"cannot read `{path}`: {reason}", hint=kind.hint) from error
    if len(content) > kind.most:
        raise LoadstoneError(kind.slug, f"`{path}` is over {_size(kind.most)}: not {kind.noun}")
    return content


def read_text(path: Path, kind: Kind) -> str:
    """All text of a regular file, without a byte order mark. Errors as `read_bytes`, and `decoded`."""
    return decoded(read_bytes(path, kind), kind.slug, path).replace("\r\n", "\n")


def decoded(content: bytes, slug: str, path: Path | str) -> str:
    """The bytes as text. LoadstoneError `slug` with the first line that is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise LoadstoneError(slug, "the file is not UTF-8", place=f"{path}:{line}") from error


def _what(descriptor: int) -> str:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else "a device"


def _size(most: int) -> str:
    if most < MIB:
        return f"{most >> 10} KiB"
    return f"{most // MIB} MiB" if most < 1 << 30 else f"{most >> 30} GiB"
