"""The service under test while a run is made: where it is, whether it lives, which processes it is."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any, Protocol

from loadstone.errors import LoadstoneError

_SILENT_S = 5
"""Seconds with connection failures and without one right answer before we ask whether anyone listens."""

_CONNECT_S = 5.0

_BROKEN = (0, 1, 2)  # places of refused, reset and closed among the causes of failure


class Service(Protocol):
    """A service that takes requests."""

    @property
    def url(self) -> str:
        """Its address for people."""

    def endpoint(self) -> tuple[str, int]:
        """Host and port; the path of a Unix socket, and 0."""

    def roots(self) -> dict[str, int]:
        """First process by role (`sut`, `database`), as far as known."""

    def node(self) -> Mapping[str, Any] | None:
        """The machine, if made for the run: `type`, `vcpu`, `memory_mib`, `start_s`, ...; otherwise None."""

    def saw(self, window: Mapping[str, Any]) -> None:
        """Is told every second of the run."""

    def counted(self) -> Mapping[str, Any] | None:
        """What its connector has counted: `counters`, `most`, `readings`; None if it is not built in.

        Asked once, after the load.
        """

    def alive(self) -> bool:
        """Whether it can still answer, as far as known. Cheap: asked several times a second."""

    def last_words(self) -> list[str]:
        """Its last words once it is dead; empty if we cannot read its output."""


class Remote:
    """A service that somebody else started."""

    def __init__(self, url: str, host: str, port: int, processes: Mapping[str, int] | None = None) -> None:
        """`processes` as in `Service.roots`."""
        self.url = url
        self._endpoint = (host, port)
        self._processes = dict(processes or {})
        self._silent = 0
        self._alive = True

    def endpoint(self) -> tuple[str, int]:
        """Host and port; the path of a Unix socket, and 0."""
        return self._endpoint

    def roots(self) -> dict[str, int]:
        """The processes it was made with."""
        return self._processes

    def node(self) -> Mapping[str, Any] | None:
        """Nothing that we know of."""
        return None

    def saw(self, window: Mapping[str, Any]) -> None:
        """Asks once more a service that broke connections for some seconds and answered nothing."""
        operations = window["operations"]
        broken = sum(operation["failed"][cause] for operation in operations for cause in _BROKEN)
        answered = sum(operation["ok"] for operation in operations)
        if answered:
            self._silent = 0
        elif broken:
            self._silent += 1
        if self._silent >= _SILENT_S:
            self._silent = 0
            self._alive = listens(*self._endpoint)

    def counted(self) -> Mapping[str, Any] | None:
        """Nothing that we know of."""
        return None

    def alive(self) -> bool:
        """False once nothing listens any more."""
        return self._alive

    def last_words(self) -> list[str]:
        """None that we hear."""
        return []


def listens(host: str, port: int, timeout_s: float = _CONNECT_S) -> bool:
    """Whether a connection can be made; `port` 0: to the Unix socket `host`."""
    try:
        with _connection(host, port, timeout_s):
            return True
    except OSError:
        return False


def _connection(host: str, port: int, timeout_s: float) -> socket.socket:
    if port:
        return socket.create_connection((host, port), timeout_s)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(timeout_s)
        connection.connect(host)
    except OSError:
        connection.close()
        raise
    return connection


def require(service: Service) -> None:
    """Error `sut-unreachable` unless the service takes connections: else there is nothing to measure."""
    host, port = service.endpoint()
    try:
        with _connection(host, port, _CONNECT_S):
            return
    except OSError as error:
        raise LoadstoneError(
            "sut-unreachable",
            f"no connection to {service.url}: {error.strerror or error}",
            hint="start the service, or give its address with --url",
        ) from error
