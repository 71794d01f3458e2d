"""Bringing the service under test up for one run, with its data as new, and down again."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from loadstone.errors import LoadstoneError
from loadstone.measure.builtin import serving
from loadstone.measure.dataset import DataSet
from loadstone.measure.service import Remote, Service, require
from loadstone.site import Data, Loading, Site

_RESET_S = 3600.0


class Sut(Protocol):
    """What is measured, again and again."""

    def running(self) -> AbstractContextManager[Service]:
        """The running service, with fresh data. The end of the block stops it, if it was started here.

        Errors: `sut-unreachable`, `sut-start`, `reset-failed`, `load-data`.
        """


@dataclass(frozen=True)
class External:
    """A service that runs already, at a host and port, or at the path of a Unix socket and port 0."""

    url: str
    host: str
    port: int
    processes: Mapping[str, int] = field(default_factory=dict)
    """First process by role (`sut`, `database`), where it runs on this machine."""
    reset: str | None = None
    """Shell command that brings its data back to the start."""

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        """Resets its data if there is a command for that, and makes sure that it answers."""
        if self.reset:
            _reset(self.reset)
        service = Remote(self.url, self.host, self.port, self.processes)
        require(service)
        yield service


@dataclass(frozen=True)
class Builtin:
    """A built-in site in a process of its own, each time on a fresh copy of its data."""

    site: Site
    data: Data
    options: Mapping[str, Any] = field(default_factory=dict)
    """As a scenario's `[target.options]`."""
    loading: Loading | None = None

    @property
    def served(self) -> dict[str, Any]:
        """Options of `serving`."""
        return self.site.served(self.data, self.options)

    @contextlib.contextmanager
    def place(self) -> Iterator[Path]:
        """A fresh copy of its data set; a site that makes its data at the start needs none.

        Error `load-data`.
        """
        if not self.site.stored:
            yield Path()
            return
        with DataSet(self.site, self.data).fresh(self.loading) as folder:
            yield folder

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        """Starts it and waits until it answers."""
        with self.place() as place, serving(self.site, place, self.served) as service:
            require(service)
            yield service


def _reset(command: str) -> None:
    try:
        subprocess.run(command, shell=True, check=True, timeout=_RESET_S, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise LoadstoneError(
            "reset-failed", f"`{command}` ended with {error.returncode}: {said[0]}", hint="run it by hand"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise LoadstoneError("reset-failed", f"`{command}` did not end within an hour") from error
