"""A built-in site as its own process: started, awaited and stopped."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import psutil

from loadstone.errors import LoadstoneError
from loadstone.measure.counting import Counting
from loadstone.site import Site

_READY_S = 60.0
_DRAIN_S = 15.0


class Process:
    """A running built-in application; a `Service`."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, tells_counters: bool = True) -> None:
        """`url` as the application announced it; `tells_counters` as of its site."""
        self.url = url
        self._process = process
        assert process.stdin is not None and process.stdout is not None
        pipes = process.stdin.fileno(), process.stdout.fileno()
        self._counting = Counting(*pipes) if tells_counters else None

    def endpoint(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 80)

    def roots(self) -> dict[str, int]:
        """Its process."""
        return {"sut": self._process.pid}

    def node(self) -> Mapping[str, Any] | None:
        """None: this machine was not made for the run."""
        return None

    def saw(self, window: Mapping[str, Any]) -> None:
        """Asks the connector for its counters. Whether the site is alive is seen from its process."""
        if self._counting:
            self._counting.ask()

    def counted(self) -> Mapping[str, Any] | None:
        """As `Counting.told`; None if the process does not report counters."""
        return self._counting.told() if self._counting else None

    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def last_words(self) -> list[str]:
        """None: the error says them when it does not start."""
        return []


@contextlib.contextmanager
def serving(site: Site, place: Path | str, options: Mapping[str, Any]) -> Iterator[Process]:
    """Serves what is in `place` on a free port of this machine until the block ends.

    `options` as of `Site.served`, and `cores`: processors it may use, all of ours when absent.
    Error `sut-start` with its last words.
    """
    settings = json.dumps(
        {"address": "127.0.0.1:0"} | {name: value for name, value in options.items() if name != "cores"}
    )
    command = site.process(str(place), settings)
    with tempfile.TemporaryFile() as said:
        # Its own process group: Ctrl-C in the terminal is for us; we stop it once the run has ended. Should
        # we be killed, its standard input ends, and it follows.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, process_group=0
        )
        try:
            # Before it has threads: they inherit this, and it counts its processors by it.
            os.sched_setaffinity(process.pid, sorted(os.sched_getaffinity(0))[: options.get("cores") or None])
            url = _announced(process, said)
            _step_back(process.pid)
            yield Process(process, url, site.tells_counters)
        finally:
            _stop(process)


def _step_back(pid: int) -> None:
    """Lets every thread of the service take what the generator leaves; new threads inherit it.

    A generator that waited for a service that uses all of the machine would measure its own lateness as the
    service's. Niceness is not enough: it shares out time and does not let the generator in at once when it
    wakes. While it starts, the service is as others are: beside other work it might never be ready.
    """
    done = set[int]()
    while tasks := _threads(pid) - done:
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setscheduler(task, os.SCHED_IDLE, os.sched_param(0))
        done |= tasks


def _threads(pid: int) -> set[int]:
    """Of the process and of those below it; none of one that has ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        return {thread.id for one in (root, *root.children(recursive=True)) for thread in one.threads()}
    return set()


def _announced(process: subprocess.Popen[bytes], said: IO[bytes]) -> str:
    """The URL from the first line it prints."""
    assert process.stdout is not None
    line, deadline = b"", time.monotonic() + _READY_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n") and selector.select(max(0.0, deadline - time.monotonic())):
            part = os.read(process.stdout.fileno(), 4096)
            if not part:
                break
            line += part
    if line.endswith(b"\n"):
        return str(json.loads(line)["url"])
    said.seek(0)
    words = said.read().decode(errors="replace").strip()
    raise LoadstoneError(
        "sut-start", f"the built-in application did not start: {words or f'not ready after {_READY_S:g} s'}"
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    try:
        process.wait(_DRAIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
