"""Figures of a run under way for Prometheus: `loadstone run --metrics 127.0.0.1:9464`."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from loadstone.errors import LoadstoneError
from loadstone.judge import CAUSES
from loadstone.judge.histogram import midpoints_us

_PLACE = "--metrics"
_WAIT_S = 5
"""A reader that sends nothing for so long is left."""
_BOUNDS_S = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip
"""Upper bounds of the histogram's buckets."""
_LABELLED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class _Watcher(Protocol):
    def started(self, plan: Mapping[str, Any], folder: Path) -> None: ...
    def window(self, window: Mapping[str, Any]) -> None: ...
    def note(self, text: str) -> None: ...
    def ended(self) -> None: ...


class Metrics:
    """What a run has done so far, in Prometheus' text format; passes all it is told on to `shown`."""

    def __init__(self, shown: _Watcher) -> None:
        """Nothing has happened yet."""
        self._shown = shown
        self._alone = threading.Lock()
        self._text = "# no run has begun\n"
        self._names: list[str] = []
        self._limits: list[float] = []
        self._head: list[str] = []

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """All counters begin at zero."""
        operations = plan["operations"]
        self._names = [str(one["name"]) for one in operations]
        self._limits = [float(one["limit_s"]) for one in operations]
        count = len(operations)
        self._head = [_family("loadstone_run_info", "gauge", "The scenario that is run.")]
        self._head.append(f"loadstone_run_info{{scenario={_quoted(str(plan['name']))}}} 1")
        self._ok = np.zeros(count)
        self._failed = np.zeros((count, len(CAUSES)))
        self._late, self._dropped = np.zeros(count), np.zeros(count)
        self._within = np.zeros((count, len(_BOUNDS_S)))
        self._sum_s = np.zeros(count)
        self._totals = dict.fromkeys(("requests", "bytes_in", "bytes_out"), 0)
        self._shown.started(plan, folder)

    def window(self, window: Mapping[str, Any]) -> None:
        """Adds a second."""
        for one in window["operations"]:
            at = one["operation"]
            self._ok[at] += one["ok"]
            self._failed[at, : len(one["failed"])] += one["failed"]
            self._late[at] += one["late"]
            self._dropped[at] += one["dropped"]
            if one["response"]["bucket"]:
                times_s = midpoints_us(one["response"]["bucket"]) / 1e6
                counts = np.asarray(one["response"]["count"], dtype=np.float64)
                self._sum_s[at] += float(times_s @ counts)
                self._within[at] += [float(counts[times_s <= bound].sum()) for bound in _BOUNDS_S]
        for name in self._totals:
            self._totals[name] += window[name]
        text = "\n".join(self._lines(window)) + "\n"
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

    def _lines(self, window: Mapping[str, Any]) -> Iterator[str]:
        yield from self._head
        for name, value, help_ in (
            ("second", window["second"] + 1, "Seconds of the run that have passed."),
            ("users", window["users"], "Users, or what lives of that which arrives."),
            ("in_flight", window["in_flight"], "Operations under way."),
        ):
            yield _family(f"loadstone_{name}", "gauge", help_)
            yield f"loadstone_{name} {value}"
        for name, total in self._totals.items():
            yield _family(
                f"loadstone_{name}_total", "counter", f"{name.replace('_', ' ')} of the run.".capitalize()
            )
            yield f"loadstone_{name}_total {total}"
        yield from self._operations()
        yield from self._responses()

    def _operations(self) -> Iterator[str]:
        yield _family("loadstone_operations_total", "counter", "Operations that ended, by how.")
        for at, name in enumerate(self._names):
            of = f"operation={_quoted(name)}"
            yield f'loadstone_operations_total{{{of},result="ok"}} {self._ok[at]:.0f}'
            for cause, count in zip(CAUSES, self._failed[at], strict=True):
                yield f'loadstone_operations_total{{{of},result="{cause}"}} {count:.0f}'
        for what, counts, help_ in (
            ("late", self._late, "Right answers after the limit."),
            ("dropped", self._dropped, "Operations that were not sent."),
        ):
            yield _family(f"loadstone_operations_{what}_total", "counter", help_)
            for name, count in zip(self._names, counts, strict=True):
                yield f"loadstone_operations_{what}_total{{operation={_quoted(name)}}} {count:.0f}"
        yield _family("loadstone_operation_limit_seconds", "gauge", "The limit that the SLA sets.")
        for name, limit in zip(self._names, self._limits, strict=True):
            yield f"loadstone_operation_limit_seconds{{operation={_quoted(name)}}} {limit:g}"

    def _responses(self) -> Iterator[str]:
        family = "loadstone_response_seconds"
        yield _family(family, "histogram", "Response times of right answers, from the intended start.")
        for at, name in enumerate(self._names):
            of = f"operation={_quoted(name)}"
            for bound, count in zip(_BOUNDS_S, self._within[at], strict=True):
                yield f'{family}_bucket{{{of},le="{bound!r}"}} {count:.0f}'
            yield f'{family}_bucket{{{of},le="+Inf"}} {self._ok[at]:.0f}'
            yield f"{family}_sum{{{of}}} {self._sum_s[at]:.6f}"
            yield f"{family}_count{{{of}}} {self._ok[at]:.0f}"


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
