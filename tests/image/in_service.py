"""A supervisor in this process or in one of its own, with a program in QEMU's place, and how it is asked."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from free_ports import free_row
from tiny import tiny_image
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.cli.image_machines import own_words
from loadstone.errors import LoadstoneError
from loadstone.image.fleet import instances
from loadstone.image.qemu import Disk, Machine
from loadstone.image.service import Control, Policy, StateFolder, Supervisor, ask

HERE = Path(__file__).parent
WAIT_S = 60.0


def loadstone(*words: str | Path) -> tuple[int, str]:
    """The exit code of a command, and what it said."""
    result = CliRunner().invoke(app, ["image", *map(str, words)])
    if isinstance(result.exception, LoadstoneError):
        return result.exception.exit_code, str(result.exception)
    return result.exit_code, result.output


def until(what: Callable[[], Any]) -> Any:
    """The first result that is true, within a minute."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come about within a minute")


def image(folder: Path, text: str) -> Path:
    """An image that says this, by which the program in QEMU's place goes."""
    (own := folder / text).mkdir(exist_ok=True)
    return tiny_image(own, f"serving {text}")


class Running:
    """A supervisor with a state folder, in this process."""

    def __init__(self, folder: Path, kernel: Path, count: int, policy: Policy, disks: list[Path]) -> None:
        self.state = folder / "state"
        self.port = free_row()
        self.told: list[str] = []
        described = Machine(kernel, words=own_words(False, ""))
        machines = instances(described, count, self.port, [Disk(one) for one in disks])
        self._all = contextlib.ExitStack()
        kept = self._all.enter_context(contextlib.closing(StateFolder(self.state)))
        words = partial(own_words, False)
        self.supervisor = Supervisor(kept, machines, policy, self.told.append, words)
        self._all.enter_context(self.supervisor)
        self._all.enter_context(Control(kept.path / "control", self.supervisor))

    def until(self, what: Callable[[list[dict[str, Any]]], Any]) -> list[dict[str, Any]]:
        """The first status of which this is true."""
        return list(until(lambda: (seen := ask(self.state, {"do": "status"})) and what(seen) and seen))

    def well(self) -> list[dict[str, Any]]:
        """The status when all are well."""
        return self.until(lambda seen: all(one["healthy"] for one in seen))

    def ends(self, number: int = 1) -> list[dict[str, Any]]:
        """The latest ends of an instance."""
        return list(json.loads((self.state / str(number) / "ends.json").read_text()))

    def stop(self) -> None:
        """Ends it."""
        self._all.close()


@contextlib.contextmanager
def process(folder: Path, text: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`loadstone image run` as a process of its own."""
    command = [sys.executable, "-m", "loadstone", "image", "run", str(image(folder, text))]
    command += ["--state", str(folder / "state"), "--port", "0", *words]
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=silent, stdout=silent, stderr=subprocess.PIPE, text=True) as one:
        yield one
        one.kill()


def well(state: Path) -> list[dict[str, Any]]:
    """The status of a process's instances when all are well."""

    def seen() -> list[dict[str, Any]] | None:
        with contextlib.suppress(LoadstoneError):
            found: list[dict[str, Any]] = ask(state, {"do": "status"})
            return found if all(one["healthy"] for one in found) else None
        return None

    return list(until(seen))


def body(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    with contextlib.closing(connection):
        connection.request("GET", "/")
        return connection.getresponse().read().decode()


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
