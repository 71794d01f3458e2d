"""Serving a built-in site in this process until told to stop.

Also run as `python -m loadstone.serve PLACE OPTIONS` by the measuring stage: it imports nothing but the
seam, so that the memory measured as the service's is the service's.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from loadstone import leave
from loadstone._core import Server
from loadstone._core import serve as start
from loadstone.errors import LoadstoneError

Options = dict[str, object]
"""As `_core.serve` takes them: `app` is what is served."""

Announce = Callable[[str], None]

_DRAIN_S = 10.0
_LOOK_S = 0.25
"""Between two looks for signals."""


def serve(place: Path | str, options: Options, announce: Announce, *, by_stdin: bool = False) -> None:
    """Serves the option `app` on what is in `place`: for a site a folder or a database's URL.

    Returns after SIGTERM, SIGINT or, `by_stdin`, the end of stdin, each byte of which asks for the counters.
    SIGHUP reads the certificate again and opens the access log anew. Tells the service manager, where there
    is one, when it is ready, reloading, stopping.
    `announce` gets the URL once requests are taken. Requests under way are finished first. At the end it
    prints the container's counters on stderr, except those that are 0.
    Errors: `serve-options`; `sut-start` when it cannot start for another reason.
    """
    # Safe to be filled by a signal's handler while it is read.
    wishes: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask(number: int, _frame: FrameType | None) -> None:
        wishes.put("reload" if number == signal.SIGHUP else "stop")

    with leave.handling((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), ask):
        _serve(str(place), options, announce, wishes, by_stdin)


def _serve(
    place: str, options: Options, announce: Announce, wishes: queue.SimpleQueue[str], by_stdin: bool
) -> None:
    try:
        server = start(place, json.dumps(options))
    except ValueError as error:
        raise LoadstoneError("serve-options", f"cannot serve like this: {error}") from error
    except OSError as error:
        from loadstone._core import without_password

        shown = without_password(place)
        raise LoadstoneError("sut-start", f"cannot serve {shown}: {error}") from error
    try:
        host, port = server.address()
        announce(_url("https" if options.get("tls_cert") else "http", host, port))
        if metrics := server.metrics_address():
            print(f"metrics at {_url('http', *metrics)}/metrics", file=sys.stderr)
        if by_stdin:
            threading.Thread(target=_obey, args=(server, wishes), daemon=True).start()
        _tell_manager("READY=1")
        while _next(wishes) == "reload":
            _reload(server)
    finally:
        _tell_manager("STOPPING=1")
        if not server.drain(_DRAIN_S):
            print(f"cut the requests that were not done after {_DRAIN_S:g} s", file=sys.stderr)
            server.abandon()
        told = ", ".join(f"{name} {count}" for name, count in server.counters().items() if count)
        print(f"served: {told or 'nothing'}", file=sys.stderr)


def _next(wishes: queue.SimpleQueue[str]) -> str:
    """The next wish, however long it takes.

    A signal that comes between Python's last look for one and the wait for the queue is seen only when the
    wait ends: without an end of its own the process would serve on until the next signal.
    """
    while True:
        with contextlib.suppress(queue.Empty):
            return wishes.get(timeout=_LOOK_S)


def _url(scheme: str, host: str, port: int) -> str:
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _reload(server: Server) -> None:
    _tell_manager(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")
    try:
        server.reload()
    except ValueError as error:
        print(f"not reloaded; the server goes on with the old files: {error}", file=sys.stderr)
    _tell_manager("READY=1")


def _tell_manager(state: str) -> None:
    """Tells systemd, as sd_notify(3) does; nothing where no service manager listens."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.sendto(state.encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)


def _obey(server: Server, wishes: queue.SimpleQueue[str]) -> None:
    """Answers each byte on stdin with the counters, a line of JSON on stdout; stops the server at its end."""
    # Not sys.stdin: its lock would be held when the process ends.
    while asked := os.read(0, 4096):
        os.write(1, (json.dumps(server.counters()) + "\n").encode() * len(asked))
    wishes.put("stop")


def _announce(url: str) -> None:
    print(json.dumps({"url": url}), flush=True)


if __name__ == "__main__":
    leave.watch()
    try:
        serve(sys.argv[1], json.loads(sys.argv[2]), _announce, by_stdin=True)
    except LoadstoneError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
