"""The report of a run whose sessions were lost: its numbers are those of the record."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from scripted_site import OK, SCENARIO, site

from loadstone import cli, report


def loadstone(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["loadstone", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_the_page_tells_of_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    with site(lambda path, _number: None if path.endswith("7/second") else OK) as port:
        path = tmp_path / "scenario.toml"
        path.write_text(SCENARIO.format(port=port, timeout_s=1), encoding="utf-8")
        # Operations failed; on a busy machine the generator may be late besides.
        load = ("--set", "load.sessions_per_s=15", "--set", "load.steady_s=4")
        assert loadstone(monkeypatch, "run", str(path), *load, "--out", str(folder)) in (5, 7)
    out = capsys.readouterr().out
    assert "sessions: 15 sessions/s, 4 s steady" in out
    assert "sessions: 60 begun, 54 completed (90.00 %), 6 lost (timeout 6), 0 unfinished, 0 dropped" in out
    assert loadstone(monkeypatch, "report", str(folder)) == 0
    page = (folder / "report.html").read_text("utf-8")
    assert "90 % of the sessions that began in the steady state were completed." in page
    assert "15 sessions a second" in page and "Life of the completed sessions" in page
    table = report.all_tables(report.read_chapter(folder))["sessions"]
    steady, whole = table.rows
    recorded = json.loads((folder / "run.json").read_text("utf-8"))["sessions"]
    for row, part in ((steady, recorded), (whole, recorded["whole_run"])):
        assert {key: row[key] for key in ("begun", "completed", "timeout", "completed_per_s")} == {
            "begun": 60,
            "completed": 54,
            "timeout": 6,
            "completed_per_s": part["completed_per_s"],
        }


def test_a_number_of_users_is_refused_where_sessions_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO.format(port=1, timeout_s=1), encoding="utf-8")
    assert loadstone(monkeypatch, "run", str(path), "--users", "5", "--out", str(tmp_path / "none")) == 2
    said = capsys.readouterr().err
    assert "error[open-workload]" in said and "scenario.toml:7, [load.sessions_per_s]" in said
    assert not (tmp_path / "none").exists()
