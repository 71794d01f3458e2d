"""The study that the documentation makes up is a whole one: taken from the page, conducted, reported."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor, wait
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import loadstone.study
from loadstone.cli import app
from loadstone.cli import study as command
from loadstone.cli.options import Commands
from loadstone.measure import Interrupt
from loadstone.study.entry import Entry
from loadstone.study.order import Order, take_up
from loadstone.study.registry import STUDIES
from loadstone.study.run import begin, conclude, go_on, run
from loadstone.study.schedule import Task

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "new-study.md").read_text("utf-8")
FILES = dict(
    zip(
        ("__init__.py", "study.py", "page.py"),
        re.findall(r"```python\n(.*?)```", PAGE, flags=re.S),
        strict=True,
    )
)


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """The page's study, in a folder that `loadstone.study` looks into as well."""
    package = tmp_path / "code" / "sorts"
    package.mkdir(parents=True)
    for name, text in FILES.items():
        (package / name).write_text(text, "utf-8")
    monkeypatch.setattr(loadstone.study, "__path__", [*loadstone.study.__path__, str(package.parent)])
    for name in [name for name in sys.modules if name.startswith("loadstone.study.sorts")]:
        monkeypatch.delitem(sys.modules, name)
    found: Entry = import_module("loadstone.study.sorts").ENTRY
    monkeypatch.setitem(STUDIES, found.name, found)  # type: ignore[arg-type]
    return found


def test_the_study_of_the_page_is_conducted_and_reported(entry: Entry, tmp_path: Path) -> None:
    one = Commands()
    one.command(entry.name)(command._command(entry))
    out = tmp_path / "out"
    done = CliRunner().invoke(one, ["--quick", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "12 of 12 measured; complete" in done.output
    content = json.loads((out / "study.json").read_text("utf-8"))
    assert {way["count"] for ways in content["parts"].values() for way in ways.values()} == {3}
    again = CliRunner().invoke(one, ["--resume", str(out), "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["parts"] == content["parts"]
    made = CliRunner().invoke(app, ["report", str(out), "--out", str(tmp_path / "again.html")])
    assert made.exit_code == 0, made.output
    assert [one["key"] for one in content["findings"]] == ["small", "large"]
    assert "<h1>A heap takes " in (tmp_path / "again.html").read_text("utf-8")


class Watching:
    """Is told how a study goes on, and says nothing."""

    def begins(self, task: Task, number: int, of: int, left_s: float) -> None: ...

    def ends(self, task: Task, measured: dict[str, Any]) -> None: ...

    def failed(self, task: Task, error: str) -> None: ...


class OtherCommand(Watching):
    """Takes the study up for its other part as soon as the first has a measurement."""

    def __init__(self, entry: Entry, folder: Path) -> None:
        self.entry, self.folder, self.content = entry, folder, dict[str, Any]()

    def ends(self, task: Task, measured: dict[str, Any]) -> None:
        if not self.content:
            self.content = {"begun": True}
            study = go_on(self.entry, take_up(self.folder, self.entry.name, ("large",)))
            self.content = run(study, ["other"], Interrupt(), self, lambda words: None)


def test_commands_that_measure_other_parts_at_the_same_time_lose_nothing(
    entry: Entry, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    other = OtherCommand(entry, out)
    study = begin(entry, Order(out, "quick", ("small",)))
    content = run(study, ["first"], Interrupt(), other, lambda words: None)
    assert other.content["outcome"] == "parts-left"
    assert (content["outcome"], content["only"]) == ("complete", ["small", "large"])
    assert content["tasks"] == {"planned": 12, "done": 12, "failed": []}
    assert content == json.loads((out / "study.json").read_text("utf-8"))


def test_commands_that_conclude_at_the_same_time_wait_for_each_other(entry: Entry, tmp_path: Path) -> None:
    out = tmp_path / "out"
    study = begin(entry, Order(out, "quick", ("small",)))
    begun = run(study, ["first"], Interrupt(), Watching(), lambda words: None)
    with ThreadPoolExecutor(1) as pool:
        other = os.open(out, os.O_RDONLY)
        fcntl.flock(other, fcntl.LOCK_EX)
        concluded = pool.submit(conclude, study, begun, "complete")
        assert not wait([concluded], timeout=0.3).done
        (out / "study.json").write_text(json.dumps(begun | {"only": ["small", "large"]}), "utf-8")
        os.close(other)
        assert concluded.result()["only"] == ["small", "large"]


def test_the_page_counts_its_lines_right() -> None:
    told = {name: int(count) for name, count in re.findall(r"sorts/(\w+\.py)` \| (\d+) \|", PAGE)}
    assert told == {name: len(text.splitlines()) for name, text in FILES.items()}


def test_contracts_name_every_study() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    by_id = {one["id"]: one for one in contracts}
    packages = [f"loadstone.study.{name}" for name in sorted(STUDIES)]
    assert sorted(by_id["studies"]["modules"]) == packages
    assert sorted(by_id["chaos"]["forbidden_modules"]) == packages
