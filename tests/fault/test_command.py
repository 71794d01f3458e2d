"""`loadstone run` with the real engine: exit codes when the service is fine, slow, absent and dying."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import sites

from loadstone import record

PACKAGE = Path(record.__file__).parents[2]
PATIENCE_S = 240
"""Nothing here is timed: this only bounds a test that would wait for ever."""


def loadstone(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "loadstone", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    )


def soon(folder: Path, deed: Callable[[], None]) -> None:
    """Does it when three seconds are in the journal, however long a busy machine takes to start."""

    def wait() -> None:
        journal = folder / "journal.ndjson"
        deadline = time.monotonic() + PATIENCE_S / 2
        while not (journal.is_file() and journal.read_bytes().count(b'{"window":') >= 3):
            if time.monotonic() > deadline:
                return
            time.sleep(0.05)
        deed()

    threading.Thread(target=wait, daemon=True).start()


def test_a_good_run_ends_with_a_table_and_its_verdict(tmp_path: Path) -> None:
    with sites.token_bucket(1000) as (server, port):
        # Some 40 operations: half as many would hold the SLA and leave its verdict open.
        scenario = sites.scenario(tmp_path / "s.toml", port, ramp_up_s=1, steady_s=4)
        folder = tmp_path / "run"
        # A goal that a fine service meets on the busiest machine.
        goal = ("--set", "operation.Page.limit_s=9")
        watched = ("--sut-pid", str(server.pid))
        with loadstone("run", str(scenario), "--out", str(folder), *watched, *goal) as process:
            output, said = process.communicate(timeout=PATIENCE_S)
    result = json.loads((folder / "run.json").read_text())
    # A busy machine may make the generator late: then the run is invalid, and the exit code says so.
    assert process.returncode == {"valid": 0, "inconclusive": 6, "invalid": 7}[result["validity"]["state"]], (
        said
    )
    assert "Page" in output and "SLA-1: met" in output
    assert result["outcome"] == "complete"
    assert result["operations"]["Page"]["count"] >= 10
    assert result["sut"]["rss_bytes_max"] > 1e6
    assert "10 users into" in said


def test_a_slow_service_misses_the_sla(tmp_path: Path) -> None:
    with sites.token_bucket(2) as (_, port):
        scenario = sites.scenario(tmp_path / "s.toml", port, ramp_up_s=1, steady_s=3)
        with loadstone("run", str(scenario), "--out", str(tmp_path / "run"), "--json") as process:
            output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (1, 7), "slow is not wrong; a busy machine may make the generator late"
    assert json.loads(output)["goals"]["SLA-1"]["verdict"] == "missed"


def test_nobody_there_is_exit_3_and_no_folder(tmp_path: Path) -> None:
    with sites.token_bucket(10) as (_, port):
        pass
    scenario = sites.scenario(tmp_path / "s.toml", port, ramp_up_s=1, steady_s=2)
    with loadstone("run", str(scenario), "--out", str(tmp_path / "run")) as process:
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert "error[sut-unreachable]" in said
    assert not (tmp_path / "run").exists()


def test_a_service_that_dies_is_exit_3_and_everything_is_kept(tmp_path: Path) -> None:
    with sites.token_bucket(1000) as (server, port):
        scenario = sites.scenario(tmp_path / "s.toml", port, ramp_up_s=1, steady_s=60)
        folder = tmp_path / "run"
        soon(folder, server.kill)
        with loadstone("run", str(scenario), "--out", str(folder)) as process:
            _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert "error[sut-died]" in said
    result = json.loads((folder / "run.json").read_text())
    assert result["outcome"] == "sut-died"
    assert result["operations"]["Page"]["ok"] > 0
    assert result["failures"]


def test_ctrl_c_ends_the_run_early(tmp_path: Path) -> None:
    with sites.token_bucket(1000) as (_, port):
        scenario = sites.scenario(tmp_path / "s.toml", port, ramp_up_s=1, steady_s=60)
        folder = tmp_path / "run"
        with loadstone("run", str(scenario), "--out", str(folder)) as process:
            soon(folder, lambda: process.send_signal(signal.SIGINT))
            output, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    run = json.loads((folder / "run.json").read_text())
    assert run["outcome"] == "interrupted"
    assert run["validity"]["state"] in ("valid", "inconclusive", "invalid") and run["validity"]["checks"]
    for goal in ("SLA-1", "SLA-2"):
        assert f"{goal}: {run['goals'][goal]['verdict']}" in output
    assert "interrupted" in said and "interrupted" in output
