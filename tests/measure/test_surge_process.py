"""SURGE's files as the service under test: in a process of its own, driven from end to end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from loadstone.errors import VERDICTS, LoadstoneError
from loadstone.measure import Builtin
from loadstone.site.surge import SURGE, SurgeData

CONNECTORS = ("hybrid", "threaded", "event")


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        body: bytes = answer.read()
        assert int(answer.headers["Content-Length"]) == len(body)
        return body


def pages(options: dict[str, object]) -> list[bytes]:
    sut = Builtin(SURGE, SurgeData(files=50, seed=7), options)
    with sut.running() as service:
        return [fetch(f"{service.url}/d/{rank}") for rank in range(1, 32)]


def test_every_connector_serves_the_same_pages_each_time() -> None:
    first, *others = [pages({"connector": connector}) for connector in (*CONNECTORS, "hybrid")]
    assert all(other == first for other in others)
    assert any(b"<img src=/o/" in page for page in first)


def test_objects_of_a_page_are_there_and_the_process_ends() -> None:
    with Builtin(SURGE, SurgeData(files=50)).running() as service:
        named = {int(n) for n in re.findall(rb"<img src=/o/(\d+)>", fetch(f"{service.url}/d/1") * 2)}
        assert all(fetch(f"{service.url}/o/{number}") for number in {1, *named})
        assert fetch(service.url + "/").count(b"50 files of profile measured, seed 1") == 1
        url = service.url
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=60)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"connector": "blocking"}, "no connector `blocking`"), ({"speed": 9}, "unknown field `speed`")],
)
def test_what_cannot_be_is_refused(options: dict[str, object], words: str) -> None:
    sut = Builtin(SURGE, SurgeData(files=50), options)
    with pytest.raises(LoadstoneError, match=words) as refused, sut.running():
        pass
    assert refused.value.slug == "sut-start"


def test_a_run_from_end_to_end(tmp_path: Path) -> None:
    changes = {
        "data.files": "200",
        "load.ramp_up_s": "0",
        "load.ramp_down_s": "0",
        "load.steady_s": "2",
        "pacing.think": "0.1",
        "browser.pause": '{ kind = "weibull", scale_s = 0.01, shape = 0.5, max_s = 0.05 }',
    }
    settings = [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "loadstone", "run", "surge", "--users", "5", "--window", "2"]
    done = subprocess.run(
        [*command, *settings, "--out", str(folder), "--json"], capture_output=True, text=True, timeout=300
    )
    # Which verdict it is does not matter: this machine may be busy.
    assert done.returncode in VERDICTS, done.stderr
    found = json.loads((folder / "run.json").read_text())
    page, connector = found["operations"]["Page"], found["connector"]
    assert page["ok"] > 0 and set(page["failed"].values()) == {0}
    counted, most = connector["counters"], connector["most"]
    assert counted["requests"] >= page["counters"]["requests"] > 0 == counted["refused"]
    # Five users, and the look whether it answers; a user who begins anew may take another connection.
    assert counted["accepted"] >= 6 and counted["worker_busy_us"] > 0 == counted["closed_by_timeout"]
    assert connector["readings"] >= 2 and connector["seconds"] >= 2
    assert most["workers"] >= 2 and most["open_connections"] >= 1
    exported = subprocess.run(
        [sys.executable, "-m", "loadstone", "report", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert exported.returncode == 0, exported.stderr
    assert "Connector of the service" in (folder / "report.html").read_text()
