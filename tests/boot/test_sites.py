"""Olio and RUBiS booted as images: the bytes of the process, on a disk that keeps them, or a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from booted import OLIO, booted, disk, machine
from compared import differences
from shared_sites import Browser, load, serving
from test_rubis_databases import load as load_rubis
from test_rubis_databases import walk as walk_rubis
from test_shared_database import EVENT, PICTURE
from visitor import Answer
from walk import walk

from loadstone._core import usernames
from loadstone.image.guest import CLEAN, REFUSED, Guest
from loadstone.image.qemu import Board, Disk

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    """What the process answers."""
    folder = tmp_path_factory.mktemp("process") / "data"
    done = load(str(folder))
    assert done.returncode == 0, done.stderr
    with serving(str(folder)) as urls:
        return walk(urls[0]).answers


@pytest.mark.parametrize("board", ["microvm", "q35"])
def test_olio_answers_with_the_bytes_of_the_process(
    walked: list[Answer], tmp_path: Path, board: Board
) -> None:
    with booted(machine("olio", OLIO, disk(tmp_path), board=board)) as site:
        visitor = walk(site.url)
    assert visitor.faults == []
    assert differences(visitor.answers, walked) == []


def test_rubis_answers_with_the_bytes_of_the_process(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    load_rubis(str(folder))
    with serving(str(folder), app="rubis") as urls:
        expected = walk_rubis(Browser(urls))
    with booted(machine("rubis", ["data.load=0.001"], disk(tmp_path), memory_mib=24)) as site:
        found = walk_rubis(Browser([site.url]))
    assert found == expected


def test_what_was_written_is_there_after_the_next_boot(tmp_path: Path) -> None:
    block = disk(tmp_path)
    paths = ("/events/1", "/users/5", "/users/121", "/media/p121.jpg", "/")
    with booted(machine("olio", OLIO, block)) as site:
        visitor = walk(site.url)
        assert visitor.faults == []
        before = [_get(site.url, path) for path in paths]
        site.guest.say("shutdown")
        assert site.guest.wait_for_end(20) == CLEAN
    with booted(machine("olio", [], block)) as site:
        assert [_get(site.url, path) for path in paths] == before
        assert "loading" not in site.guest.console()


@pytest.mark.parametrize(
    "words, block, sentence",
    [
        ([], None, "there is no disk"),
        ([], {}, "was not formatted"),
        (["data.load=many"], {}, "data.load=many is not understood"),
        (["data.load=5"], {}, "5 accounts"),
        (["data.load=120", "olio.cache=all"], {}, "olio.cache=all is not understood"),
        (["data.load=120", "data.disk=floppy"], {}, "data.disk=floppy"),
        (["data.load=120"], {"mib": 0.25}, "blocks of 4096 bytes"),
        (
            ["data.load=120"],
            {"first": b"\x7fELF" * 2048},
            "something unknown; it is left as it is. data.erase=unknown",
        ),
        (["data.load=100000"], {"mib": 4}, "full"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, words: list[str], block: dict[str, object] | None, sentence: str
) -> None:
    made = disk(tmp_path, **block) if block is not None else None  # type: ignore[arg-type]
    with Guest(machine("olio", words, made)) as guest:
        assert guest.wait_for_end(60) == REFUSED, guest.console()
        assert sentence in guest.console()


@pytest.mark.parametrize("memory_mib", [3, 4])
def test_too_little_memory_is_refused_with_what_is_lacking(tmp_path: Path, memory_mib: int) -> None:
    with Guest(machine("olio", OLIO, disk(tmp_path), memory_mib)) as guest:
        assert guest.wait_for_end(60) == REFUSED, guest.console()
        assert "appliance: refused: out of memory: " in guest.console()


def test_a_corrupt_disk_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    block = disk(tmp_path)
    with booted(machine("olio", OLIO, block)):
        pass
    file = block.file
    # Everything but zeros is turned round: where the disk says what it is, it says so twice.
    bad = file.read_bytes().translate(bytes([0, *range(254, -1, -1)]))
    file.write_bytes(bad)
    with Guest(machine("olio", OLIO, Disk(file, "unsafe"))) as guest:
        assert guest.wait_for_end(60) == REFUSED, guest.console()
        assert "refused: " in guest.console()
    assert file.read_bytes() == bad


def test_a_full_disk_fails_what_does_not_fit_and_nothing_else(tmp_path: Path) -> None:
    with booted(machine("olio", OLIO, disk(tmp_path, 4))) as site:
        browser = Browser([site.url])
        browser.log_in(usernames(1, 120)[4], "5")
        event, sent, status = _get(site.url, "/events/1"), 0, 200
        while status == 200:
            assert sent < 10, "so much does not fit"
            browser.get("/events/new")
            status, _ = browser.upload("/events", EVENT, {"event_image": PICTURE + bytes(400_000)})
            sent += 1
        assert status == 507
        # Said on the console beside the answer, so it may be heard after it.
        site.guest.wait_for("full", 10)
        assert _get(site.url, "/events/1") == event
        assert browser.get("/")[0] == 200


def _get(url: str, path: str) -> tuple[int, bytes]:
    return Browser([url]).get(path)
