"""The form refuses what the command line refuses, in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest
from served_page import scenario
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.cli.ui import Form
from loadstone.errors import LoadstoneError
from loadstone.ui import Fields

CASES = [
    ({"scenario": "nowhere.toml"}, "scenario"),
    ({"scenario": ""}, "scenario"),
    ({"scenario": "page", "load": "many"}, "load"),
    ({"scenario": "page", "load": "0"}, "load"),
    ({"scenario": "page", "window": "0.5"}, "window"),
    ({"scenario": "page", "window": "1e30"}, "window"),
    ({"scenario": "page", "target": "ftp://x"}, "target"),
    ({"scenario": "page", "target": "nonsense"}, "target"),
    ({"scenario": "page", "goals": "faster please"}, "goals"),
    ({"scenario": "page", "seed": "-1"}, "seed"),
    ({"scenario": "page", "sla": "7"}, "sla"),
    ({"scenario": "rate.toml", "load": "-4"}, "load"),
    ({"scenario": "broken.toml"}, "scenario"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    scenario(tmp_path, 1, load="requests_per_s = 5\nconnections = 2")
    (tmp_path / "tiny.toml").rename(tmp_path / "rate.toml")
    (tmp_path / "broken.toml").write_text("format = 1\n[[operation]]\nname = 5\n", encoding="utf-8")
    (tmp_path / "topology.toml").write_text('[[host]]\nname = "h1"\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("filled", "field"), CASES)
def test_the_words_are_the_command_lines_own(here: Path, filled: dict[str, str], field: str) -> None:
    arguments, problems = Form().checked(Fields.of(filled))
    told = CliRunner().invoke(app, ["run", *arguments])
    assert problems and {one.field for one in problems} == {field}
    if isinstance(told.exception, LoadstoneError):
        assert str(told.exception) == "\n".join(one.message for one in problems)
    else:
        [problem] = problems
        words = "".join(letter for letter in told.output if letter.isalnum())
        assert told.exit_code == 2
        assert "".join(letter for letter in problem.message if letter.isalnum()) in words
    assert not (here / "runs").exists()


def test_what_is_right_is_what_people_would_type(here: Path) -> None:
    fields = Fields.of(
        {
            "scenario": "rate.toml",
            "load": " 7 ",
            "window": "9",
            "goals": "failed < 1 %\n\nevery p95 < 300 ms\n",
        }
    )
    arguments, problems = Form().checked(fields)
    assert problems == []
    goals = ["--goal=failed < 1 %", "--goal=every p95 < 300 ms"]
    assert arguments == ["--set=load.requests_per_s=7", "--window=9", *goals, "--", "rate.toml"]


def test_a_name_that_looks_like_an_option_is_a_name(here: Path) -> None:
    _, [problem] = Form().checked(Fields.of({"scenario": "--help"}))
    assert problem.field == "scenario" and "`--help`" in problem.message


def test_scenarios_are_the_built_in_ones_and_those_of_the_folder(here: Path) -> None:
    listed = Form().scenarios()
    assert listed[-2:] == ["broken.toml", "rate.toml"] and "olio" in listed
    assert "topology.toml" not in listed
    choice = Form().choice("rate.toml")
    assert (choice.unit, choice.load, choice.window_s, choice.target) == (
        "requests/s",
        5,
        2,
        "http://127.0.0.1:1",
    )
    with pytest.raises(LoadstoneError):
        Form().choice("broken.toml")
