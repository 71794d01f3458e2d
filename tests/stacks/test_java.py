"""What is special to the stack in Java: its own tests."""

from __future__ import annotations

import re
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from stack_sites import DATA

from loadstone.site.stack import FOLDER
from loadstone.site.stack.running import Wanted, database_of, prepared, running, set_up

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(900)]


def test_its_own_tests_pass(tmp_path: Path) -> None:
    set_up("java")
    command = ["mvn", "-q", "-B", "-f", str(FOLDER / "java/pom.xml"), f"-Dolio.build={tmp_path}", "test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    reports = [report.read_text() for report in (tmp_path / "surefire-reports").glob("*.txt")]
    assert sum(int(re.findall(r"Tests run: (\d+)", report)[0]) for report in reports) >= 40


@pytest.mark.parametrize("fresh", ["sqlite"], indirect=True)
def test_it_asks_itself_before_it_takes_requests(fresh: str, capfd: pytest.CaptureFixture[str]) -> None:
    options = {"warm_up_s": 3, "cache": "page", "cache_store": "files"}
    with prepared(DATA) as (files, state):
        wanted = Wanted("java", database_of(fresh), files, state, options=options)
        begun_s = time.monotonic()
        with running(wanted) as site:
            assert time.monotonic() - begun_s > options["warm_up_s"]
            kept = [path for path in (state / "cache").rglob("*") if path.is_file()]
            assert kept, "it has asked for the home page, which its cache keeps"
            with urllib.request.urlopen(site.url) as answer:
                assert answer.status == 200
    assert "warms up no further" not in capfd.readouterr().err
