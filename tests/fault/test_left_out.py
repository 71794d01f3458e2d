"""What the engine left out of a page is in the run's record, and is told; so is what failed."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import folders
import pytest
import scripted_site
import simulated

from loadstone import record, report
from loadstone.record.folder import measurement_of
from loadstone.stages.run import Failure
from loadstone.stages.run_before import from_format_2

PAGE = """
format = 1
name = "page"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 1
ramp_up_s = 0
steady_s = 600
ramp_down_s = 0
timeout_s = 60
operations = 1
[pacing]
think = 0.05
[sla]
window_s = 600
[[operation]]
name = "Page"
limit_s = 60
step = [{{ get = "/page", page = true }}]
"""
LINKS = 6_000


def test_references_that_were_left_out_reach_the_record_and_the_terminal(tmp_path: Path) -> None:
    page = "".join(f"<img src=/{number}>" for number in range(LINKS)).encode()
    found, _, told = run_page(tmp_path, page_of(page))
    counted = found["operations"]["Page"]["counters"]
    assert counted["images"] + counted["references_left_out"] == LINKS
    assert counted["references_left_out"] > 0
    said = f"Page: {counted['references_left_out']} references of its pages were left out"
    assert any(warning.startswith(said) for warning in found["warnings"])
    assert f"warning: {said}" in told
    assert "references left out" in report.page([report.read_chapter(tmp_path / "run")])


def run_page(folder: Path, script: scripted_site.Script) -> tuple[dict[str, Any], str, str]:
    """`run.json` of a run of `PAGE`, and what the command said: on stdout, on stderr."""
    return commanded(folder, PAGE, script)[1:]


def commanded(
    folder: Path, scenario: str, script: scripted_site.Script
) -> tuple[int, dict[str, Any], str, str]:
    """The exit code and `run.json` of a run, and what the command said: on stdout, on stderr."""
    with scripted_site.site(script) as port:
        (folder / "s.toml").write_text(scenario.format(port=port))
        command = ["run", str(folder / "s.toml"), "--out", str(folder / "run")]
        done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    run = json.loads((folder / "run" / "run.json").read_text())
    return done.returncode, run, done.stdout, done.stderr


def page_of(markup: bytes) -> scripted_site.Script:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(markup), markup)
    return lambda path, _: whole if path == "/page" else scripted_site.OK


def test_files_on_another_host_are_counted_and_the_remedy_is_told(tmp_path: Path) -> None:
    """A site that was installed as `localhost` and is measured as 127.0.0.1."""
    alias = b"<img src=http://localhost:80/a.png><script src=//cdn.example/b.js></script><img src=/c.png>"
    run, _, told = run_page(tmp_path, page_of(alias))
    counted = run["operations"]["Page"]["counters"]
    assert (counted["references_other_host"], counted["images"]) == (2, 1)
    said = (
        "Page: 2 references of its pages to other hosts were left out, the first is http://localhost:80/a.png"
    )
    [warning] = [one for one in run["warnings"] if "other hosts" in one]
    assert warning.startswith(said) and f"warning: {warning}" in told


def test_a_failure_is_told_by_operation_and_cause_with_the_first_example(tmp_path: Path) -> None:
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    run, _, told = run_page(tmp_path, lambda _path, _number: missing)
    [failure] = run["failures"]
    assert (failure["operation"], failure["cause"], failure["count"]) == ("Page", "status", 1)
    assert failure["example"] == "GET /page: status 404, expected 200"
    assert 0 <= failure["at_s"] < 60
    assert "failed: Page: 1 by status, the first at 0." in told


MANY = """
format = 1
name = "blog"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 20
ramp_up_s = 1
steady_s = 4
ramp_down_s = 0
[pacing]
cycle = 0.4
[[operation]]
name = "Post"
limit_s = 1
step = [{{ get = "/post" }}]
[[operation]]
name = "Front"
limit_s = 1
step = [{{ get = "/front" }}]
[mix]
Post = {{ Post = 0.6, Front = 0.4 }}
Front = {{ Post = 0.6, Front = 0.4 }}
"""


@pytest.mark.long
def test_a_service_that_answers_most_with_404_has_failed_and_nothing_hangs(tmp_path: Path) -> None:
    """Three posts in five, and a little more: the links of a blog whose addresses were not set up."""
    numbers = itertools.count()
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

    def script(path: str, _: int) -> bytes:
        return missing if path == "/post" or next(numbers) % 20 == 0 else scripted_site.OK

    code, run, _, told = commanded(tmp_path, MANY, script)
    counted = run["operations"]
    failed = sum(one["failed"]["status"] for one in counted.values())
    share = failed / sum(one["count"] for one in counted.values())
    assert 0.5 < share < 0.75
    # A busy machine may make the generator late, which is worse: then the run says nothing.
    checks = run["validity"]["checks"]
    busy = any(one["about"] == "generator" and one["verdict"] == "missed" for one in checks)
    assert (code, run["validity"]["state"]) == ((7, "invalid") if busy else (5, "failed"))
    post = run["failures"][0]
    assert (post["operation"], post["cause"]) == ("Post", "status")
    said = f"failed: Post: {post['count']} by status, the first at {post['at_s']:.1f} s: "
    assert f"{said}GET /post: status 404, expected 200" in told
    assert f"missed: error-rate: {100 * share:.3f} %" in told
    assert not re.search(r"\bhang|time out", told), "nothing did"


def test_failures_of_an_older_record_are_sentences() -> None:
    sentence = "Page: GET /page: status 404, expected 200"
    [failure] = from_format_2({"failures": [sentence]})["failures"]
    assert Failure(**failure).told() == sentence


@pytest.fixture
def complete(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    plan = simulated.plan(users=3, ramp_up_s=0.0, steady_s=2.0, ramp_down_s=0.0)
    journal = record.begin(folder, folders.beginning(plan))
    for window in simulated.windows(plan, lambda rng, _: rng.uniform(0.01, 0.05)):
        journal.window(window)
    journal.close()
    record.recover(folder)
    return folder


def test_a_folder_that_is_older_than_the_counter_is_still_read(complete: Path) -> None:
    table = complete / "windows.parquet"
    duckdb.sql(
        f"COPY (SELECT * EXCLUDE (references_left_out) FROM '{table}') TO '{table}.old' (FORMAT parquet)"
    )
    Path(f"{table}.old").replace(table)
    counted = [operation.counters for operation in measurement_of(complete).operations]
    assert all(one["references_left_out"].sum() == 0 for one in counted)
    assert sum(one["requests"].sum() for one in counted) > 0
