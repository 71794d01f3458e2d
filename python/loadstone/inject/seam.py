"""What the module in Rust says is wrong, as errors that people can act on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from loadstone.errors import LoadstoneError

Made = TypeVar("Made")

_HINTS = {
    "program": "give a program in machine code, by its path or by a name on the PATH",
    "symbols": "build it without `strip` and `-s`, or leave --only out",
    "endless": "give it a smaller problem, or a larger --golden-limit; a server is injected with --server",
    "long": "give it a smaller problem: about half a million instructions is plenty; or raise --most-steps "
    "and --trace-limit",
    "unsteady": "take times, addresses and seeds out of what it prints: only equal answers can be compared",
    "threads": "inject it as a server with --server, or build it with one thread",
    "ptrace": "in a container add `--cap-add SYS_PTRACE`; see also /proc/sys/kernel/yama/ptrace_scope",
    "machine": "run it on an x86-64 Linux machine",
}


class Stopped(Exception):
    """Somebody asked to stop."""


@contextmanager
def refusing() -> Iterator[None]:
    """Raises LoadstoneError `inject-KIND` of what Rust refuses, and `Stopped`."""
    try:
        yield
    except ValueError as error:
        if len(error.args) != 2:
            raise
        kind, message = error.args
        if kind == "stopped":
            raise Stopped from error
        slug = f"inject-{kind}" if kind in _HINTS else "internal"
        raise LoadstoneError(slug, message, hint=_HINTS.get(kind)) from error


def asked(call: Callable[[], Made]) -> Made:
    """What `call` gives. Errors as `refusing`."""
    with refusing():
        return call()
