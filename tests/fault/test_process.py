"""Ctrl-C, kill -9 and a full disk, each on a process that measures: nothing written is lost."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from loadstone import record

SCRIPT = Path(__file__).with_name("scripted_run.py")
PACKAGE = Path(record.__file__).parents[2]
PATIENCE_S = 120
"""Nothing here is timed: this only bounds a test that would wait for ever."""


@contextmanager
def measuring(folder: Path, second_s: float, limit: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """A process that measures into `folder`; `limit`: no file of it may grow beyond."""

    def confine() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(folder), str(second_s)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        preexec_fn=confine,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def seconds(folder: Path) -> int:
    return len(duckdb.sql(f"SELECT second FROM '{folder}/engine.parquet'").fetchall())


def test_ctrl_c_ends_the_run_and_keeps_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with measuring(folder, 0.2) as process:
        assert process.stdout is not None and process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    result = record.recover(folder).content()
    assert result["outcome"] == "interrupted"
    assert result["events"][0]["kind"] == "interrupted"
    assert 3 <= seconds(folder) < 100
    assert not (folder / "journal.ndjson").exists()


def test_the_second_ctrl_c_aborts_and_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with measuring(folder, 5.0) as process:
        journal = folder / "journal.ndjson"
        while not journal.exists():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) in (0, 1, -signal.SIGINT, 130)
    assert record.recover(folder).content()["outcome"] in ("interrupted", "crashed")


def test_kill_leaves_a_folder_that_becomes_whole(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with measuring(folder, 0.02) as process:
        assert process.stdout is not None and process.stdout.readline()
        process.kill()
        process.wait(PATIENCE_S)
    result = record.recover(folder).content()
    assert result["outcome"] == "crashed"
    assert seconds(folder) >= 3


def test_a_full_disk_ends_the_run_with_its_reason_and_keeps_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with measuring(folder, 0.0, limit=64 * 1024) as process:
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 4
    assert "error[disk-full]" in said and "journal.ndjson" in said
    result = record.recover(folder).content()
    assert result["outcome"] == "disk-full"
    assert 3 <= seconds(folder) < 100


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this machine does not let us mount")
    try:
        with measuring(disk / "run", 0.0) as process:
            _, said = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 4
        assert "error[disk-full]" in said
        # Complete the copy: on the full disk there is no room for the tables.
        copy = tmp_path / "copy"
        subprocess.run(["cp", "-r", str(disk / "run"), str(copy)], check=True)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    result = record.recover(copy).content()
    assert result["outcome"] in ("disk-full", "crashed")
    assert seconds(copy) >= 3
