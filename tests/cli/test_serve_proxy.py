"""`loadstone serve proxy`: passes on what the server behind it answers, by every connector."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request

import pytest


def _announced(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return str(json.loads(process.stdout.readline())["url"])


@pytest.mark.parametrize("connector", ["hybrid", "threaded", "event"])
def test_it_answers_what_the_server_behind_answers(connector: str) -> None:
    behind = [sys.executable, "-m", "loadstone.study.connectors.database", "--service-ms", "1"]
    command = [sys.executable, "-m", "loadstone", "serve", "proxy", "--port", "0", "--json", "--workers", "2"]
    with subprocess.Popen(behind, stdout=subprocess.PIPE, text=True) as database:
        command = [*command, "--connector", connector, _announced(database)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            url = _announced(process)
            with urllib.request.urlopen(f"{url}/item?number=7", timeout=60) as answer:
                assert (answer.status, answer.read()) == (200, b"<p>1 row</p>\n")
                assert answer.headers["Content-Type"] == "text/html"
            with urllib.request.urlopen(f"{url}/state", timeout=60) as answer:
                assert json.load(answer)["calls"] == 1
            process.terminate()
            assert process.wait(60) == 0
        database.terminate()


def test_a_url_of_something_else_is_refused() -> None:
    command = [sys.executable, "-m", "loadstone", "serve", "proxy", "ftp://127.0.0.1", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "error[serve-options]" in done.stderr and "not the URL of a server" in done.stderr
