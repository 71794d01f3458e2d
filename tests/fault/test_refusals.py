"""What is refused before the first packet, and before any work is put into it."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import folders
import pytest
import simulated
from typer.testing import CliRunner

from loadstone import cli, record
from loadstone.errors import LoadstoneError
from loadstone.measure import External, Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.scenario import load_scenario


def refused(*arguments: str) -> LoadstoneError:
    """The error that the command ends with."""
    result = CliRunner().invoke(cli.app, list(arguments))
    assert isinstance(result.exception, LoadstoneError), result.output
    return result.exception


def test_a_search_from_above_its_end() -> None:
    error = refused("capacity", "olio", "--from", "50", "--to", "20")
    assert (error.slug, error.exit_code) == ("search-range", 2)


@pytest.mark.parametrize("command", ["run olio", "capacity olio", "olio load --accounts 100"])
def test_a_folder_that_is_a_file_or_in_use_or_below_a_file(command: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    for out, slug in ((file, "folder-in-use"), (tmp_path, "folder-in-use"), (file / "x", "cannot-write")):
        assert refused(*command.split(), "--out", str(out)).slug == slug


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LoadstoneError) as caught:
        record.begin(tmp_path / "file" / "run", folders.beginning(simulated.plan()))
    assert (caught.value.slug, caught.value.exit_code) == ("cannot-write", 4)


def test_a_used_folder_is_refused_before_the_data_is_reset(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    sut = External("http://127.0.0.1:1", "127.0.0.1", 1, reset=f"touch {tmp_path / 'was-reset'}")
    engine = simulated.SimulatedEngine(lambda _users: lambda _rng, _name: 0.01)
    job = Job(load_scenario("page"), sut, engine, [])
    with pytest.raises(LoadstoneError, match=r"error\[folder-in-use\]"):
        measure_scenario(job, tmp_path / "run", load=1, seed=1, interrupt=Interrupt(), progress=Silent())
    assert not (tmp_path / "was-reset").exists()


def test_of_a_plan_that_the_engine_refuses_no_folder_stays(tmp_path: Path) -> None:
    class Refusing(simulated.SimulatedEngine):
        def start(self, plan_json: str) -> simulated.SimulatedRun:
            raise LoadstoneError("plan-refused", "too many users for this machine")

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        sut = External("http://127.0.0.1", "127.0.0.1", port)
        engine = Refusing(lambda _users: lambda _rng, _name: 0.01)
        job = Job(load_scenario("page"), sut, engine, [])
        with pytest.raises(LoadstoneError, match=r"error\[plan-refused\]"):
            measure_scenario(job, tmp_path / "run", load=1, seed=1, interrupt=Interrupt(), progress=Silent())
    assert not (tmp_path / "run").exists()


def test_the_built_in_application_takes_no_process_and_no_reset() -> None:
    assert refused("run", "olio", "--sut-pid", "1").slug == "target"
    assert refused("capacity", "olio", "--reset", "true").slug == "target"


def test_the_scenario_may_say_how_to_reset_its_site(tmp_path: Path) -> None:
    text = Path(load_scenario("page").path).read_text()
    assert 'url = "' in text
    file = tmp_path / "s.toml"
    file.write_text(text.replace("[target]\n", '[target]\nreset = "./restore.sh"\n'))
    sut = sut_of(load_scenario(file))
    assert isinstance(sut, External) and sut.reset == "./restore.sh"
    sut = sut_of(load_scenario(file), reset="true")
    assert isinstance(sut, External) and sut.reset == "true"
    elsewhere = sut_of(load_scenario(file, {"target.url": "http://127.0.0.1:2"}))
    assert isinstance(elsewhere, External) and elsewhere.reset is None
    both = {"target.reset": "mine", "target.url": "http://127.0.0.1:2"}
    elsewhere = sut_of(load_scenario(file, both))
    assert isinstance(elsewhere, External) and elsewhere.reset == "mine"
    with pytest.raises(LoadstoneError, match=r"error\[target\]"):
        load_scenario("olio", {"target.reset": "./restore.sh"})


@pytest.mark.parametrize(
    "options", [[], ["--users", "10", "--accounts", "100"], ["--users", "1", "--profile", "x"]]
)
def test_a_data_set_of_no_size(options: list[str]) -> None:
    error = refused("olio", "load", *options)
    assert (error.slug, error.exit_code) == ("data-options", 2)


def test_a_data_set_of_no_day(tmp_path: Path) -> None:
    options = ["--accounts", "100", "--base-day", "2008-13-45", "--out", str(tmp_path / "data")]
    assert refused("olio", "load", *options).slug == "data-options"


@pytest.mark.parametrize("options", [["--data", "nowhere"], ["--data", "memory", "--cache", "everything"]])
def test_a_service_that_cannot_be(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refused("serve", "olio", "--port", "0", "--accounts", "100", *options)
    assert (error.slug, error.exit_code) == ("serve-options", 2)


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    assert refused("run", "olio", "--out", str(folder)).slug == "run-folder"
    folder.mkdir()
    assert refused("report", str(folder)).slug == "report-folder"


def test_a_command_line_that_is_no_text_is_kept(tmp_path: Path) -> None:
    command = ["loadstone", os.fsdecode(b"\xff.toml")]
    record.write_json(tmp_path / "x.json", {"command": command})
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == {"command": command}


def test_what_nobody_foresaw_is_our_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("of nothing")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 4
    assert "error[internal]: ZeroDivisionError: of nothing" in capsys.readouterr().err
