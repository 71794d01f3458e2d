"""A run from the form to its record: every figure of the page is the record's."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from scripted_site import OK, site
from served_page import Served, scenario, served, until

from loadstone.intake import Kind
from loadstone.judge import Histogram
from loadstone.measure.control import answers
from loadstone.stages.run import Run
from loadstone.ui.launch import Launcher
from loadstone.ui.words import failures, judged

KIND = Kind("run-folder", "a record of a run", 1 << 20)
WRONG = b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A site of which one page is always wrong."""
    with site(lambda path, _number: WRONG if path == "/other" else OK) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("page")) as found:
        yield found


def told_of(page: Served, name: str) -> dict[str, list[Any]]:
    """Everything that the page is told of a run, by kind, until it is over."""
    told: dict[str, list[Any]] = {}
    for kind, content in page.events(name):
        told.setdefault(kind, []).append(content)
    return told


def test_every_figure_is_the_records(page: Served, port: int) -> None:
    scenario(page.folder, port, steady_s=4)
    name = page.run(load="4")
    told = told_of(page, name)
    assert page.state(name) == "ended"
    assert page.get(f"runs/{name}/report")[1].startswith(b"<!doctype html>")
    folder = page.folder / "runs" / name
    run = Run.read(folder / "run.json", KIND)
    assert told["begun"][0]["asked"] == 4 == run.load.users
    assert told["record"][-1] == json.loads(json.dumps(judged(run, True)))
    last = told["seconds"][-1]
    # What is told last while the run goes on is the record's own.
    assert last["failures"] == failures(run.failures) and run.failures[0].example
    assert last["left_s"] == 0
    seconds = [one for some in told["seconds"] for one in some["seconds"]]
    assert [one["second"] for one in seconds] == list(range(len(seconds)))
    assert seconds[-1]["failed"] == sum(one.count or 0 for one in run.failures)
    tables = {one: f"read_parquet('{folder / one}.parquet')" for one in ("windows", "histograms", "engine")}
    with duckdb.connect() as connection:
        for one in seconds:
            span = f"second > {one['second']} - 5 AND second <= {one['second']}"
            length = min(5, one["second"] + 1)
            found = connection.execute(f"SELECT sum(ok) FROM {tables['windows']} WHERE {span}").fetchone()
            assert found and one["ok_per_s"] == pytest.approx(int(found[0] or 0) / length)
            rows = connection.execute(
                f"SELECT bucket, count FROM {tables['histograms']} WHERE kind = 'response' AND {span}"
            ).fetchall()
            times = Histogram.of([row[0] for row in rows], [row[1] for row in rows])
            for quantile, share in (("p50_ms", 0.5), ("p90_ms", 0.9), ("p99_ms", 0.99)):
                value = times.quantile_us(share)
                known = times.count * (1 - share) >= 0.999 and value is not None
                assert one[quantile] == (value / 1000 if known and value is not None else None)
            users = connection.execute(f"SELECT users FROM {tables['engine']} WHERE second = {one['second']}")
            assert users.fetchone() == (one["load"],)


def test_its_load_is_changed_and_it_is_stopped(page: Served, port: int) -> None:
    scenario(page.folder, port, steady_s=3600)
    name = page.run()
    folder = page.folder / "runs" / name
    told: dict[str, list[Any]] = {}
    thread = threading.Thread(target=lambda: told.update(told_of(page, name)))
    thread.start()
    until(lambda: answers(folder))
    status, said = page.post(f"runs/{name}/load", 0)
    assert status == 422 and "error[run-control]" in said["error"]
    assert page.post(f"runs/{name}/load", "many")[0] == 400
    assert page.get(f"runs/{name}/report")[0] == 422, "it is still going on"
    status, said = page.post("runs", {"scenario": "tiny.toml"})
    assert status == 422 and "run-going-on" in said["error"], "two would disturb each other"
    status, said = page.post(f"runs/{name}/load", 9)
    assert status == 200, said
    until(lambda: "load-changed" in (folder / "journal.ndjson").read_text())
    assert page.post(f"runs/{name}/stop", {})[0] == 200
    thread.join()
    run = Run.read(folder / "run.json", KIND)
    assert run.outcome == "interrupted" and run.changed
    assert told["seconds"][-1]["wanted"] == 9
    assert any("changed by hand to 9 users" in note for note in told["seconds"][-1]["notes"])
    assert told["record"][-1]["outcome"] == "interrupted" and told["state"][-1]["state"] == "ended"


def test_it_outlives_the_page_and_the_next_one_finds_it(tmp_path: Path, port: int) -> None:
    scenario(tmp_path, port, steady_s=3600)
    with served(tmp_path) as first:
        name = first.run()
        folder = tmp_path / "runs" / name
        until(lambda: answers(folder))
    assert answers(folder), "Ctrl-C ended the page only"
    with served(tmp_path) as second:
        second.process.kill()
        second.process.wait()
    with served(tmp_path) as third:
        assert third.state(name) == "running"
        events = third.events(name)
        assert any(kind == "begun" for kind, _ in events)
        assert third.post(f"runs/{name}/stop", {})[0] == 200
        assert [kind for kind, _ in events][-1] == "over"
        assert third.state(name) == "ended"
    assert Run.read(folder / "run.json", KIND).outcome == "interrupted"


def test_a_service_that_is_not_there_is_told(page: Served) -> None:
    scenario(page.folder, 1)
    name = page.run()
    told = told_of(page, name)
    assert told["state"][-1]["state"] == "failed"
    assert "error[sut-unreachable]" in told["state"][-1]["said"]
    assert page.state(name) == "failed" and not (page.folder / "runs" / name).exists()


def test_a_run_that_failed_keeps_its_name(tmp_path: Path) -> None:
    launcher = Launcher(tmp_path, lambda _scenario: Path("same-second"))
    names = []
    for _ in range(2):
        folder, process = launcher.start(tmp_path / "runs", "none.toml", ["none.toml"])
        until(lambda gone=process: not gone.lives)
        assert not folder.exists(), "it failed before it had measured anything"
        names.append(folder.name)
    assert names == ["same-second", "same-second-2"]


def test_two_runs_are_compared(page: Served, port: int) -> None:
    scenario(page.folder, port, steady_s=1)
    names = []
    for _ in range(2):
        names.append(page.run())
        told_of(page, names[-1])
    status, body, headers = page.get(f"compare?old={names[0]}&new={names[1]}&anyway=yes")
    assert status == 200 and b"<!doctype html>" in body
    assert headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert [row["name"] for row in page.json("runs") if row["name"] in names] == names[::-1]
    assert page.json(f"comparable?old={names[0]}&new={names[1]}&anyway=yes") == {"refused": ""}


def test_a_comparison_that_is_refused_is_told_in_words(page: Served, port: int) -> None:
    names = []
    for load in ("users = 3", "users = 4"):
        scenario(page.folder, port, load=load, steady_s=1)
        names.append(page.run())
        told_of(page, names[-1])
    # A busy machine makes runs invalid, and those are refused before they are looked at.
    query = f"old={names[0]}&new={names[1]}"
    said = page.json(f"comparable?{query}")
    assert said["anyway"] and said["refused"] and "error[" not in said["refused"]
    assert page.json(f"comparable?{query}&anyway=yes") == {"refused": ""}
    status, body, headers = page.get(f"compare?{query}", Accept="text/html")
    assert status == 422 and headers["Content-Type"].startswith("text/plain")
    assert body.decode().startswith("error[compare-") and said["refused"] in body.decode()
