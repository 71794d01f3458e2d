"""Time per step and to first bytes, from a real engine and a server whose delays are known to every table."""

from __future__ import annotations

import json
import time
from pathlib import Path

import duckdb
import pytest
from scripted_site import OK, Slow, site

from loadstone import report
from loadstone.cli.run_table import table
from loadstone.intake import Kind
from loadstone.measure import Interrupt, Job, Silent, measure_scenario, sut_of
from loadstone.measure.engine import RustEngine
from loadstone.record.by_second import by_second
from loadstone.record.measured import read_measurement
from loadstone.scenario import load_scenario
from loadstone.stages.run import Run

RUN = Kind("run-folder", "a run", 64 << 20)
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


def answer(path: str, _number: int) -> bytes | Slow:
    if path == "/ajax":
        time.sleep(SLOW_S)
    if path == "/single":
        return Slow(OK[:-2], SLOW_S, OK[-2:])
    return HOME if path == "/" else OK


def run_record(folder: Path) -> Run:
    return Run.read(folder / "run.json", RUN)


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


def test_the_first_byte_is_told_from_the_rest_of_an_answer(folder: Path) -> None:
    run = report.read_chapter(folder).detail
    assert run
    home, single = (run.summary.operations[name] for name in ("Home", "Single"))
    first, whole = single.first_byte_ms, single.service_ms
    assert first and first.mean and whole and whole.mean and whole.p50
    # The rest of its answer comes later by that; one that began late was read in one piece.
    assert whole.p50 >= 1000 * SLOW_S and first.mean < whole.mean
    # The slow part of `Home` is before the first byte of its second answer, and not before the first one.
    (ajax,) = (part for part in home.steps if part.request == "GET /ajax" and part.part == "answer")
    assert ajax.first_byte_ms and ajax.first_byte_ms.mean and ajax.ms.mean
    assert 1000 * SLOW_S <= ajax.first_byte_ms.mean <= ajax.ms.mean
    assert home.first_byte_ms and home.first_byte_ms.mean and home.service_ms and home.service_ms.mean
    assert home.first_byte_ms.mean + ajax.ms.mean < home.service_ms.mean * 1.001
    assert all(part.first_byte_ms is None for part in home.steps if part.part != "answer")


def test_first_bytes_are_in_the_table_of_the_terminal(folder: Path) -> None:
    result = run_record(folder)
    lines = table(result, folder).splitlines()
    (head,) = (line for line in lines if line.startswith("operation"))
    (home,) = (line for line in lines if line.startswith("Home"))
    assert head.endswith("  first byte p50 ms")
    first = result.operations["Home"].first_byte_ms
    assert first and home.split()[-1] == f"{first.p50:.1f}"


def test_a_folder_of_before_first_bytes_were_timed_has_none(folder: Path, tmp_path: Path) -> None:
    for one in folder.glob("*.parquet"):
        (tmp_path / one.name).write_bytes(one.read_bytes())
    for name, column in (("histograms", "kind"), ("steps", "part")):
        duckdb.execute(
            f"COPY (SELECT * FROM '{folder}/{name}.parquet' WHERE {column} <> 'first_byte') "
            f"TO '{tmp_path}/{name}.parquet' (FORMAT parquet)"
        )
    plan = json.loads((folder / "workload.json").read_text())
    now, then = (read_measurement(one, plan, 1, None).operations for one in (folder, tmp_path))
    for new, old in zip(now, then, strict=True):
        assert new.first_byte.count == new.ok.sum() and not old.first_byte.count
        assert [(one.part, one.times.count) for one in new.steps] == [
            (one.part, one.times.count) for one in old.steps
        ]
        assert not any(one.first_byte.count for one in old.steps)
    with duckdb.connect() as connection:
        known = by_second(connection, tmp_path).filter("response_ms_p50 IS NOT NULL")
        assert known.aggregate("count(*) > 0, count(first_byte_ms_p50)").fetchall() == [(True, 0)]
        known = by_second(connection, folder).filter("response_ms_p50 IS NOT NULL")
        assert known.aggregate("count(*) = count(first_byte_ms_p50)").fetchall() == [(True,)]


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
    assert "ms of it to the first byte" in page
    assert "first byte p50, ms" in report.summary(chapter)
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
        del operation["steps"], operation["first_byte_ms"]
    (older / "run.json").write_text(json.dumps(content))
    chapter = report.read_chapter(older)
    assert "steps" not in report.all_tables(chapter)
    assert "first byte p50 ms" not in table(run_record(older), older)
    assert "Time per step" not in report.page([chapter])
