"""Olio with its database on a disk of its own: refusals, and the same bytes as from a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from compared import differences
from shared_sites import serving
from walk import walk

from loadstone._core import format_disk

BYTES = 64 << 20


def _load(place: str | Path, *options: str) -> subprocess.CompletedProcess[str]:
    where = "--database" if str(place).startswith("block:") else "--out"
    command = ["-m", "loadstone", "olio", "load", "--accounts", "120", "--media-scale", "0.01"]
    return subprocess.run(
        [sys.executable, *command, where, str(place), *options], capture_output=True, text=True, check=False
    )


def _serve(place: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loadstone", "serve", "olio", "--port", "0", "--database", place]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("mode", ["log", pytest.param("journal", marks=pytest.mark.long)])
def test_a_disk_and_a_folder_cannot_be_told_apart(tmp_path: Path, mode: str) -> None:
    disk = tmp_path / "disk.img"
    disk.write_bytes(bytes(BYTES))
    format_disk(str(disk), mode)
    for place in (f"block:{disk}", tmp_path / "data"):
        loaded = _load(place)
        assert loaded.returncode == 0, loaded.stderr
    again = _load(f"block:{disk}")
    assert again.returncode == 2 and "holds tables already" in again.stderr, again.stderr
    with serving(f"block:{disk}") as urls:
        on_disk = walk(urls[0])
        second = _load(f"block:{disk}")
        assert second.returncode == 4 and "another process has it" in second.stderr, second.stderr
    with serving(str(tmp_path / "data")) as urls:
        in_folder = walk(urls[0])
    assert on_disk.faults == []
    assert differences(on_disk.answers, in_folder.answers) == []
    # The site was killed: what it had committed is there when it starts again.
    with serving(f"block:{disk}") as urls:
        changed = walk(urls[0])
    with serving(str(tmp_path / "data")) as urls:
        assert differences(changed.answers, walk(urls[0]).answers) == []
    assert differences(changed.answers, on_disk.answers), "the first walk changed nothing"


def test_what_is_no_formatted_disk_is_refused(tmp_path: Path) -> None:
    disk = tmp_path / "disk.img"
    absent = _load(f"block:{disk}")
    assert absent.returncode == 2 and "there is no disk" in absent.stderr, absent.stderr
    disk.write_bytes(bytes(BYTES))
    blank = _load(f"block:{disk}")
    assert blank.returncode == 4 and "was not formatted" in blank.stderr, blank.stderr
    format_disk(str(disk), "log")
    empty = _serve(f"block:{disk}")
    assert empty.returncode == 4 and "unable to open database" in empty.stderr, empty.stderr
    disk.write_bytes(disk.read_bytes()[: BYTES // 2])
    short = _load(f"block:{disk}")
    assert short.returncode == 4 and "are needed" in short.stderr, short.stderr
    replaced = _load(f"block:{disk}", "--replace")
    assert replaced.returncode == 2 and "format the disk again" in replaced.stderr, replaced.stderr


def test_a_disk_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    disk = tmp_path / "disk.img"
    disk.write_bytes(bytes(1 << 16))
    with pytest.raises(ValueError, match="blocks of 4096 bytes"):
        format_disk(str(disk), "log")
    with pytest.raises(ValueError, match="log and journal"):
        format_disk(str(disk), "wal")
    with pytest.raises(ValueError, match="No such file"):
        format_disk(str(tmp_path / "absent"), "log")
