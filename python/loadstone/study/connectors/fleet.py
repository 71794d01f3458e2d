"""The processes of the study: the database and the servers, each started when it is needed first."""

from __future__ import annotations

import contextlib
import json
import selectors
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from loadstone.errors import LoadstoneError
from loadstone.study.connectors.servers import Place, command

_READY_S = 60.0
_STOP_S = 10.0
_LOOK_S = 0.05
_SETTLED_S = 60.0
"""A database that has calls ahead of it after so long is being asked by somebody."""


@dataclass(frozen=True)
class Running:
    """A process that serves."""

    process: subprocess.Popen[bytes]
    url: str

    @property
    def endpoint(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self.url.removeprefix("http://").rsplit(":", 1)
        return host, int(port)

    def cpu_s(self) -> float:
        """Processor time of it and of all that it started, seconds."""
        root = psutil.Process(self.process.pid)
        return sum(_cpu_s(one) for one in [root, *root.children(recursive=True)])


@dataclass
class Fleet:
    """Use as a context: all processes end with it."""

    folder: Path
    """For the servers' files; each has a folder of its own in it."""
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _running: dict[str, Running] = field(default_factory=dict)

    def __enter__(self) -> Fleet:
        """Nothing runs yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends everything that runs."""
        self._stack.close()

    def database(self, slots: int, service_ms: float) -> Running:
        """The simulated database."""
        if "database" not in self._running:
            words = ["--slots", str(slots), "--service-ms", str(service_ms)]
            own = [sys.executable, "-m", "loadstone.study.connectors.database", *words]
            process = self._stack.enter_context(_process(own, self.folder / "database.log", announces=True))
            self._running["database"] = Running(process, _announced(process, self.folder / "database.log"))
        return self._running["database"]

    def start(self, name: str, kind: str, options: Mapping[str, Any], behind: str, backlog: int) -> Running:
        """Starts a server and waits until it answers. LoadstoneError `sut-start`, `program-missing`."""
        place = Place(self.folder / name, _free_port(), behind, backlog)
        place.folder.mkdir(exist_ok=True)
        place.folder.chmod(0o755)
        log = place.folder / "said.log"
        process = self._stack.enter_context(_process(command(kind, options, place), log))
        found = Running(process, f"http://127.0.0.1:{place.port}")
        _await(found, log)
        self._running[name] = found
        return found

    def keep(self, folder: AbstractContextManager[Path]) -> Path:
        """Enters a folder of data, and leaves it when all has ended."""
        return self._stack.enter_context(folder)

    def __getitem__(self, name: str) -> Running:
        """The server of that name, which runs."""
        return self._running[name]

    def __contains__(self, name: str) -> bool:
        """Whether the server of that name runs."""
        return name in self._running and self._running[name].process.poll() is None


def _cpu_s(process: psutil.Process) -> float:
    """Of a process, by the scheduler's nanoseconds: in ticks, many that do little show nothing."""
    by_thread = 0
    for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            by_thread += int(path.read_text().split()[0])
    ticks = 0.0
    with contextlib.suppress(psutil.Error):
        times = process.cpu_times()
        ticks = times.user + times.system
    # Ticks know threads that have ended.
    return max(ticks, by_thread / 1e9)


def state(database: Running) -> dict[str, float]:
    """What the database says of itself: `calls` since its start, `ahead_s`."""
    found: dict[str, float] = json.loads(get(f"{database.url}/state"))
    return found


def settle(database: Running) -> None:
    """Waits until the database has no more calls: those that one server left must not meet the next.

    LoadstoneError `sut-unreachable` when somebody goes on asking.
    """
    deadline = time.monotonic() + _SETTLED_S
    calls = -1.0
    while time.monotonic() < deadline:
        now = state(database)
        if now["calls"] == calls and not now["ahead_s"]:
            return
        calls = now["calls"]
        time.sleep(max(0.2, now["ahead_s"]))
    raise LoadstoneError("sut-unreachable", f"the database is still being asked after {_SETTLED_S:g} s")


def get(url: str) -> bytes:
    """The body of an answer of 200. OSError."""
    with urllib.request.urlopen(url, timeout=_READY_S) as answer:
        body: bytes = answer.read()
        return body


@contextlib.contextmanager
def _process(words: list[str], log: Path, *, announces: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as said:
        # A process group of its own: Ctrl-C in the terminal is for us. Our own servers end with their input,
        # should we be killed.
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if announces else said,
            stderr=said,
            process_group=0,
        )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _announced(process: subprocess.Popen[bytes], log: Path) -> str:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        line = process.stdout.readline() if selector.select(_READY_S) else b""
    if not line:
        raise LoadstoneError("sut-start", f"the database did not start: {_last_words(log)}")
    return str(json.loads(line)["url"])


def _await(server: Running, log: Path) -> None:
    """Until it answers. LoadstoneError `sut-start`."""
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            get(server.url + "/")
            return
        except urllib.error.HTTPError as error:
            said = f"it answers {error.code}; {_last_words(log)}"
            raise LoadstoneError(
                "sut-start", f"the server at {server.url} is not fit for use: {said}"
            ) from error
        except OSError:
            time.sleep(_LOOK_S)
    raise LoadstoneError("sut-start", f"the server did not start: {_last_words(log)}")


def _last_words(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
