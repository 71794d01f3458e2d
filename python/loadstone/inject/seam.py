"""What the module in Rust says is wrong, as errors that people can act on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from loadstone.errors import LoadstoneError

Made = TypeVar("Made")

_KINDS = {
    "program": ("inject-program", "give a program in machine code, by its path or by a name on the PATH"),
    "symbols": ("inject-symbols", "build it without `strip` and `-s`, or leave --only out"),
    "endless": (
        "inject-endless",
        "give it a smaller problem, or a larger --golden-limit; a server is injected with --server",
    ),
    "long": (
        "inject-long",
        "give it a smaller problem, half a million instructions is plenty; or raise --most-steps and "
        "--trace-limit",
    ),
    "unsteady": (
        "inject-unsteady",
        "take times, addresses and seeds out of what it prints: only equal answers can be compared",
    ),
    "threads": ("inject-threads", "inject it as a server with --server, or build it with one thread"),
    "ptrace": (
        "inject-ptrace",
        "in a container add `--cap-add SYS_PTRACE`; see also /proc/sys/kernel/yama/ptrace_scope",
    ),
    "machine": ("inject-machine", "inject on Linux on x86-64"),
}
"""By the kind that Rust names: our slug, and what to do."""


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
        slug, hint = _KINDS.get(kind, ("internal", None))
        raise LoadstoneError(slug, message, hint=hint) from error


def asked(call: Callable[[], Made]) -> Made:
    """What `call` gives. Errors as `refusing`."""
    with refusing():
        return call()
