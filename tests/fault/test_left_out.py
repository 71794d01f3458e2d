"""What the engine left out of a hostile page is in the run's record, and is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import folders
import pytest
import scripted_site
import simulated

from loadstone import record, report
from loadstone.record.folder import measurement_of

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
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(page), page)
    with scripted_site.site(lambda path, _: whole if path == "/page" else scripted_site.OK) as port:
        (tmp_path / "s.toml").write_text(PAGE.format(port=port))
        command = ["run", str(tmp_path / "s.toml"), "--out", str(tmp_path / "run")]
        done = subprocess.run([sys.executable, "-m", "loadstone", *command], capture_output=True, text=True)
    found = json.loads((tmp_path / "run" / "run.json").read_text())
    counted = found["operations"]["Page"]["counters"]
    assert counted["images"] + counted["references_left_out"] == LINKS
    assert counted["references_left_out"] > 0
    said = f"Page: {counted['references_left_out']} references of its pages were left out"
    assert any(warning.startswith(said) for warning in found["warnings"])
    assert f"warning: {said}" in done.stderr
    assert "references left out" in report.page([report.read_chapter(tmp_path / "run")])


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
