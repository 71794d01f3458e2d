"""What long work says of its time: what is left where pieces tell it, else how long it has taken."""

from __future__ import annotations

import gzip
import re
import time
from pathlib import Path

import pytest

from loadstone.cli import count
from loadstone.cli.learn_told import Told
from loadstone.intake.logs import line_blocks


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left out for having been told a moment ago."""
    monkeypatch.setattr(count, "_FIRST_S", 0.0)
    monkeypatch.setattr(count, "_EVERY_S", {True: 0.0, False: 0.001})


def test_work_without_pieces_says_how_long_it_has_taken(capsys: pytest.CaptureFixture[str]) -> None:
    said, until = "", time.monotonic() + 60
    with count.Elapsed("solving", 300):
        while said.count("\n") < 2 and time.monotonic() < until:
            said += capsys.readouterr().err
    lines = said.splitlines()
    assert len(lines) >= 2 and all(
        re.fullmatch(r"solving for \d+ s, at most 5 min", one) for one in lines[:2]
    )


@pytest.mark.parametrize("packed", [False, True])
def test_the_bytes_of_a_log_are_told_as_they_are_read(tmp_path: Path, packed: bool) -> None:
    content = b"".join(b"%d a line of a log\n" % number for number in range(200_000))
    log = tmp_path / "log"
    log.write_bytes(gzip.compress(content) if packed else content)
    seen: list[int] = []
    lines = sum(len(block) for block in line_blocks(str(log), seen.append))
    assert lines == 200_000
    assert sum(seen) == log.stat().st_size and len(seen) > 2


def test_logs_that_are_read_say_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, size in (("a", 30), ("b", 10)):
        (tmp_path / name).write_bytes(b"x" * size)
    with Told([str(tmp_path / "a"), str(tmp_path / "b")]) as told:
        time.sleep(0.002)
        told.read(20)
        told.looks()
    first = capsys.readouterr().err.splitlines()[0]
    assert re.fullmatch(r"20 of 40 bytes read in 0 s, about 0 s to go", first)


def test_of_standard_input_nobody_knows_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with Told(["-"]) as told:
        time.sleep(0.002)
        told.read(20)
    assert capsys.readouterr().err.splitlines()[0] == "20 bytes read in 0 s"
