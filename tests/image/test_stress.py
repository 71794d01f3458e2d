"""The stress program as an image: the same words, the same lines as a process."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from loadstone.image.build import Built, build
from loadstone.image.guest import Guest
from loadstone.image.qemu import Disk, Machine

ROOT = Path(__file__).parents[2]
Line = dict[str, object]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build("stress", tmp_path_factory.mktemp("image") / "stress.elf")


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    file = tmp_path / "disk"
    with file.open("wb") as empty:
        empty.truncate(32 << 20)
    return Disk(file, "unsafe")


def _boot(image: Built, words: str, disk: Disk | None = None) -> tuple[int, list[Line]]:
    words = " ".join(f"stress.{word}" for word in f"task={words}".split())
    with Guest(Machine(image.stripped.path, words=words.split(), disk=disk)) as guest:
        code = guest.wait_for_end(60)
        lines = [line for line in guest.console().splitlines() if line.startswith("{")]
    return code, [json.loads(line) for line in lines]


def _as_a_process(words: str) -> list[Line]:
    command = ["cargo", "run", "--quiet", "-p", "loadstone-stress", "--", *words.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _without_times(lines: list[Line]) -> list[Line]:
    return [{key: value for key, value in line.items() if key not in ("ns", "write_ns")} for line in lines]


@pytest.mark.parametrize(
    "words", ["sql record=300 iterations=50", "bulk iterations=500", "alloc iterations=2000"]
)
def test_an_image_says_what_a_process_says(image: Built, words: str) -> None:
    code, lines = _boot(image, words)
    assert code == 33, lines
    assert _without_times(lines) == _without_times(_as_a_process(words))
    assert all(isinstance(line["ns"], int) and line["ns"] > 0 for line in lines[:-1])


@pytest.mark.parametrize("way", ["log", "journal"])
def test_records_stay_on_the_disk_between_two_lives(image: Built, disk: Disk, way: str) -> None:
    code, lines = _boot(image, f"bulk db=disk format={way} record=2000 iterations=300", disk)
    assert (code, lines[-1]) == (33, {"name": "done", "lines": 2}), lines
    code, lines = _boot(image, "sql db=disk", disk)
    assert code == 37, lines
    message = "the database holds 300 records; it must be empty"
    assert lines == [{"name": "error", "kind": "bad-input", "message": message}]


def test_what_cannot_be_done_is_told(image: Built, disk: Disk) -> None:
    code, lines = _boot(image, "sql db=disk")
    assert (code, lines[0]["message"]) == (35, "there is no disk")
    code, lines = _boot(image, "sql db=disk", disk)
    assert (code, lines[0]["message"]) == (35, "the device was not formatted for databases")
    code, lines = _boot(image, "sqll")
    assert (code, lines[0]["kind"]) == (37, "bad-input")


def test_what_does_not_fit_into_memory_is_refused(image: Built) -> None:
    words = [f"stress.{word}" for word in ("task=bulk", "record=65536", "iterations=400")]
    with Guest(Machine(image.stripped.path, memory_mib=16, words=words)) as guest:
        code = guest.wait_for_end(60)
        said = guest.console().splitlines()[0]
    assert code == 37
    assert re.fullmatch(
        r"appliance: refused: out of memory: \d+ bytes were asked for, \d+ of \d+ KiB are in use; "
        r"the machine has 16 MiB of memory and needs at least 17",
        said,
    )
