"""`loadstone ui` as people start it, in a folder of its own, and what asks it by HTTP."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE_S = 120.0
"""Nothing here is timed: this only bounds a test that would wait for ever."""

SCENARIO = """
format = 1
name = "tiny"
[target]
url = "http://127.0.0.1:{port}"
[load]
{load}
ramp_up_s = 0
steady_s = {steady_s}
ramp_down_s = 0
[pacing]
think = 0.05
[[operation]]
name = "Front"
limit_s = 1
step = [{{ get = "/" }}]
[[operation]]
name = "Other"
limit_s = 1
step = [{{ get = "/other" }}]
[mix]
Front = {{ Other = 0.5, end = 0.5 }}
Other = {{ end = 1 }}
"""


def until(what: Callable[[], Any]) -> Any:
    """The first thing that is true of what `what` says."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := what()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)
    return found


@dataclass
class Served:
    """A page that is served."""

    address: str
    folder: Path
    process: subprocess.Popen[str]

    def get(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of what is beneath the token."""
        return ask(urllib.request.Request(self.address + path, headers=headers))

    def json(self, path: str) -> Any:
        """What is at `path`."""
        status, body, _ = self.get(path)
        assert status == 200, body
        return json.loads(body)

    def post(self, path: str, content: Any, **headers: str) -> tuple[int, Any]:
        """Status and answer."""
        data = json.dumps(content).encode()
        status, body, _ = ask(urllib.request.Request(self.address + path, data=data, headers=headers))
        return status, json.loads(body) if body.startswith(b"{") else body.decode()

    def run(self, **fields: str) -> str:
        """The name of a run that the form has started."""
        status, content = self.post("runs", {"scenario": "tiny.toml", **fields})
        assert status == 200, content
        return str(content["name"])

    def state(self, name: str) -> str:
        """How a run stands in the list."""
        return str(next(row["state"] for row in self.json("runs") if row["name"] == name))

    def events(self, name: str) -> Iterator[tuple[str, Any]]:
        """What the page is told of a run, until that is over."""
        request = urllib.request.Request(f"{self.address}runs/{name}/events")
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as stream:
            kind = ""
            for line in stream:
                if line.startswith(b"event: "):
                    kind = line[7:].decode().strip()
                elif line.startswith(b"data: "):
                    yield kind, json.loads(line[6:])


def ask(request: urllib.request.Request) -> tuple[int, bytes, dict[str, str]]:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)


@contextmanager
def served(folder: Path, *options: str) -> Iterator[Served]:
    """The page over the runs of `folder`, until the end of the block."""
    command = [sys.executable, "-m", "loadstone", "ui", "--no-open", *options]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Served(process.stdout.readline().strip().partition("#")[0], folder, process)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_S)


def scenario(folder: Path, port: int, *, load: str = "users = 3", steady_s: float = 2) -> None:
    """A scenario of two pages, to be chosen."""
    text = SCENARIO.format(port=port, load=load, steady_s=steady_s)
    (folder / "tiny.toml").write_text(text, encoding="utf-8")
