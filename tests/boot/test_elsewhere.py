"""An image moves to another host while clients write: nothing that it acknowledged is lost.

The other host is this machine, by a program in ssh's place: what counts here are the machine and its disk.
"""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from booted import BOOT_S

from loadstone.image.build import build
from loadstone.image.copies import export
from loadstone.image.disks import blank
from loadstone.image.guest import free_port
from loadstone.image.new import new_crate
from loadstone.image.service import ask, await_end

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

NAME = "guest-book"
SSH = """#!/bin/sh
while [ "$1" != -T ]; do shift; done
shift 3
exec sh -c "$*"
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    within = tmp_path_factory.mktemp("own")
    new_crate(NAME, within)
    return build(str(within / NAME), within / f"{NAME}.elf").stripped.path


class Writing(threading.Thread):
    """Writes numbered entries, one after another, until nobody takes them."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port, self.acknowledged, self.over = port, list[str](), threading.Event()

    def run(self) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            text = f"entry-{number:05}"
            try:
                one = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                form = {"Content-Type": "application/x-www-form-urlencoded"}
                one.request("POST", "/entries", urlencode({"text": text}), form)
                status = one.getresponse().status
                one.close()
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if status < 400:
                self.acknowledged.append(text)


def test_nothing_that_was_acknowledged_is_lost(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ssh").write_text(SSH)
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    disk, state, there = tmp_path / "book.disk", tmp_path / "state", tmp_path / "there"
    port, new_port = free_port(), free_port()
    blank(disk, 32, "log")
    command = [sys.executable, "-m", "loadstone", "image", "run", str(image), "--disk", str(disk)]
    command += ["--state", str(state), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as supervisor:
        try:
            writing = Writing(port)
            writing.start()
            deadline = time.monotonic() + BOOT_S
            while len(writing.acknowledged) < 20:
                assert time.monotonic() < deadline, "it takes nothing"
                time.sleep(0.05)
            order = {"do": "move away", "instance": 1}
            place = {"host": "other", "folder": str(there), "python": sys.executable, "config": None}
            said = ask(state, order | {"to": place | {"address": "127.0.0.1", "port": new_port}})
            writing.over.set()
            writing.join()
            assert supervisor.wait(BOOT_S) == 0, "the last one is gone"
        finally:
            supervisor.kill()
    down = re.search(r"nobody took connections for ([\d.]+) s", said)
    assert down, said
    print(f"away for {down[1]} s, {len(writing.acknowledged)} entries before")
    try:
        assert ask(there / "state", {"do": "status"})[0]["healthy"]
        connection = http.client.HTTPConnection("127.0.0.1", new_port, timeout=20)
        connection.request("GET", "/")
        assert writing.acknowledged[-1] in connection.getresponse().read().decode()
    finally:
        ask(there / "state", {"do": "stop"})
    await_end(there / "state")
    export(there / "disk", tmp_path / "book.sqlite")
    kept = (tmp_path / "book.sqlite").read_bytes()
    assert set(writing.acknowledged) <= {one.decode() for one in re.findall(rb"entry-\d{5}", kept)}
