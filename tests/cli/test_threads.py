"""`--threads`: as many as are asked for make the load, and what is no number of threads is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import scripted_site
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.cli.measuring import thread_count
from loadstone.errors import LoadstoneError

SCENARIO = """
format = 1
name = "front"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 6
ramp_up_s = 0
steady_s = 60
ramp_down_s = 0
operations = 30
[pacing]
think = 0
[[operation]]
name = "Front"
limit_s = 60
step = [{{ get = "/" }}]
"""


@pytest.mark.parametrize(("written", "threads"), [("3", 3), ("all", len(os.sched_getaffinity(0)))])
def test_a_run_has_the_threads_that_are_asked_for(tmp_path: Path, written: str, threads: int) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with scripted_site.site(lambda _path, _number: answer) as port:
        (tmp_path / "s.toml").write_text(SCENARIO.format(port=port))
        command = ["run", str(tmp_path / "s.toml"), "--out", str(tmp_path / "run"), "--json"]
        CliRunner().invoke(app, [*command, "--threads", written])
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert told["generator"]["threads"] == threads
    assert told["operations"]["Front"]["ok"] == 30, "the sum of all threads"


@pytest.mark.parametrize("written", ["0", "-1", "2.5", "many", "1025", "9" * 400, ""])
def test_what_is_no_number_of_threads_is_refused(written: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        thread_count(written, apart=False)
    assert (refused.value.slug, refused.value.place) == ("bad-option", "--threads")


def test_all_is_about_this_machine() -> None:
    with pytest.raises(LoadstoneError, match="agents have threads on theirs"):
        thread_count("all", apart=True)
    assert thread_count("8", apart=True) == 8
    assert thread_count(None, apart=True) is None
