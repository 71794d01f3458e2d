"""Figures of a run under way for Prometheus: `loadstone run --metrics 127.0.0.1:9464`."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loadstone.cli.counts import (
    BOUNDS_S,
    DROPPED,
    FIRST_BYTES,
    LATE,
    LIMIT,
    NOW,
    OPERATIONS,
    RESPONSES,
    Counts,
    Times,
    Watcher,
)
from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES

_PLACE = "--metrics"
_WAIT_S = 5
"""A reader that sends nothing for so long is left."""
_LABELLED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Metrics:
    """What a run has done so far, in Prometheus' text format; passes all it is told on to `shown`."""

    def __init__(self, shown: Watcher) -> None:
        """Nothing has happened yet."""
        self._shown = shown
        self._alone = threading.Lock()
        self._text = "# no run has begun\n"

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """All counters begin at zero."""
        self._counts = Counts(plan)
        self._shown.started(plan, folder)

    def window(self, window: Mapping[str, Any]) -> None:
        """Adds a second."""
        self._counts.add(window)
        text = "\n".join(_lines(self._counts)) + "\n"
        with self._alone:
            self._text = text
        self._shown.window(window)

    def note(self, text: str) -> None:
        """Passed on."""
        self._shown.note(text)

    def ended(self) -> None:
        """Passed on; the last figures stay until the command ends."""
        self._shown.ended()

    def text(self) -> str:
        """All figures as of the last second."""
        with self._alone:
            return self._text


def _lines(counts: Counts) -> Iterator[str]:
    yield _family("loadstone_run_info", "gauge", "The scenario that is run.")
    yield f"loadstone_run_info{{scenario={_quoted(counts.scenario)}}} 1"
    for name, help_ in NOW.items():
        yield _family(f"loadstone_{name}", "gauge", help_)
        yield f"loadstone_{name} {counts.now[name]}"
    for name, total in counts.totals.items():
        yield _family(
            f"loadstone_{name}_total", "counter", f"{name.replace('_', ' ')} of the run.".capitalize()
        )
        yield f"loadstone_{name}_total {total}"
    yield from _operations(counts)
    yield from _histogram("loadstone_response_seconds", RESPONSES, counts.names, counts.responses)
    yield from _histogram("loadstone_first_byte_seconds", FIRST_BYTES, counts.names, counts.first_bytes)


def _operations(counts: Counts) -> Iterator[str]:
    yield _family("loadstone_operations_total", "counter", OPERATIONS)
    for at, name in enumerate(counts.names):
        of = f"operation={_quoted(name)}"
        yield f'loadstone_operations_total{{{of},result="ok"}} {counts.ok[at]:.0f}'
        for cause, count in zip(CAUSES, counts.failed[at], strict=True):
            yield f'loadstone_operations_total{{{of},result="{cause}"}} {count:.0f}'
    for what, found, help_ in (("late", counts.late, LATE), ("dropped", counts.dropped, DROPPED)):
        yield _family(f"loadstone_operations_{what}_total", "counter", help_)
        for name, count in zip(counts.names, found, strict=True):
            yield f"loadstone_operations_{what}_total{{operation={_quoted(name)}}} {count:.0f}"
    yield _family("loadstone_operation_limit_seconds", "gauge", LIMIT)
    for name, limit in zip(counts.names, counts.limits_s, strict=True):
        yield f"loadstone_operation_limit_seconds{{operation={_quoted(name)}}} {limit:g}"


def _histogram(family: str, help_: str, names: Sequence[str], times: Times) -> Iterator[str]:
    yield _family(family, "histogram", help_)
    for at, name in enumerate(names):
        of = f"operation={_quoted(name)}"
        for bound, count in zip(BOUNDS_S, times.within[at], strict=True):
            yield f'{family}_bucket{{{of},le="{bound!r}"}} {count:.0f}'
        yield f'{family}_bucket{{{of},le="+Inf"}} {times.count[at]:.0f}'
        yield f"{family}_sum{{{of}}} {times.sum_s[at]:.6f}"
        yield f"{family}_count{{{of}}} {times.count[at]:.0f}"


def listening(address: str) -> socket.socket:
    """A socket on HOST:PORT, or on a port of loopback. LoadstoneError `bad-address`.

    A host that is none of loopback has to be named: whoever reaches it can read the figures.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    hint = f"such as {_PLACE} 127.0.0.1:9464"
    if not port.isdecimal() or int(port) > 65535:
        raise LoadstoneError("bad-address", f"`{address}` is not HOST:PORT", place=_PLACE, hint=hint)
    try:
        kind = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError as error:
        message = f"`{host}` is not an address of this machine"
        raise LoadstoneError("bad-address", message, place=_PLACE, hint=hint) from error
    family = socket.AF_INET6 if kind.version == 6 else socket.AF_INET
    try:
        return socket.create_server((str(kind), int(port)), family=family)
    except OSError as error:
        message = f"nothing can listen on {address}: {error.strerror}"
        raise LoadstoneError("bad-address", message, place=_PLACE, hint="give another port") from error


@contextmanager
def served(metrics: Metrics, listener: socket.socket) -> Iterator[None]:
    """Answers `GET /metrics` on the socket while the context lasts; then closes it."""

    class Handler(BaseHTTPRequestHandler):
        timeout = _WAIT_S

        def do_GET(self) -> None:
            found = self.path.partition("?")[0] == "/metrics"
            body = (metrics.text() if found else "look at /metrics\n").encode()
            self.send_response(200 if found else 404)
            kind = "text/plain; version=0.0.4; charset=utf-8" if found else "text/plain; charset=utf-8"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """The terminal shows the run."""

    server = ThreadingHTTPServer(listener.getsockname()[:2], Handler, bind_and_activate=False)
    server.socket.close()
    server.socket, server.daemon_threads = listener, True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def _family(name: str, kind: str, help_: str) -> str:
    return f"# HELP {name} {help_}\n# TYPE {name} {kind}"


def _quoted(value: str) -> str:
    return f'"{value.translate(_LABELLED)}"'
