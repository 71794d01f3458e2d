"""What is on a disk, checked, exported, backed up while a machine has it, restored."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny import tiny_image
from typer.testing import CliRunner

from loadstone import _core
from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.image.copies import check
from loadstone.image.disks import loaded
from loadstone.image.monitor import Monitor
from loadstone.image.qemu import Disk, Machine

pytestmark = pytest.mark.timeout(120)
_BLOCK = 4096
_LOG_END = (42 + 512) * _BLOCK
"""Of a disk of 32 MiB."""


@pytest.fixture(scope="module")
def olio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A disk with Olio's data."""
    disk = tmp_path_factory.mktemp("disk") / "olio.disk"
    loaded(disk, 32, "log", "olio", 100)
    return disk


def _run(*words: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["image", *map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def _users(file: Path) -> int:
    with contextlib.closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(db.execute("SELECT count(*) FROM user").fetchone()[0])


@contextlib.contextmanager
def _running(disk: Path, monitor: Path, folder: Path) -> Iterator[None]:
    """A machine that has the disk."""
    machine = Machine(tiny_image(folder), disk=Disk(disk), monitor=monitor)
    # Before its first instruction: the tiny image would end.
    with subprocess.Popen([*machine.command(), "-S"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as qemu:
        try:
            with Monitor(monitor):
                pass
            yield
        finally:
            qemu.kill()


def test_a_database_leaves_the_disk_as_an_ordinary_file(olio: Path, tmp_path: Path) -> None:
    file = tmp_path / "a?b#%20.sqlite"
    _run("export", olio, file)
    assert _users(file) == 100
    for words in (("export", olio, file), ("export", olio, tmp_path / "b", "--name", "rubis.db")):
        with pytest.raises(LoadstoneError, match=r"there already|on the disk: olio\.db"):
            _run(*words)
    assert not (tmp_path / "b").exists()


def test_a_loaded_disk_has_room_for_uploads(olio: Path, tmp_path: Path) -> None:
    # So that the first machine that has it changes no schema as it starts.
    _run("export", olio, tmp_path / "olio.sqlite")
    with contextlib.closing(sqlite3.connect(tmp_path / "olio.sqlite")) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert {"upload", "upload_part"} <= tables


def test_a_disk_is_made_of_a_backup_and_of_a_file(olio: Path, tmp_path: Path) -> None:
    _run("backup", olio, tmp_path / "monday")
    _run("export", olio, tmp_path / "olio.sqlite")
    _run("restore", tmp_path / "monday", tmp_path / "one", "--size", "20M", "--mode", "journal")
    _run("restore", tmp_path / "olio.sqlite", tmp_path / "two", "--name", "olio.db")
    for disk in (tmp_path / "one", tmp_path / "two"):
        found = json.loads(_run("check", disk, "--json"))
        assert [(one["name"], one["faults"]) for one in found] == [("olio.db", [])]
        _run("export", disk, disk.with_suffix(".sqlite"))
        assert _users(disk.with_suffix(".sqlite")) == 100
        assert disk.read_bytes()[8] == 2, "the format with checksums"


def test_a_file_with_other_pages_gets_checksums(tmp_path: Path) -> None:
    source = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(source)) as db:
        db.execute("PRAGMA page_size = 1024")
        db.execute("CREATE TABLE user(id INTEGER PRIMARY KEY, body TEXT)")
        db.executemany("INSERT INTO user VALUES (?, ?)", ((n, "x" * 500) for n in range(2000)))
        db.commit()
    before = source.read_bytes()
    _run("restore", source, tmp_path / "disk", "--size", "16M", "--name", "mine.db")
    assert source.read_bytes() == before
    assert [one.faults for one in check(tmp_path / "disk")] == [[]]
    _run("export", tmp_path / "disk", tmp_path / "back.sqlite")
    assert _users(tmp_path / "back.sqlite") == 2000


def test_rot_is_found_wherever_it_is(olio: Path, tmp_path: Path) -> None:
    rotten, content = tmp_path / "rotten", bytearray(olio.read_bytes())
    check(olio)
    pages = [at for at in range(_LOG_END, len(content), _BLOCK) if any(content[at : at + _BLOCK])]
    assert len(pages) > 50
    content[pages[len(pages) // 2] + 1000] ^= 1
    rotten.write_bytes(content)
    assert "damaged" in _run("check", rotten, code=2)
    with pytest.raises(LoadstoneError, match="checksum is wrong"):
        _run("export", rotten, tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()
    with pytest.raises(LoadstoneError, match="checksum is wrong"):
        _run("restore", rotten, tmp_path / "none.disk")
    assert not (tmp_path / "none.disk").exists()
    content[0] ^= 1
    content[21 * _BLOCK] ^= 1
    rotten.write_bytes(content)
    with pytest.raises(LoadstoneError, match="was not formatted"):
        _run("check", rotten)


def test_the_disk_of_a_running_machine_is_backed_up(olio: Path, tmp_path: Path) -> None:
    monitor, copy = tmp_path / "socket", tmp_path / "monday"
    with _running(olio, monitor, tmp_path):
        with pytest.raises(LoadstoneError, match="or a machine"):
            _run("backup", olio, copy)
        assert not copy.exists()
        for _ in range(2):
            assert "sound" in _run("backup", "--running", monitor, copy)
            with pytest.raises(LoadstoneError, match="there already"):
                _run("backup", "--running", monitor, copy)
            _run("export", copy, tmp_path / "olio.sqlite")
            assert _users(tmp_path / "olio.sqlite") == 100
            copy.unlink()
            (tmp_path / "olio.sqlite").unlink()
    with pytest.raises(LoadstoneError, match="no monitor"):
        _run("backup", "--running", monitor, copy)
    assert not copy.exists()


def test_what_cannot_be_copied_is_refused(olio: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("neither a disk nor a database")
    for words in (
        ("check", tmp_path / "none"),
        ("check", text),
        ("restore", tmp_path / "none", tmp_path / "new"),
        ("restore", text, tmp_path / "new"),
        ("restore", olio, tmp_path / "new", "--name", "olio.db"),
        ("restore", olio, tmp_path / "new", "--size", "1M"),
        ("restore", olio, text),
        ("backup", text, tmp_path / "new"),
    ):
        with pytest.raises(LoadstoneError) as caught:
            _run(*words)
        assert caught.value.slug == "image-disk", words
        assert not (tmp_path / "new").exists(), words
    assert _core.check_disk(str(olio))[0][0] == "olio.db"
