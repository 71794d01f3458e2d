"""Time per step, from a real engine and a server whose delays are known to the page, Markdown and CSV."""

from __future__ import annotations

import json
import time
from pathlib import Path

import duckdb
import pytest
from scripted_site import OK, site

from loadstone import report
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.scenario import load_scenario

SLOW_S = 0.05
SCENARIO = """
format = 1
name = "parts"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 4
ramp_up_s = 0
steady_s = 2
ramp_down_s = 0
[pacing]
think = 0.01
[sla]
window_s = 1
[[operation]]
name = "Home"
limit_s = 1
step = [{{ get = "/", page = true }}, {{ get = "/ajax" }}]
[[operation]]
name = "Single"
limit_s = 1
step = [{{ get = "/single" }}]
[mix]
Home = {{ Single = 1 }}
Single = {{ Home = 1 }}
"""
_BODY = b"<!doctype html><img src=/a.png>"
HOME = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


def answer(path: str, _number: int) -> bytes:
    if path == "/ajax":
        time.sleep(SLOW_S)
    return HOME if path == "/" else OK


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("steps")
    with site(answer) as port:
        path = root / "scenario.toml"
        path.write_text(SCENARIO.format(port=port), encoding="utf-8")
        scenario = load_scenario(path, {})
        job = Job(scenario, sut_of(scenario), RustEngine(), ["test"])
        measure_scenario(job, root / "run", load=None, seed=1, interrupt=Interrupt(), progress=Silent())
    return root / "run"


def test_the_slow_step_is_seen(folder: Path) -> None:
    run = report.read_chapter(folder).detail
    assert run
    home = run.summary.operations["Home"]
    connect, page, ajax = home.steps[0], home.steps[1], home.steps[-1]
    assert (connect.step, connect.part, connect.count) == (0, "connect", 4), "each user connects once"
    assert (page.step, page.request, page.part, page.count) == (0, "GET /", "answer", home.ok)
    assert (ajax.step, ajax.request, ajax.part, ajax.count) == (1, "GET /ajax", "answer", home.ok)
    assert ajax.ms.p50 is not None and ajax.ms.p50 >= 1000 * SLOW_S
    assert home.service_ms and home.service_ms.mean and ajax.ms.mean and ajax.share
    assert ajax.share == pytest.approx(ajax.ms.mean / home.service_ms.mean, rel=0.01)
    assert sum(part.share or 0 for part in home.steps) == pytest.approx(1)
    assert run.summary.operations["Single"].steps == []


def test_files_that_a_session_has_already_are_not_fetched_and_not_timed(folder: Path) -> None:
    """Each user fetches the image once: in the first second, which is part of the steady state here."""
    files = duckdb.execute(
        f"SELECT sum(count) FROM '{folder}/steps.parquet' WHERE part = 'files' AND step = 0"
    ).fetchall()
    assert files == [(4,)]


def test_it_is_shown_on_the_page_in_markdown_and_in_csv(folder: Path, tmp_path: Path) -> None:
    chapter = report.read_chapter(folder)
    page = report.page([chapter])
    assert "<strong>Time per step: where the time of each operation goes</strong>" in page
    assert "<details><summary>Time per step: table</summary>" in page
    assert "| Home | 2 | GET /ajax | its answer |" in report.summary(chapter)
    lines = (tmp_path / "steps.csv", report.write_csv(chapter, tmp_path))[0].read_text().splitlines()
    assert lines[0].startswith("operation,step,request,part,count,share,ms_mean,")
    assert any(line.startswith("Home,2,GET /ajax,answer,") for line in lines)


def test_a_folder_of_before_steps_were_timed_is_shown_without_them(folder: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    older.mkdir()
    for one in folder.iterdir():
        if one.is_file() and one.name != "steps.parquet":
            (older / one.name).write_bytes(one.read_bytes())
    content = json.loads((older / "run.json").read_text())
    for operation in content["operations"].values():
        del operation["steps"]
    (older / "run.json").write_text(json.dumps(content))
    chapter = report.read_chapter(older)
    assert "steps" not in report.all_tables(chapter)
    assert "Time per step" not in report.page([chapter])
