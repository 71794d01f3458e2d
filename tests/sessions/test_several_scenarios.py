"""Several scenarios in one run: whose requests come, and what the record says of each."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import scripted_site
from typer.testing import CliRunner

import loadstone
from loadstone.cli import app
from loadstone.report.folder import read_chapter
from loadstone.report.run_tables import run_tables
from loadstone.stages.run import Run

READERS = """\
format = 1
name = "readers"
[target]
url = "http://127.0.0.1:{port}"
[pacing]
think = 0.05
[[operation]]
name = "Page"
limit_s = 1
step = [{{ get = "/{{user}}/read" }}]
"""
EDITORS = READERS.replace("/read", "/edit").replace('name = "readers"', 'name = "editors"').replace(
    "[pacing]", "[session]\nmax_operations = 2\n[pacing]"
)  # fmt: skip
BOTH = """\
format = 1
name = "both"
[load]
{load}
ramp_up_s = 0
steady_s = 2
ramp_down_s = {rest}
[sla]
window_s = 2
[[scenario]]
file = "readers.toml"
share = 0.7
[[scenario]]
file = "editors.toml"
share = 0.3
"""


def run(folder: Path, load: str, rest: int = 0) -> tuple[Run, Counter[str]]:
    """The record, and how many users, sessions or requests asked for each page."""
    asked: set[str] = set()

    def answer(path: str, _number: int) -> bytes | None:
        asked.add(path)
        return scripted_site.OK

    with scripted_site.site(answer) as port:
        (folder / "readers.toml").write_text(READERS.format(port=port))
        (folder / "editors.toml").write_text(EDITORS.format(port=port))
        (folder / "both.toml").write_text(BOTH.format(load=load, rest=rest))
        words = ["run", str(folder / "both.toml"), "--out", str(folder / "run")]
        done = CliRunner().invoke(app, words)
    assert (folder / "run/run.json").is_file(), done.output
    return loadstone.open(folder / "run").run, Counter(path.rpartition("/")[2] for path in asked)


@pytest.mark.parametrize("users", [10, 13, 20])
def test_users_are_of_their_scenario(tmp_path: Path, users: int) -> None:
    record, asked = run(tmp_path, f"users = {users}")
    assert sum(asked.values()) == users
    assert abs(asked["read"] - 0.7 * users) < 1, asked
    assert users % 10 or asked["read"] == 7 * users // 10
    readers, editors = record.scenarios
    assert (readers.name, readers.share, editors.name, editors.share) == ("readers", 0.7, "editors", 0.3)
    assert readers.count == record.operations["readers.Page"].count > 0
    assert readers.count_share and editors.count_share
    assert readers.count_share + editors.count_share == pytest.approx(1)
    assert readers.sessions and readers.sessions.completed == 0, "its users never end a session"
    assert editors.sessions and editors.sessions.completed > 0
    assert record.operations["readers.Page"].mix_share == record.operations["editors.Page"].mix_share == 1


def test_sessions_are_of_their_scenario(tmp_path: Path) -> None:
    record, asked = run(tmp_path, "sessions_per_s = 20", rest=1)
    assert record.sessions and record.sessions.begun == 40
    readers, editors = record.scenarios
    assert readers.sessions and editors.sessions
    assert (readers.sessions.begun, editors.sessions.begun) == (28, 12) == (asked["read"], asked["edit"])
    assert readers.sessions.begun_share == 0.7
    table = loadstone.open(tmp_path / "run").table("sessions")
    counted = table.aggregate("scenario, sum(begun)", "scenario").order("scenario").fetchall()
    assert counted == [("editors", 12), ("readers", 28)]


def test_requests_are_of_their_scenario(tmp_path: Path) -> None:
    record, asked = run(tmp_path, "requests_per_s = 20")
    readers, editors = record.scenarios
    assert abs(asked["read"] - 0.7 * sum(asked.values())) < 1 and sum(asked.values()) > 20, asked
    assert readers.count > editors.count > 0 and readers.sessions is None


def test_the_record_and_the_page_tell_of_each(tmp_path: Path) -> None:
    run(tmp_path, "users = 10")
    recorded = json.loads((tmp_path / "run/run.json").read_text())
    assert [one["name"] for one in recorded["scenarios"]] == ["readers", "editors"]
    again = CliRunner().invoke(app, ["check", str(tmp_path / "run/scenario.toml")])
    assert again.exit_code == 0, again.output
    assert "readers 70 %, editors 30 % of the users" in again.stdout
    detail = read_chapter(tmp_path / "run").detail
    assert detail
    tables = {table.slug: table for table in run_tables(detail) if table}
    assert [row["scenario"] for row in tables["scenarios"].rows] == ["readers", "editors"]
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "run")])
    assert shown.exit_code == 0, shown.output
