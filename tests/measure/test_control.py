"""The load of a run under way is changed by hand, and everybody is told."""

from __future__ import annotations

import json
import socket
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_site import OK, site
from typer.testing import CliRunner

from loadstone import report
from loadstone.cli import app
from loadstone.cli.run_table import table
from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.control import ask, stop, under_way
from loadstone.measure.engine import RustEngine
from loadstone.record import measurement_of
from loadstone.scenario import load_scenario
from loadstone.stages.run import Run
from loadstone.unit import Unit

SCENARIO = """
format = 1
name = "changed"
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
name = "A"
limit_s = 1
step = [{{ get = "/" }}]
"""


def changed(folder: Path, load: str, act: Callable[[Path], None], steady_s: float = 5) -> Run:
    """A run meanwhile `act` is done, once it takes changes."""
    failed: list[BaseException] = []

    def meanwhile() -> None:
        try:
            deadline = time.monotonic() + 60
            while not under_way(folder) and time.monotonic() < deadline:
                time.sleep(0.02)
            act(folder / "run")
        except BaseException as error:
            failed.append(error)

    with site(lambda _path, _number: OK) as port:
        path = folder / "scenario.toml"
        path.write_text(SCENARIO.format(port=port, load=load, steady_s=steady_s), encoding="utf-8")
        scenario = load_scenario(path)
        job = Job(scenario, sut_of(scenario), RustEngine(), ["test"])
        actor = threading.Thread(target=meanwhile)
        actor.start()
        run = measure_scenario(
            job, folder / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent()
        )
        actor.join(60)
    if failed:
        raise failed[0]
    return run


def test_a_rate_is_changed_and_everybody_is_told(tmp_path: Path) -> None:
    def act(folder: Path) -> None:
        file = (folder / "control.sock").stat()
        assert stat.S_ISSOCK(file.st_mode) and stat.S_IMODE(file.st_mode) == 0o600
        told = CliRunner().invoke(app, ["set", "requests-per-s", "200", "--run", str(folder)])
        assert told.exit_code == 0, told.exception
        with pytest.raises(LoadstoneError, match=r"run-control.*requests/s, not in users"):
            ask(folder, Unit.USERS, 5)
        with pytest.raises(LoadstoneError, match=r"run-control.*is no rate"):
            ask(folder, Unit.REQUESTS, 0)

    run = changed(tmp_path, "requests_per_s = 40", act)
    [event] = [event for event in run.events if event.kind == "load-changed"]
    assert run.changed and event.second is not None and event.note
    assert "changed by hand to 200 requests/s from" in event.note and event.note in run.warnings
    chapter = report.read_chapter(tmp_path / "run")
    assert "40 requests a second, changed by hand meanwhile" in report.sentence(chapter)
    assert table(run, tmp_path).startswith("changed: 40 requests/s, changed by hand, ")
    arrived = list(measurement_of(tmp_path / "run").arrived)
    assert abs(arrived[0] - 40) <= 21 and abs(arrived[-1] - 200) <= 21
    # What is judged is the load as it was.
    [check] = [check for check in run.validity.checks if check.name == "arrivals"]
    assert check.verdict == "met", check
    assert not (tmp_path / "run" / "control.sock").exists()


def test_users_join(tmp_path: Path) -> None:
    def act(folder: Path) -> None:
        ask(folder, Unit.USERS, 7)
        # However long a busy machine takes: the run ends once a second shows them.
        while not any(one["users"] == 7 for one in seconds(folder)):
            time.sleep(0.05)
        stop(folder)

    run = changed(tmp_path, "users = 2", act, steady_s=200)
    assert run.load.users == 2 and measurement_of(tmp_path / "run").users[-1] == 7


def seconds(folder: Path) -> list[dict[str, Any]]:
    """Those in the journal so far."""
    lines = (folder / "journal.ndjson").read_text().split("\n")[:-1]
    return [one["window"] for one in map(json.loads, lines) if "window" in one]


def test_who_says_nothing_holds_no_run_up(tmp_path: Path) -> None:
    held: list[socket.socket] = []

    def act(folder: Path) -> None:
        for said in (b"", b"{", b"[]\n", b"x" * 9000):
            caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            caller.connect(str(folder / "control.sock"))
            caller.sendall(said)
            held.append(caller)
        ask(folder, Unit.USERS, 3)

    run = changed(tmp_path, "users = 2", act)
    assert run.outcome == "complete" and run.changed
    for caller in held:
        caller.close()


def test_no_run_takes_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (["users", "5"], ["users", "5", "--run", "."], ["people", "5", "--run", "."]):
        told = CliRunner().invoke(app, ["set", *arguments])
        assert isinstance(told.exception, LoadstoneError) and told.exception.slug == "run-control"
