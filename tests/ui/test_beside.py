"""A run of the command line seen from beside: by its page (`run --ui`), in another terminal (`follow`)."""

from __future__ import annotations

import os
import pty
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from scripted_site import OK, site
from served_page import PATIENCE_S, Served, scenario, until

from loadstone.intake import Kind
from loadstone.measure.control import answers
from loadstone.stages.run import Run

pytestmark = pytest.mark.long

LOADSTONE = (sys.executable, "-m", "loadstone")
KIND = Kind("run-folder", "a record of a run", 1 << 20)
STEADY_S = 12


@contextmanager
def running(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`loadstone run` of the small scenario into `folder`/runs/one, ended at the end of the block."""
    with site(lambda _path, _number: OK) as port:
        scenario(folder, port, steady_s=STEADY_S)
        (folder / "runs").mkdir()
        command = [*LOADSTONE, "run", "tiny.toml", "--out", "runs/one", *options]
        with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.terminate()
                process.communicate(timeout=PATIENCE_S)


def test_it_is_followed_in_another_terminal(tmp_path: Path) -> None:
    with running(tmp_path) as run:
        until(lambda: answers(tmp_path / "runs" / "one"))
        there, here = pty.openpty()
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
        screen = subprocess.Popen(
            [*LOADSTONE, "follow"], cwd=tmp_path, env=environment, stdout=here, stderr=here
        )
        os.close(here)
        plain = subprocess.run(
            [*LOADSTONE, "follow", "runs/one"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        shown = b"".join(_read(there)).decode()
        assert screen.wait(PATIENCE_S) == 0
        run.communicate(timeout=PATIENCE_S)
    assert "the run has ended (complete): runs/one" in plain.stderr
    [line] = plain.stdout.splitlines()
    assert line.startswith("steady") and f"10 s of {STEADY_S}  3 users" in line and "0 failed" in line
    for said in (f"s of {STEADY_S}", "requests/s", "CPU cores:", "SLA-1: "):
        assert said in shown, shown
    assert Run.read(tmp_path / "runs" / "one" / "run.json", KIND).outcome == "complete"


def _read(terminal: int) -> Iterator[bytes]:
    """What is written to a terminal until nobody holds it any more."""
    while True:
        try:
            some = os.read(terminal, 65536)
        except OSError:  # what Linux says once the other end is closed
            return
        if not some:
            return
        yield some


def test_it_has_a_page_that_ends_after_it(tmp_path: Path) -> None:
    with running(tmp_path, "--ui") as run:
        assert run.stderr is not None
        address = next(line.split()[1] for line in iter(run.stderr.readline, "") if line.startswith("page: "))
        page = Served(address.partition("#")[0], tmp_path, run)
        told = dict(page.events("one"))
        assert told["record"]["outcome"] == "complete" and told["state"]["state"] == "ended"
        run.communicate(timeout=PATIENCE_S)
        until(lambda: not _listens(page))


def _listens(page: Served) -> bool:
    """Asks nothing: a page that is asked for something is open."""
    try:
        with socket.create_connection(("127.0.0.1", urlsplit(page.address).port or 0)):
            return True
    except OSError:
        return False
