"""`loadstone serve surge`: announces its address, serves, and ends when told to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request

import pytest


@pytest.mark.parametrize("connector", ["hybrid", "threaded", "event"])
def test_it_serves_until_told_to_stop(connector: str) -> None:
    options = ["--port", "0", "--files", "20", "--seed", "3", "--profile", "surge-1998"]
    command = [
        sys.executable,
        "-m",
        "loadstone",
        "serve",
        "surge",
        *options,
        "--connector",
        connector,
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            with urllib.request.urlopen(url + "/", timeout=60) as answer:
                assert b"20 files of profile surge-1998, seed 3" in answer.read()
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert "served: accepted 1, requests 1, responses_2xx 1" in process.stderr.read()


def test_a_profile_that_is_none_is_refused() -> None:
    command = [sys.executable, "-m", "loadstone", "serve", "surge", "--port", "0", "--profile", "1998"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "error[data-options]" in done.stderr and "'measured' or 'surge-1998'" in done.stderr


@pytest.mark.parametrize(
    "options",
    [["--admission", "session"], ["--refuse"], ["--workers", "auto"]],
)
def test_what_the_connector_cannot_do_is_refused(options: list[str]) -> None:
    command = [sys.executable, "-m", "loadstone", "serve", "surge", "--port", "0", "--files", "20"]
    command += ["--connector", "threaded", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "error[serve-options]" in done.stderr and "threaded connector has no" in done.stderr


def test_a_number_of_workers_that_is_none_is_refused() -> None:
    command = [sys.executable, "-m", "loadstone", "serve", "surge", "--port", "0", "--workers", "many"]
    done = subprocess.run([*command, "--files", "20"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "error[serve-options]" in done.stderr and "`many`; there are numbers and auto" in done.stderr
